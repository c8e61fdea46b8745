import {
  Agent,
  type ChatClient,
  ChatClientError,
  type ChatRequest,
  type ChatResponse,
  type Content,
  foldUpdates,
  type Message,
  type Tool,
  textOf,
  tool,
  type Update,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import type { ContractScenario } from "./contract-scenario.js";
import { inTime } from "./in-time.js";

/** How the suite gets at a client. */
export interface ChatClientContract {
  /** A client whose service plays the scenario at every request. */
  create(scenario: ContractScenario): Promise<{
    readonly client: ChatClient;
    readonly close?: () => Promise<void>;
  }>;
  /** Kinds of scenario that the service behind the client cannot play, each with the reason. */
  readonly cannot?: Partial<Record<ContractScenario["kind"], string>>;
}

const weatherOptions = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;
const weather = tool({ ...weatherOptions, execute: ({ city }) => `sunny in ${city}` });
const oddlyNamed = tool({
  ...weatherOptions,
  name: "1. weather / today",
  execute: ({ city }) => `sunny in ${city}`,
});

/** The suite that every chat client passes, under vitest: streamed and whole answers, failures, aborts. */
export function describeChatClientContract(name: string, contract: ChatClientContract): void {
  const scenario = (
    kind: ContractScenario["kind"],
    title: string,
    played: ContractScenario,
    check: (client: ChatClient) => Promise<void>,
  ): void => {
    const reason = contract.cannot?.[kind];
    it.skipIf(reason !== undefined)(reason ? `${title} (skipped: ${reason})` : title, async () => {
      const { client, close } = await contract.create(played);
      try {
        await check(client);
      } finally {
        await close?.();
      }
    });
  };

  describe(`chat client contract: ${name}`, () => {
    const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17 };
    const text = "Grüße aus Köln 🦊, wie geht’s?";
    const said: ContractScenario = { kind: "text", text, usage };

    scenario(
      "text",
      "answers with text, and streamed with the same message",
      said,
      async (client) => {
        const whole = await client.getResponse(request());
        expect(whole.messages).toHaveLength(1);
        expect(whole.messages.map(textOf)).toEqual([text]);
        expect(whole.finishReason).toBe("stop");
        expect(whole.usage).toMatchObject(usage);
        const { response } = await streamed(client);
        expect(comparable(response)).toEqual(comparable(whole));
      },
    );

    scenario(
      "text",
      "streams what it answers: the consumer's fold is the response",
      said,
      async (client) => {
        const { response, updates } = await streamed(client);
        const fold = foldUpdates(updates);
        expect(fold.messages).toEqual(response.messages);
        expect(fold.usage).toEqual(response.usage);
        expect(fold.finishReason).toEqual(response.finishReason);
      },
    );

    scenario("text", "waits for a slow consumer", said, async (client) => {
      let busy = false;
      const onUpdate = async (): Promise<void> => {
        expect(busy, "a second update came while the first was being worked on").toBe(false);
        busy = true;
        await new Promise<void>((resolve) => setImmediate(resolve));
        busy = false;
      };
      await client.getResponse({ ...request(), onUpdate });
    });

    scenario("text", "leaves messages and options as they are", said, async (client) => {
      const asked = deepFreeze(request());
      const before = JSON.stringify([asked.messages, asked.options.instructions]);
      await client.getResponse(asked);
      expect(JSON.stringify([asked.messages, asked.options.instructions])).toBe(before);
    });

    scenario(
      "text",
      "gives every message an id and a time, and new ones each time",
      said,
      async (client) => {
        const ids = new Set<string>();
        for (let round = 0; round < 3; round++) {
          for (const message of (await client.getResponse(request())).messages) {
            expect(message.createdAt).toBeTypeOf("number");
            ids.add(message.id);
          }
        }
        expect(ids.size).toBe(3);
      },
    );

    const calls = [
      { name: "get_weather", arguments: { city: "Köln" } },
      { name: "get_weather", arguments: { city: "Łódź" } },
    ];
    scenario(
      "calls",
      "answers with parallel calls, streamed and not",
      { kind: "calls", calls },
      async (client) => {
        const whole = await client.getResponse(request());
        const { response, updates } = await streamed(client);
        expect(foldUpdates(updates).messages).toEqual(response.messages);
        for (const each of [whole, response]) {
          const made = callsIn(each);
          expect(made.map((call) => ({ name: call.name, arguments: call.arguments }))).toEqual(
            calls,
          );
          expect(new Set(made.map((call) => call.callId)).size).toBe(2);
          expect(made.every((call) => call.callId !== "")).toBe(true);
        }
      },
    );

    scenario(
      "broken_arguments",
      "keeps arguments that are no JSON as text, with the reason",
      { kind: "broken_arguments", name: "get_weather", argumentsText: '{"city": "Kö' },
      async (client) => {
        for (const response of [
          await client.getResponse(request()),
          (await streamed(client)).response,
        ]) {
          const [call] = callsIn(response);
          expect(call?.arguments).toBeUndefined();
          expect(call?.argumentsText).toBe('{"city": "Kö');
          expect(call?.parseError).toBeTypeOf("string");
        }
      },
    );

    scenario(
      "odd_name",
      "calls a tool by its own name, whatever name the service was given",
      { kind: "odd_name", tool: oddlyNamed, arguments: { city: "Köln" } },
      async (client) => {
        const tools = [oddlyNamed];
        client.checkTools?.(tools);
        for (const response of [
          await client.getResponse(request(tools)),
          (await streamed(client, tools)).response,
        ]) {
          expect(callsIn(response)).toMatchObject([
            { name: oddlyNamed.name, arguments: { city: "Köln" } },
          ]);
        }
      },
    );

    scenario(
      "cut_call",
      "a call that was cut at the token limit never runs",
      { kind: "cut_call", name: "get_weather", argumentsText: '{"city":"Kö' },
      async (client) => {
        expect((await client.getResponse(request())).finishReason).toBe("length");
        expect((await streamed(client)).response.finishReason).toBe("length");
        let ran = 0;
        const counted = tool({ ...weatherOptions, execute: () => ++ran });
        for (const onUpdate of [undefined, () => {}]) {
          const agent = new Agent({ client, tools: counted, invocation: { maxIterations: 1 } });
          await agent.run("hello", { onUpdate });
        }
        expect(ran).toBe(0);
      },
    );

    scenario(
      "refusal",
      "a refusal is an error content, streamed and not",
      { kind: "refusal", text: "I will not say that." },
      async (client) => {
        const whole = await client.getResponse(request());
        const { response, updates } = await streamed(client);
        expect(foldUpdates(updates).messages).toEqual(response.messages);
        expect(comparable(response)).toEqual(comparable(whole));
        const codes = whole.messages.flatMap(({ contents }) =>
          contents.flatMap((content) => (content.type === "error" ? (content.code ?? "") : [])),
        );
        expect(codes).toEqual([expect.stringMatching(/^refusal/)]);
      },
    );

    for (const [status, code, retryable] of [
      [401, "authentication", false],
      [429, "rate_limit", true],
      [500, "server_error", true],
    ] as const) {
      scenario(
        "error",
        `status ${status} is a ChatClientError "${code}"`,
        { kind: "error", status },
        async (client) => {
          for (const ask of [() => client.getResponse(request()), () => streamed(client)]) {
            const error = await ask().then(
              () => undefined,
              (thrown: unknown) => thrown,
            );
            expect(error).toBeInstanceOf(ChatClientError);
            expect(error).toMatchObject({ code, status, retryable });
          }
        },
      );
    }

    scenario(
      "cut",
      "a cut stream is a ChatClientError that may be retried",
      { kind: "cut" },
      async (client) => {
        const error = await streamed(client).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(ChatClientError);
        expect(error).toMatchObject({ retryable: true });
      },
    );

    scenario(
      "hang",
      "an abort rejects with the signal's own reason",
      { kind: "hang" },
      async (client) => {
        const reason = new Error("the caller has changed its mind");
        const controller = new AbortController();
        const asked = client.getResponse({
          ...request(),
          signal: controller.signal,
          onUpdate: () => controller.abort(reason),
        });
        const hint = () =>
          controller.signal.aborted
            ? "The client has not rejected, though its signal has fired: does it pass the signal on?"
            : 'No update came in scenario "hang": the service must first begin to answer (a piece of text, say), and the client must pass that on at once.';
        await expect(inTime(asked, hint)).rejects.toBe(reason);
      },
    );

    scenario("text", "does not begin under a signal that has fired", said, async (client) => {
      const reason = new Error("too late");
      const asked = client.getResponse({ ...request(), signal: AbortSignal.abort(reason) });
      await expect(asked).rejects.toBe(reason);
    });
  });
}

