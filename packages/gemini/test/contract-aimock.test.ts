import { LLMock } from "@copilotkit/aimock";
import { type ContractScenario, describeChatClientContract } from "@tunic/testing/contracts";
import { checkedClient } from "./checked-client.js";

describeChatClientContract("Gemini, served by others", {
  async create(scenario) {
    const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 3 });
    play(mock, scenario);
    const client = checkedClient(await mock.start());
    return { client, close: async () => void (await mock.stop()) };
  },
  cannot: {
    broken_arguments: "aimock sends arguments that do not parse as an empty object",
    hang: "aimock ends every answer",
  },
});

function play(mock: LLMock, scenario: ContractScenario): void {
  switch (scenario.kind) {
    case "text": {
      const { inputTokens: input_tokens = 0, outputTokens: output_tokens = 0 } = scenario.usage;
      mock.on({}, { content: scenario.text, usage: { input_tokens, output_tokens } });
      break;
    }
    case "calls":
      mock.on(
        {},
        {
          toolCalls: scenario.calls.map((each) => ({
            name: each.name,
            arguments: JSON.stringify(each.arguments),
          })),
        },
      );
      break;
    case "error":
      mock.on({}, { error: { message: "no", type: "x" }, status: scenario.status });
      break;
    case "cut":
      mock.on({}, { content: "A long answer that is cut." }, { truncateAfterChunks: 2 });
      break;
    default:
  }
}
