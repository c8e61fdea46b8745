import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { OpenAIChatClient, toOpenAITools } from "../src/index.js";
import { chunk, completion } from "./helpers.js";
import { type WireReply, WireServer } from "./wire-server.js";

describeChatClientContract("OpenAI chat completions", {
  async create(scenario) {
    const server = await WireServer.start();
    server.always(({ body }) => (body["stream"] === true ? streamed(scenario) : whole(scenario)));
    return {
      client: new OpenAIChatClient({ model: "test-model", baseURL: server.url }),
      close: () => server.stop(),
    };
  },
});

function streamed(scenario: ContractScenario): WireReply {
  if (scenario.kind === "error") return whole(scenario);
  if (scenario.kind === "cut") return { chunks: [chunk({ content: "Half" })], end: "destroy" };
  if (scenario.kind === "hang") return { chunks: [chunk({ content: "Half" })], end: "never" };
  if (scenario.kind === "text") {
    const pieces = Array.from(scenario.text, (piece) => chunk({ content: piece }));
    return { chunks: [...pieces, chunk({}, "stop"), { choices: [], usage: usageOf(scenario) }] };
  }
  if (scenario.kind === "refusal") {
    return { chunks: [chunk({ refusal: scenario.text }), chunk({}, "stop")] };
  }
  const deltas = callsOf(scenario).map((call, index) =>
    chunk({ tool_calls: [{ index, ...call }] }),
  );
  return { chunks: [...deltas, chunk({}, endOf(scenario))] };
}

function whole(scenario: ContractScenario): WireReply {
  if (scenario.kind === "error") {
    return { status: scenario.status, body: { error: { message: "No." } } };
  }
  if (scenario.kind === "text") {
    return { body: { ...completion({ content: scenario.text }), usage: usageOf(scenario) } };
  }
  if (scenario.kind === "refusal") {
    return { body: completion({ content: null, refusal: scenario.text }) };
  }
  return { body: completion({ content: null, tool_calls: callsOf(scenario) }, endOf(scenario)) };
}

function endOf({ kind }: ContractScenario): string {
  return kind === "cut_call" ? "length" : "tool_calls";
}

function usageOf({ usage }: Extract<ContractScenario, { kind: "text" }>): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
  };
}

function callsOf(scenario: ContractScenario): object[] {
  const called = (name: string, text: string, at: number) => ({
    id: `call_${at}`,
    type: "function",
    function: { name, arguments: text },
  });
  if (scenario.kind === "odd_name") {
    const [sent] = toOpenAITools([scenario.tool]);
    const name = sent?.type === "function" ? sent.function.name : "";
    return [called(name, JSON.stringify(scenario.arguments), 0)];
  }
  if (scenario.kind === "broken_arguments" || scenario.kind === "cut_call") {
    return [called(scenario.name, scenario.argumentsText, 0)];
  }
  if (scenario.kind !== "calls") return [];
  return scenario.calls.map((call, at) => called(call.name, JSON.stringify(call.arguments), at));
}
