import type { Cancellation, StopSignal } from "./cancellation.js";
import type { McpProgress, McpRequestOptions } from "./mcp-client.js";

/** Of a call of this package's own: its signal is made where a client asks for it. */
export class CallOptions implements McpRequestOptions {
  readonly cancellation: Cancellation;
  readonly onProgress: (progress: McpProgress) => void;
  readonly origin: unknown;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly allowInputRequired = true;

  constructor(
    cancellation: Cancellation,
    onProgress: (progress: McpProgress) => void,
    origin: unknown,
    headers: Readonly<Record<string, string>> | undefined,
  ) {
    this.cancellation = cancellation;
    this.onProgress = onProgress;
    this.origin = origin;
    this.headers = headers;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }
}

/** What ends a request, without making a signal where there is none. */
export function stopSignalOf(options: McpRequestOptions): StopSignal | undefined {
  return options instanceof CallOptions ? options.cancellation : options.signal;
}