function request(tools: readonly Tool[] = [weather]): ChatRequest {
  const hello: Message = {
    id: "message_1",
    role: "user",
    contents: [{ type: "text", text: "hello" }],
    createdAt: 0,
  };
  return { messages: [hello], options: { instructions: "Be brief.", tools } };
}

async function streamed(
  client: ChatClient,
  tools?: readonly Tool[],
): Promise<{ response: ChatResponse; updates: Update[] }> {
  const updates: Update[] = [];
  const response = await client.getResponse({
    ...request(tools),
    onUpdate: (update) => {
      updates.push(update);
    },
  });
  return { response, updates };
}

/** What two answers have in common when only ids and times differ. */
function comparable(response: ChatResponse): unknown {
  return {
    messages: response.messages.map(({ role, contents }) => ({
      role,
      contents: contents.map(({ providerData, ...content }) => ({
        ...content,
        // Its ids are new with each answer.
        ...(providerData && { providerData: kindsIn(providerData) }),
      })),
    })),
    finishReason: response.finishReason,
    usage: response.usage,
  };
}

function kindsIn(data: NonNullable<Content["providerData"]>): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value) =>
    typeof value === "string" ? "(text)" : value,
  );
}

function callsIn(response: ChatResponse) {
  return response.messages.flatMap((message) =>
    message.contents.filter((content) => content.type === "function_call"),
  );
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
