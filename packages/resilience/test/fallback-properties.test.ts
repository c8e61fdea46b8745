import { ChatClientError, foldUpdates, textOf, type Update } from "@tunic/core";
import type { ScriptedAnswer } from "@tunic/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fallbackClient, routeClient } from "../src/index.js";
import { play, rejection, request, scripted } from "./support.js";

/** What a client does when it is asked. */
interface Behaviour {
  readonly fails: boolean;
  readonly code: string;
  readonly retryable: boolean;
  readonly pieces: number;
  readonly nested: boolean;
}

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  fails: fc.boolean(),
  code: fc.constantFrom("overloaded", "authentication", "bad_request"),
  retryable: fc.boolean(),
  pieces: fc.nat(2),
  nested: fc.boolean(),
});

const scene = fc.record({
  clients: fc.array(behaviour, { minLength: 1, maxLength: 5 }),
  afterUpdates: fc.boolean(),
  streamed: fc.boolean(),
  inAgent: fc.boolean(),
});

type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

/** The rule in words of its own: how many are asked, and whether the last of them answers. */
function expected({ clients, afterUpdates, streamed }: Scene): { asked: number; works: boolean } {
  for (const [index, { fails, code, pieces }] of clients.entries()) {
    const asked = index + 1;
    if (!fails) return { asked, works: true };
    if (code === "bad_request") return { asked, works: false };
    if (streamed && pieces > 0 && !afterUpdates) return { asked, works: false };
  }
  return { asked: clients.length, works: false };
}

const textOfClient = (index: number) => `client ${index} has said it`;

function turnOf({ fails, code, retryable, pieces }: Behaviour, index: number): ScriptedAnswer {
  const text = textOfClient(index);
  if (!fails) return { text, usage: { inputTokens: index, outputTokens: 1 } };
  return { text, error: new ChatClientError(code, "No.", { retryable }), errorAfter: pieces };
}

it("asks as many as the rule says, and the consumer has the response", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const { clients, afterUpdates, streamed, inAgent } = given;
      const scripts = clients.map((each, index) => scripted(`${index}`, [turnOf(each, index)]));
      const client = fallbackClient(
        scripts.map((each, index) =>
          clients[index]?.nested ? routeClient([], { otherwise: fallbackClient([each]) }) : each,
        ),
        { afterUpdates },
      );
      const { asked, works } = expected(given);
      const updates: Update[] = [];
      const onUpdate = streamed ? (update: Update) => void updates.push(update) : undefined;
      const answer = async () => {
        if (inAgent) return play({ client }, { streamed }).finish();
        const response = await client.getResponse({ ...request(), onUpdate });
        if (streamed) {
          const fold = foldUpdates(updates);
          expect(fold.messages).toEqual(response.messages);
          expect(fold.usage).toEqual(response.usage);
        }
        return response;
      };
      if (works) {
        const { messages, usage } = await answer();
        expect(messages.map(textOf)).toEqual([textOfClient(asked - 1)]);
        expect(usage).toEqual({ inputTokens: asked - 1, outputTokens: 1 });
      } else {
        const error = await rejection(
          inAgent
            ? play({ client }, { streamed })
                .failure()
                .then((e) => Promise.reject(e))
            : answer(),
        );
        expect(error).toBeInstanceOf(ChatClientError);
        const failed = clients.slice(0, asked);
        expect(error).toMatchObject({ retryable: failed.some(({ retryable }) => retryable) });
      }
      expect(scripts.map(({ requests }) => requests.length)).toEqual(
        clients.map((_, index) => (index < asked ? 1 : 0)),
      );
    }),
    { numRuns: 300 },
  );
});
