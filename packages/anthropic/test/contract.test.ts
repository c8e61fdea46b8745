import type { FunctionTool } from "@tunic/core";
import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { AnthropicChatClient, toAnthropicTools } from "../src/index.js";
import { asEvents, asText } from "./as-events.js";
import { answer } from "./build.js";
import { cut, either, failure, openStream, type Reply, wireServer } from "./wire-server.js";

describeChatClientContract("anthropic", {
  async create(scenario) {
    const server = await wireServer(replyTo(scenario));
    const client = new AnthropicChatClient({
      model: "claude-opus-4-8",
      apiKey: "key",
      baseURL: server.url,
    });
    return { client, close: async () => void (await server[Symbol.asyncDispose]()) };
  },
});

const beginning = asText(asEvents(answer([{ type: "text", text: "It is" }])).slice(0, 4));

function replyTo(scenario: ContractScenario): Reply {
  switch (scenario.kind) {
    case "text": {
      const { inputTokens: input_tokens, outputTokens: output_tokens } = scenario.usage;
      const content = [{ type: "text", text: scenario.text }];
      return either(answer(content, "end_turn", { usage: { input_tokens, output_tokens } }));
    }
    case "calls":
      return either(
        answer(
          scenario.calls.map((each, at) => toolUse(at, each.name, each.arguments)),
          "tool_use",
        ),
      );
    case "broken_arguments":
      return either(answer([toolUse(0, scenario.name, scenario.argumentsText)], "tool_use"));
    case "odd_name":
      return either(
        answer([toolUse(0, toolNameOf(scenario.tool), scenario.arguments)], "tool_use"),
      );
    case "cut_call":
      return either(answer([toolUse(0, scenario.name, scenario.argumentsText)], "max_tokens"));
    case "refusal": {
      const stop_details = { type: "refusal", category: null, explanation: scenario.text };
      return either(answer([], "refusal", { stop_details }));
    }
    case "error":
      return failure(scenario.status, "some_error");
    case "cut":
      return cut(beginning);
    case "hang":
      return (response) => {
        openStream(response);
        response.write(beginning);
      };
  }
}

function toolUse(at: number, name: string, input: unknown) {
  return { type: "tool_use", id: `toolu_${at}`, name, input };
}

function toolNameOf(tool: FunctionTool): string {
  const [sent] = toAnthropicTools([tool]);
  return sent && "name" in sent ? sent.name : "";
}
