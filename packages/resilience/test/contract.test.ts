import { type ChatClient, ChatClientError } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import {
  type ContractScenario,
  describeChatClientContract,
  describeMiddlewareContract,
} from "@tunic/testing/contracts";
import { fallbackClient, retryModelCalls, routeClient } from "../src/index.js";
import { busy } from "./support.js";

describeMiddlewareContract("retryModelCalls", { create: () => retryModelCalls() });

/** Puts clients together: one plays the scenario, the others fail with the error. */
type Compose = (client: ChatClient, error: ChatClientError) => ChatClient;

const compositions: Readonly<Record<string, Compose>> = {
  "fallbackClient, the first answers": (client, error) => fallbackClient([client, failing(error)]),
  "fallbackClient, the second answers": (client, error) => fallbackClient([failing(error), client]),
  "fallbackClient after updates": (client, error) =>
    fallbackClient([halfway(error), client], { afterUpdates: true }),
  "routeClient by a rule": (client, error) =>
    routeClient([{ name: "a", when: () => true, client }], { otherwise: failing(error) }),
  "routeClient otherwise": (client, error) =>
    routeClient([{ name: "a", when: async () => false, client: failing(error) }], {
      otherwise: client,
    }),
  "a fallback of a route of a fallback": (client, error) =>
    fallbackClient([
      failing(error),
      routeClient([], { otherwise: fallbackClient([failing(error), client]) }),
    ]),
};

for (const [name, compose] of Object.entries(compositions)) {
  describeChatClientContract(name, {
    async create(scenario) {
      // Where all fail, the error of all is that of each.
      const error = scenario.kind === "error" ? errorOf(scenario.status) : busy();
      return { client: compose(play(scenario), error) };
    },
  });
}

function failing(error: ChatClientError): ChatClient {
  return new ScriptedChatClient(() => ({ error }));
}

/** Streams the beginning of an answer, then fails. */
function halfway(error: ChatClientError): ChatClient {
  return new ScriptedChatClient(() => ({ text: "Half an answer", error, errorAfter: 2 }), {
    chunkSize: 4,
  });
}

/** A service that plays a scenario. */
function play(scenario: ContractScenario): ChatClient {
  return new ScriptedChatClient(() => turnFor(scenario), { chunkSize: 4 });
}

function turnFor(scenario: ContractScenario): ScriptedTurn {
  switch (scenario.kind) {
    case "text":
      return { text: scenario.text, usage: scenario.usage };
    case "calls":
      return { calls: scenario.calls };
    case "broken_arguments":
      return { calls: [{ name: scenario.name, arguments: scenario.argumentsText }] };
    case "error":
      return { error: errorOf(scenario.status) };
    case "cut":
      return {
        text: "Half an answer",
        error: new ChatClientError("cut_stream", "Cut.", { retryable: true }),
        errorAfter: 2,
      };
    case "hang":
      return (request) => {
        const beginning = new ScriptedChatClient([{ text: "Half" }]);
        return beginning.getResponse(request).then(
          () =>
            new Promise<never>((_, reject) => {
              const stop = (): void => reject(request.signal?.reason);
              if (request.signal?.aborted) stop();
              else request.signal?.addEventListener("abort", stop, { once: true });
            }),
        );
      };
  }
}

function errorOf(status: number): ChatClientError {
  const code = status === 401 ? "authentication" : status === 429 ? "rate_limit" : "server_error";
  return new ChatClientError(code, "No.", { status, retryable: status !== 401 });
}
