import { canonicalJson, type JsonObject, type JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "./digest.js";
import {
  type FlowAuditEntry,
  type FlowAuditInput,
  type FlowAuditKind,
  memoryFlowAudit,
  verifyFlowAudit,
} from "./flow-audit.js";

const kinds: readonly FlowAuditKind[] = ["label", "hide", "verdict", "endorse", "policy"];
const inputs: fc.Arbitrary<FlowAuditInput> = fc.record({
  at: fc.nat(),
  session: fc.option(fc.string(), { nil: undefined }),
  run: fc.string(),
  kind: fc.constantFrom(...kinds),
  details: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => value as JsonObject),
});

function logOf(given: readonly FlowAuditInput[], limit = 10_000): readonly FlowAuditEntry[] {
  const audit = memoryFlowAudit({ limit });
  for (const input of given) audit.append(input);
  return audit.entries;
}

const logs = (minLength: number) =>
  fc.array(inputs, { minLength, maxLength: 8 }).map((given) => logOf(given));

const input: FlowAuditInput = {
  at: 7,
  session: "s",
  run: "r",
  kind: "verdict",
  details: { tool: "send", arguments: digest({ to: "ann" }) },
};

describe("memoryFlowAudit", () => {
  it("chains each entry to the one before", () => {
    const audit = memoryFlowAudit();
    const first = audit.append(input);
    const second = audit.append({ ...input, at: 8, session: undefined });
    const { hash, ...rest } = first;
    expect(rest).toEqual({ ...input, index: 0, previous: "" });
    expect(hash).toBe(digest({ ...input, session: "s", index: 0, previous: "" }));
    expect(second).toMatchObject({ index: 1, at: 8, previous: hash });
    expect(audit.entries).toEqual([first, second]);
  });

  it("gives entries that nobody can change, with details of their own", () => {
    const details = { list: [{ a: 1 }] };
    const audit = memoryFlowAudit();
    const entry = audit.append({ ...input, details });
    details.list.push({ a: 2 });
    expect(entry.details).toEqual({ list: [{ a: 1 }] });
    expect(Object.isFrozen(entry)).toBe(true);
    const list = entry.details["list"] as readonly JsonValue[];
    expect([entry.details, list, list[0]].every(Object.isFrozen)).toBe(true);
  });

  it("gives a list that later entries do not change", () => {
    const audit = memoryFlowAudit();
    audit.append(input);
    const { entries } = audit;
    audit.append(input);
    expect(entries).toHaveLength(1);
    expect(audit.entries).toHaveLength(2);
  });

  it("keeps the last entries and goes on with the chain", () => {
    fc.assert(
      fc.property(
        fc.array(inputs, { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (given, limit) => {
          const kept = logOf(given, limit);
          expect(kept).toEqual(logOf(given).slice(-limit));
          expect(verifyFlowAudit(kept)).toEqual({ ok: true });
        },
      ),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, "5"])("does not take the limit %j", (limit) => {
    const make = () => memoryFlowAudit({ limit: limit as number });
    expect(make).toThrow(expect.objectContaining({ code: "invalid_option" }));
  });

  it("names a misspelt option", () => {
    expect(() => memoryFlowAudit({ limits: 3 } as object)).toThrow('did you mean "limit"');
  });
});

describe("verifyFlowAudit", () => {
  it("finds nothing in a log as it was written, whole or in part, after JSON too", () => {
    fc.assert(
      fc.property(logs(0), fc.nat(8), fc.nat(8), (log, from, to) => {
        const part = log.slice(from, to);
        expect(verifyFlowAudit(log)).toEqual({ ok: true });
        expect(verifyFlowAudit(JSON.parse(JSON.stringify(part)))).toEqual({ ok: true });
      }),
    );
  });

  it("finds any member that was changed, taken away or added, and where", () => {
    const value = fc.jsonValue().map((each) => each as JsonValue);
    const name = fc.oneof(
      fc.constantFrom("index", "at", "session", "run", "kind", "details", "previous", "hash"),
      fc.string(),
    );
    fc.assert(
      fc.property(
        logs(1),
        fc.nat(),
        name,
        fc.option(value, { nil: undefined }),
        (log, at, key, to) => {
          const index = at % log.length;
          const changed = changedAt(log, index, { [key]: to });
          fc.pre(canonicalJson(changed) !== canonicalJson(log));
          expect(verifyFlowAudit(changed)).toMatchObject({ ok: false, index });
        },
      ),
    );
  });

  it("finds a change of any detail", () => {
    fc.assert(
      fc.property(logs(1), fc.nat(), fc.string(), fc.jsonValue(), (log, at, key, to) => {
        const index = at % log.length;
        const details = { ...log[index]?.details, [key]: to as JsonValue };
        const changed = changedAt(log, index, { details });
        fc.pre(canonicalJson(changed) !== canonicalJson(log));
        expect(verifyFlowAudit(changed)).toMatchObject({ ok: false, index });
      }),
    );
  });

  it("finds an entry that was changed and hashed anew, by the one behind it", () => {
    fc.assert(
      fc.property(logs(2), fc.nat(), (log, at) => {
        const index = at % (log.length - 1);
        const { hash: _, session, ...rest } = log[index] as FlowAuditEntry;
        const forged = { ...rest, ...(session !== undefined && { session }), at: rest.at + 1 };
        const changed = changedAt(log, index, { at: forged.at, hash: digest(forged) });
        expect(verifyFlowAudit(changed)).toMatchObject({ ok: false, index: index + 1 });
      }),
    );
  });

  it("finds an entry that was dropped between others", () => {
    fc.assert(
      fc.property(logs(3), fc.nat(), (log, at) => {
        const index = 1 + (at % (log.length - 2));
        expect(verifyFlowAudit(log.toSpliced(index, 1))).toMatchObject({ ok: false, index });
      }),
    );
  });

  it("finds two entries that have changed places", () => {
    fc.assert(
      fc.property(logs(2), fc.nat(), fc.nat(), (log, a, b) => {
        const [i, j] = [a % log.length, b % log.length].sort((x, y) => x - y) as [number, number];
        fc.pre(i !== j);
        const swapped = log.with(i, log[j] as FlowAuditEntry).with(j, log[i] as FlowAuditEntry);
        expect(verifyFlowAudit(swapped).ok).toBe(false);
      }),
    );
  });

  it("finds an entry that was inserted, be it from the same log or from another", () => {
    fc.assert(
      fc.property(logs(2), logs(1), fc.nat(), fc.nat(), (log, other, at, from) => {
        const index = 1 + (at % (log.length - 1));
        const pool = [...log, ...other];
        const inserted = log.toSpliced(index, 0, pool[from % pool.length] as FlowAuditEntry);
        expect(verifyFlowAudit(inserted).ok).toBe(false);
      }),
    );
  });

  it("finds the ends of two logs that were put together", () => {
    const [a] = logOf([input]);
    const [, b] = logOf([{ ...input, at: 9 }, input]);
    expect(verifyFlowAudit([a, b] as FlowAuditEntry[])).toEqual({
      ok: false,
      index: 1,
      reason: "The entry follows another one than the entry that stands before it.",
    });
  });

  it("finds an entry that skips a number, even where hashes are right", () => {
    const [first] = logOf([input]) as [FlowAuditEntry];
    const rest = { ...input, session: "s", index: 2, previous: first.hash };
    expect(verifyFlowAudit([first, { ...rest, hash: digest(rest) }])).toEqual({
      ok: false,
      index: 1,
      reason: "Entry 2 follows entry 0: entries are missing, doubled or moved.",
    });
  });

  it("finds a first entry that claims one before it", () => {
    const rest = { ...input, session: "s", index: 0, previous: "x" };
    expect(verifyFlowAudit([{ ...rest, hash: digest(rest) }])).toMatchObject({
      ok: false,
      index: 0,
    });
  });

  it("does not fail at what is no log", () => {
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const bare = { run: "r" };
    const odd: readonly unknown[] = [
      null,
      7,
      "x",
      [],
      {},
      { deep },
      { ...bare, hash: digest(bare) },
    ];
    for (const entry of odd) {
      expect(verifyFlowAudit([entry] as FlowAuditEntry[])).toMatchObject({ ok: false, index: 0 });
    }
  });
});

/** As JSON would bring it: members that are undefined are not there. */
function changedAt(
  log: readonly FlowAuditEntry[],
  index: number,
  members: Readonly<Record<string, JsonValue | undefined>>,
): readonly FlowAuditEntry[] {
  return log.with(index, { ...log[index], ...members } as FlowAuditEntry);
}
