import type { FunctionTool } from "@tunic/core";
import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { toGeminiTools } from "../src/index.js";
import { answer, stop } from "./build.js";
import { asText, cut, either, failure, openStream, type Reply, wireServer } from "./wire-server.js";

describeChatClientContract("Gemini", {
  async create(scenario) {
    const server = await wireServer(replyTo(scenario));
    return {
      client: server.client(),
      close: async () => void (await server[Symbol.asyncDispose]()),
    };
  },
});

const beginning = asText([answer([{ text: "It is" }])]);

function replyTo(scenario: ContractScenario): Reply {
  switch (scenario.kind) {
    case "text": {
      const { inputTokens, outputTokens } = scenario.usage;
      const usageMetadata = { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens };
      const [first, ...others] = scenario.text.split(/(?<= )/).map((text) => answer([{ text }]));
      return either(first ?? {}, ...others, answer([], "STOP", { usageMetadata }));
    }
    case "calls": {
      const calls = scenario.calls.map(({ name, arguments: args }) => ({
        functionCall: { name, args },
      }));
      return either(...calls.map((each) => answer([each])), stop());
    }
    case "broken_arguments":
      return either(
        answer([{ functionCall: { name: scenario.name, args: scenario.argumentsText } }]),
        stop(),
      );
    case "odd_name": {
      const name = toolNameOf(scenario.tool);
      return either(answer([{ functionCall: { name, args: scenario.arguments } }]), stop());
    }
    case "cut_call":
      return either(answer([{ functionCall: { name: scenario.name, args: {} } }], "MAX_TOKENS"));
    case "refusal":
      return either({ promptFeedback: { blockReason: "SAFETY" } });
    case "error":
      return failure(scenario.status, "SOME_STATUS");
    case "cut":
      return cut(beginning);
    case "hang":
      return (response) => {
        openStream(response);
        response.write(beginning);
      };
  }
}

function toolNameOf(tool: FunctionTool): string {
  const [sent] = toGeminiTools([tool]);
  return sent?.functionDeclarations?.[0]?.name ?? "";
}
