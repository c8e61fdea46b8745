import { LLMock } from "@copilotkit/aimock";
import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { type WireFormat, wireProblems } from "@tunic/testing/wire";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { clients } from "./clients.js";
import { formatOf } from "./wire-format.js";

/** What was sent: the server by others takes what the service would refuse. */
const sent: { readonly format: WireFormat; readonly body: unknown }[] = [];
let checked = 0;

beforeAll(() => {
  const send = fetch;
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    const format = formatOf(input instanceof Request ? input.url : String(input));
    if (typeof init?.body === "string") sent.push({ format, body: JSON.parse(init.body) });
    return send(input, init);
  });
});

afterEach(() => {
  checked += sent.length;
  for (const { format, body } of sent.splice(0)) expect(wireProblems(format, body)).toEqual([]);
});

afterAll(() => {
  vi.unstubAllGlobals();
  expect(checked).toBeGreaterThan(50);
});

for (const [format, { create, sent: sentTool }] of Object.entries(clients)) {
  describeChatClientContract(`${format}, against a server by others`, {
    async create(scenario) {
      const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 3 });
      play(mock, scenario, (tool) => nameIn(sentTool(tool)));
      const client = create(await mock.start());
      return { client, close: async () => void (await mock.stop()) };
    },
    cannot: {
      refusal: "aimock has no refusals",
      ...(format !== "openai-chat" &&
        format !== "openai-responses" && {
          broken_arguments: "aimock sends {} in this protocol where a fixture holds no JSON",
        }),
    },
  });
}

function play(
  mock: LLMock,
  scenario: ContractScenario,
  wireName: (tool: Extract<ContractScenario, { kind: "odd_name" }>["tool"]) => string,
): void {
  const content = "It is a rather long answer that nobody hears to its end.";
  switch (scenario.kind) {
    case "text": {
      const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = scenario.usage;
      const usage = {
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        total_tokens: totalTokens,
        input_tokens: inputTokens,
        output_tokens: outputTokens,
      };
      mock.on({}, { content: scenario.text, usage });
      break;
    }
    case "calls":
      mock.on({}, { toolCalls: scenario.calls.map((each) => called(each.name, each.arguments)) });
      break;
    case "broken_arguments":
      mock.on({}, { toolCalls: [{ name: scenario.name, arguments: scenario.argumentsText }] });
      break;
    case "odd_name":
      mock.on({}, { toolCalls: [called(wireName(scenario.tool), scenario.arguments)] });
      break;
    case "cut_call": {
      const { name, argumentsText } = scenario;
      mock.on({}, { toolCalls: [{ name, arguments: argumentsText }], finishReason: "length" });
      break;
    }
    case "error":
      mock.on({}, { error: { message: "no", type: "some_error" }, status: scenario.status });
      break;
    case "cut":
      mock.on({}, { content }, { truncateAfterChunks: 4 });
      break;
    case "hang":
      // Each piece takes its time: the abort comes long before the last one.
      mock.on({}, { content }, { latency: 20 });
      break;
    case "refusal":
      break;
  }
}

function called(name: string, args: unknown): { name: string; arguments: string } {
  return { name, arguments: JSON.stringify(args) };
}

function nameIn(tools: unknown): string {
  return /"name":"([^"]*)"/.exec(JSON.stringify(tools))?.[1] ?? "";
}
