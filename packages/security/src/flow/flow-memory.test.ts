import { AgentSession, type JsonObject, type Message } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { variableStore } from "../variables/variable-store.js";
import { explain } from "./decisions.js";
import { flowMemoryIn, own, put } from "./flow-memory.js";
import { hiddenValues } from "./hidden-values.js";
import { flowTrace, simulate } from "./simulate.js";

const key = "tunic.flow";

/** A session as a store brings it back. */
function stored(memory: unknown, messages: readonly Message[] = []): AgentSession {
  const session = AgentSession.fromJSON({ ...new AgentSession().toJSON(), messages });
  session.state[key] = memory as JsonObject;
  return session;
}

const said: Message = {
  id: "m1",
  role: "assistant",
  createdAt: 0,
  contents: [{ type: "text", text: "x" }],
  additionalProperties: { label: { integrity: "trusted", confidentiality: "public" } },
};

describe("flowMemoryIn", () => {
  it("begins empty, and is the same object from then on", () => {
    const session = new AgentSession();
    const memory = flowMemoryIn(session);
    expect(memory).toMatchObject({ version: 1, next: 1, bytes: 0, bits: 0, variables: {} });
    expect(flowMemoryIn(session)).toBe(memory);
  });

  it("survives JSON", () => {
    const session = new AgentSession();
    const memory = flowMemoryIn(session);
    put(memory.resources, "__proto__", { integrity: "untrusted", confidentiality: "public" });
    memory.bits = 3;
    variableStore(memory).add(
      "x",
      { integrity: "untrusted", confidentiality: "public" },
      { tool: "read" },
    );
    const read = flowMemoryIn(stored(JSON.parse(JSON.stringify(memory))));
    expect(JSON.stringify(read)).toBe(JSON.stringify(memory));
    expect(own(read.resources, "__proto__")).toEqual({
      integrity: "untrusted",
      confidentiality: "public",
    });
    expect(Object.getPrototypeOf(read.resources)).toBe(Object.prototype);
  });

  it("never throws, whatever was stored, nor do those who read it", () => {
    const names = ["version", "variables", "next", "bytes", "messages", "resources", "held"];
    const others = [
      "definitions",
      "permits",
      "bits",
      "decisions",
      "lowered",
      "children",
      "__proto__",
    ];
    const any = fc.jsonValue({ maxDepth: 3 });
    const broken = fc.dictionary(
      fc.constantFrom(...names, ...others),
      fc.oneof(any, fc.dictionary(fc.constantFrom("v1", "v2", "c", "__proto__"), any)),
    );
    fc.assert(
      fc.property(fc.oneof(any, broken), (memory) => {
        const session = stored(memory, [said]);
        const read = flowMemoryIn(session);
        expect(Number.isSafeInteger(read.next) && read.next >= 1).toBe(true);
        expect(read.bits).toBeGreaterThanOrEqual(0);
        for (const { id, origin } of hiddenValues(session)) {
          expect(variableStore(read).get(id)?.origin).toEqual(origin);
        }
        explain(session, "c");
        simulate(flowTrace(session), { version: 1, tools: {} });
        const id = variableStore(read).add(
          "new",
          { integrity: "untrusted", confidentiality: "public" },
          {},
        );
        expect(variableStore(read).get(id)?.value).toBe("new");
        expect(({} as Record<string, unknown>)["value"]).toBeUndefined();
      }),
    );
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a text", "x"],
    ["a list", []],
    ["another version", { version: 2, messages: {} }],
    ["no version", { messages: {} }],
    ["broken messages", { version: 1, messages: 5 }],
    ["no messages", { version: 1 }],
  ])("believes no message of a session whose memory is %s", (_what, memory) => {
    const { messages } = flowMemoryIn(stored(memory, [said]));
    expect(own(messages, "m1")).toEqual({});
  });

  it("believes a session that has none yet, and one that is whole", () => {
    expect(flowMemoryIn(stored(undefined, [said])).messages).toEqual({});
    expect(flowMemoryIn(stored({ version: 1, messages: {} }, [said])).messages).toEqual({});
  });

  it("does not give an id again, nor a budget back", () => {
    const variable = { value: 1, label: {}, origin: {} };
    for (const next of [1, 0, -1, 1.5, "7", null, undefined]) {
      const memory = flowMemoryIn(
        stored({ version: 1, next, variables: { v7: variable, v2: variable } }),
      );
      expect(memory.next).toBe(8);
    }
    for (const bits of [-1, "3", null, undefined]) {
      expect(flowMemoryIn(stored({ version: 1, bits })).bits).toBe(Number.MAX_SAFE_INTEGER);
    }
  });

  it("leaves out what is no variable, and of an origin what is no text", () => {
    const variables = {
      v1: null,
      v2: 5,
      v3: {},
      v4: { value: "x", label: "trusted", origin: { tool: "read", path: 3, other: "y" } },
    };
    expect(hiddenValues(stored({ version: 1, variables }))).toEqual([
      { id: "v4", value: "x", label: "trusted", origin: { tool: "read" } },
    ]);
  });
});
