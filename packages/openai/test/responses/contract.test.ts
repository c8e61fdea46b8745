import type { JsonObject } from "@tunic/core";
import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { OpenAIResponsesClient, toOpenAIResponsesTools } from "../../src/index.js";
import type { WireReply } from "../wire-server.js";
import { asEvents } from "./as-events.js";
import { called, cutResponse, refused, response, said } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

describeChatClientContract("OpenAI responses", {
  async create(scenario) {
    const server = await ResponsesServer.start();
    server.always(({ body }) => (body["stream"] === true ? streamed(scenario) : whole(scenario)));
    return {
      client: new OpenAIResponsesClient({ model: "test-model", baseURL: server.url }),
      close: () => server.stop(),
    };
  },
});

function streamed(scenario: ContractScenario): WireReply {
  if (scenario.kind === "error") return whole(scenario);
  const begun = asEvents(response([said("Half")])).slice(0, 5);
  if (scenario.kind === "cut") return { chunks: begun, end: "destroy" };
  if (scenario.kind === "hang") return { chunks: begun, end: "never" };
  return { chunks: asEvents(answerOf(scenario)) };
}

function whole(scenario: ContractScenario): WireReply {
  if (scenario.kind === "error") {
    return { status: scenario.status, body: { error: { message: "No." } } };
  }
  return { body: answerOf(scenario) };
}

function answerOf(scenario: ContractScenario): JsonObject {
  if (scenario.kind === "text") {
    const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = scenario.usage;
    const usage = {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens,
    };
    return response([said(scenario.text)], { usage });
  }
  if (scenario.kind === "broken_arguments") {
    return response([called("call_0", scenario.name, scenario.argumentsText)]);
  }
  if (scenario.kind === "odd_name") {
    const [sent] = toOpenAIResponsesTools([scenario.tool]);
    const name = sent?.type === "function" ? sent.name : "";
    return response([called("call_0", name, scenario.arguments)]);
  }
  if (scenario.kind === "cut_call") {
    return cutResponse([called("call_0", scenario.name, scenario.argumentsText)]);
  }
  if (scenario.kind === "refusal") return response([refused(scenario.text)]);
  if (scenario.kind !== "calls") return response([]);
  return response(
    scenario.calls.map((call, at) => called(`call_${at}`, call.name, call.arguments)),
  );
}
