import { WireServer } from "../wire-server.js";

/** The same for the Responses API, whose events have names. */
export class ResponsesServer extends WireServer {
  static override start(): Promise<ResponsesServer> {
    return new ResponsesServer({
      format: "openai-responses",
      path: "/v1/responses",
      end: "close",
      asEvent,
    }).listen();
  }

  /** The input items of the last request. */
  get lastInput(): readonly Record<string, unknown>[] {
    return this.lastBody["input"] as readonly Record<string, unknown>[];
  }
}

function asEvent(event: unknown): string {
  if (typeof event === "string") return `data: ${event}\n\n`;
  const { type } = event as { readonly type?: unknown };
  const name = typeof type === "string" ? `event: ${type}\n` : "";
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
