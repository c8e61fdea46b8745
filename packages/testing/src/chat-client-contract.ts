import { Agent, type ChatClient, ChatClientError, foldUpdates, textOf, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { callsIn, comparable } from "./comparable-response.js";
import { oddlyNamed, request, streamed, weatherOptions } from "./contract-request.js";
import type { ContractScenario } from "./contract-scenario.js";
import { deepFreeze } from "./deep-freeze.js";
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
        // What would still come after the answer is a fold of its own.
        for (let turn = 0; turn < 3; turn++) await macrotask();
        const fold = foldUpdates(updates);
        expect(fold.messages).toEqual(response.messages);
        expect(fold.usage).toEqual(response.usage);
        expect(fold.finishReason).toEqual(response.finishReason);
      },
    );

    scenario("text", "waits for a slow consumer", said, async (client) => {
      let busy = 0;
      let most = 0;
      const onUpdate = async (): Promise<void> => {
        most = Math.max(most, ++busy);
        await macrotask();
        busy--;
      };
      await client.getResponse({ ...request(), onUpdate });
      // Said out here: a client may keep to itself what the consumer throws.
      expect(most, "a second update came while the first was being worked on").toBe(1);
      expect(busy, "the answer came while its last update was being worked on").toBe(0);
    });

    scenario("text", "fails with what its consumer fails with", said, async (client) => {
      const failure = new Error("the consumer cannot go on");
      for (const onUpdate of [
        () => Promise.reject(failure),
        () => {
          throw failure;
        },
      ]) {
        const asked = client.getResponse({ ...request(), onUpdate });
        await expect(asked).rejects.toBe(failure);
      }
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
        const whole = () => client.getResponse(request());
        const inPieces = async () => (await streamed(client)).response;
        const ids = new Set<string>();
        for (const ask of [whole, inPieces, whole, inPieces]) {
          for (const message of (await ask()).messages) {
            expect(message.createdAt).toBeTypeOf("number");
            ids.add(message.id);
          }
        }
        expect(ids.size).toBe(4);
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

function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
