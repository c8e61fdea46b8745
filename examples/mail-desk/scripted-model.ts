import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import type { ScriptedAnswer } from "./scripted-answer.js";

/** A server on this machine that speaks OpenAI's protocol. */
export interface ScriptedModel {
  readonly baseURL: string;
  close(): Promise<void>;
}

/**
 * Starts a server that answers chat completions from a script, streamed piece by piece. The client
 * talks to it as to any other: over HTTP, with server-sent events. Its token counts are estimates.
 */
export async function startScriptedModel(
  script: (request: ChatCompletionRequest) => ScriptedAnswer,
): Promise<ScriptedModel> {
  const server = new LLMock({ host: "127.0.0.1", port: 0, latency: 4, chunkSize: 12 });
  server.on({ predicate: () => true }, (request) => {
    const { text, calls } = script(request);
    if (calls === undefined) return { content: text };
    return text === "" ? { toolCalls: [...calls] } : { content: text, toolCalls: [...calls] };
  });
  const address = await server.start();
  return { baseURL: `${address}/v1`, close: () => server.stop() };
}
