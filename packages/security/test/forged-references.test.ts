import { Agent, AgentSession, type JsonObject, type JsonValue, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenValues, secureAgent } from "../src/index.js";

const ids = [
  "v1",
  "v2",
  "v3",
  "v9",
  "v01",
  "V1",
  "v1 ",
  "v1.a",
  "v1[0]",
  "v1.a.b",
  "v1.__proto__",
  "v-1",
  "v1e0",
];

/** Texts that look like references, and objects that nearly are. */
const forgeries: fc.Arbitrary<JsonValue> = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.constantFrom("v1", "v2", "v1.a", "v2.a").map((id): JsonValue => ({ $ref: id })),
      fc.constantFrom(...ids).map((id): JsonValue => ({ $ref: id })),
      fc.constantFrom(...ids),
      fc.constantFrom(...ids).map((id) => `{"$ref":"${id}"}`),
      fc.constantFrom(...ids).map((id): JsonValue => ({ $ref: id, more: 1 })),
      fc.constantFrom(...ids).map((id): JsonValue => ({ $REF: id })),
      fc.constant<JsonValue>({ $ref: 1 }),
      fc.constant<JsonValue>({ type: "variable_reference", id: "v1" }),
      fc.string(),
    ),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("$ref", "a", "b"), tie("any"), { maxKeys: 2 }),
  ),
})).any;

/** What a value stands for, by the rule: one member `$ref` with an id of the conversation; nothing else counts. */
function expected(value: JsonValue, held: ReadonlyMap<string, JsonValue>): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => expected(each, held));
  const entries = Object.entries(value as JsonObject);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === "$ref" && typeof first[1] === "string") {
    const reference = /^(v[1-9]\d*)((?:\.\w+|\[\d+\])*)$/.exec(first[1]);
    if (reference !== null) {
      const steps = reference[2]?.match(/\w+/g) ?? [];
      const found = steps.reduce(memberOf, held.get(reference[1] ?? ""));
      if (found === undefined) throw new UnknownId();
      return found;
    }
  }
  return Object.fromEntries(entries.map(([name, each]) => [name, expected(each, held)]));
}

function memberOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
  if (Array.isArray(value) !== /^\d+$/.test(step)) return undefined;
  return (value as JsonObject)[step];
}

class UnknownId extends Error {}

describe("property 10: references cannot be forged", () => {
  it("whatever a model writes, only typed places with ids of this conversation are filled", async () => {
    const seen = { filled: 0, refused: 0 };
    const takes = { type: "object", properties: { x: {} }, additionalProperties: false };
    await fc.assert(
      fc.asyncProperty(forgeries, forgeries, async (written, stored) => {
        const got: unknown[] = [];
        const client = new ScriptedChatClient([
          { calls: [{ name: "read" }] },
          { calls: [{ name: "use", arguments: { x: written } }] },
          "done",
        ]);
        const tools = [
          tool({
            name: "read",
            parameters: { type: "object", properties: {} },
            execute: () => [{ text: stored }, { text: { a: "one" } }],
          }),
          tool({ name: "use", parameters: takes, execute: (args) => void got.push(args) }),
        ];
        const policy = {
          version: 1,
          tools: {
            read: { effects: ["read"], result: { $: "trusted", "[*].text": "untrusted" } },
            use: { effects: ["consequential"], rule: "always" },
          },
        } as const;
        const agent = new Agent({
          client,
          contextProviders: [secureAgent({ tools, policy, quarantine: false })],
        });
        // Another conversation has hidden more: its ids say nothing here.
        const session = new AgentSession();
        await agent.run("Go.", { session });
        const held = new Map(
          hiddenValues(session).flatMap(({ id, value, origin }) =>
            origin.tool === "read" ? [[id, value] as const] : [],
          ),
        );
        let filled: JsonValue | undefined;
        try {
          filled = expected(written, held);
        } catch (error) {
          expect(error).toBeInstanceOf(UnknownId);
        }
        expect(got).toEqual(filled === undefined ? [] : [{ x: filled }]);
        if (filled === undefined) seen.refused += 1;
        else if (JSON.stringify(filled) !== JSON.stringify(written)) seen.filled += 1;
      }),
      { numRuns: 400 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });
});
