import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WireFormat, wireProblems } from "@tunic/testing/wire";

/** A request as it came in. */
export interface SeenRequest {
  readonly format: WireFormat;
  readonly body: Readonly<Record<string, unknown>>;
  /** What is wrong with it, by the vendor's own rules. */
  readonly problems: readonly string[];
}

/** What each service marks its answers with, and wants back. Nobody else may ever see it. */
export const secrets: Readonly<Record<WireFormat, readonly string[]>> = {
  "openai-chat": [],
  "openai-responses": ["ENCRYPTED-BY-OPENAI"],
  anthropic: ["SIGNED-BY-ANTHROPIC", "REDACTED-BY-ANTHROPIC"],
  gemini: ["U0lHTkVELUJZLUdFTUlOSQ=="],
};

/** What each model thinks. To another one it is nothing. */
export const thoughts: Readonly<Record<WireFormat, string>> = {
  "openai-chat": "thought of a chat completion",
  "openai-responses": "thought of a response",
  anthropic: "thought of Claude",
  gemini: "thought of Gemini",
};

const paths: readonly (readonly [RegExp, WireFormat])[] = [
  [/\/chat\/completions$/, "openai-chat"],
  [/\/responses$/, "openai-responses"],
  [/\/messages$/, "anthropic"],
  [/:generateContent/, "gemini"],
];

/**
 * One server for four protocols. It answers the user with thoughts and two calls, and results with a
 * text, and notes down what it was asked.
 */
export class FourServices {
  readonly requests: SeenRequest[] = [];
  address = "";
  #answers = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<FourServices> {
    const services = new FourServices();
    await new Promise<void>((resolve) => services.#server.listen(0, "127.0.0.1", resolve));
    services.address = `http://127.0.0.1:${(services.#server.address() as AddressInfo).port}`;
    return services;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body: Record<string, unknown> = JSON.parse(Buffer.concat(pieces).toString());
    const { pathname } = new URL(request.url ?? "", this.address);
    const format = paths.find(([pattern]) => pattern.test(pathname))?.[1];
    if (format === undefined) {
      response.writeHead(404).end();
      return;
    }
    this.requests.push({ format, body, problems: wireProblems(format, body) });
    const number = ++this.#answers;
    const answer = wantsCalls(format, body)
      ? called(format, number, toolNameIn(body))
      : said(format, number);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }
}

/** Whether the last thing said is the user's, and no result of a call. */
function wantsCalls(format: WireFormat, body: Readonly<Record<string, unknown>>): boolean {
  const list =
    body[format === "gemini" ? "contents" : format === "openai-responses" ? "input" : "messages"];
  const last = JSON.stringify((list as readonly unknown[]).at(-1));
  return !/"tool_call_id"|"function_call_output"|"tool_result"|"functionResponse"/.test(last);
}

const model = "model-1";
const rooms = ["hall", "attic"];

/** The tool's name as it was sent. */
function toolNameIn(body: unknown): string {
  return /"name":"(lamps[^"]*)"/.exec(JSON.stringify(body))?.[1] ?? "unknown";
}

function called(format: WireFormat, number: number, name: string): unknown {
  const calls = rooms.map((room, at) => ({ id: `call_${number}_${at}`, args: { room } }));
  switch (format) {
    case "openai-chat":
      return chatCompletion("tool_calls", {
        content: null,
        reasoning_content: thoughts[format],
        tool_calls: calls.map(({ id, args }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        })),
      });
    case "openai-responses":
      return openAIResponse(number, [
        {
          type: "reasoning",
          id: `rs_${number}`,
          summary: [{ type: "summary_text", text: thoughts[format] }],
          encrypted_content: "ENCRYPTED-BY-OPENAI",
        },
        ...calls.map(({ id, args }, at) => ({
          type: "function_call",
          id: `fc_${number}_${at}`,
          call_id: id,
          name,
          arguments: JSON.stringify(args),
          status: "completed",
        })),
      ]);
    case "anthropic":
      return anthropicMessage(number, "tool_use", [
        { type: "thinking", thinking: thoughts[format], signature: "SIGNED-BY-ANTHROPIC" },
        { type: "redacted_thinking", data: "REDACTED-BY-ANTHROPIC" },
        { type: "text", text: "The lamps." },
        ...calls.map(({ id, args }) => ({
          type: "tool_use",
          id: `toolu_${id}`,
          name,
          input: args,
        })),
      ]);
    default:
      return geminiAnswer(number, [
        { text: thoughts[format], thought: true },
        ...calls.map(({ args }, at) => ({
          functionCall: { name, args },
          ...(at === 0 && { thoughtSignature: "U0lHTkVELUJZLUdFTUlOSQ==" }),
        })),
      ]);
  }
}

function said(format: WireFormat, number: number): unknown {
  const text = `Done by ${format}.`;
  switch (format) {
    case "openai-chat":
      return chatCompletion("stop", { content: text });
    case "openai-responses":
      return openAIResponse(number, [
        {
          type: "message",
          id: `msg_${number}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
        },
      ]);
    case "anthropic":
      return anthropicMessage(number, "end_turn", [{ type: "text", text }]);
    default:
      return geminiAnswer(number, [{ text }]);
  }
}

function chatCompletion(finish_reason: string, message: object): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  };
}

function openAIResponse(number: number, output: readonly object[]): unknown {
  return {
    id: `resp_${number}`,
    object: "response",
    created_at: 1,
    model,
    status: "completed",
    output,
  };
}

function anthropicMessage(
  number: number,
  stop_reason: string,
  content: readonly object[],
): unknown {
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function geminiAnswer(number: number, parts: readonly object[]): unknown {
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    modelVersion: model,
    responseId: `r${number}`,
  };
}
