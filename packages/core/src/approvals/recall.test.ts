import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../messages/json.js";
import { systemEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import { tool } from "../tools/function-tool.js";
import type { FunctionTool } from "../tools/tool.js";
import { matches } from "./matches.js";
import { recall } from "./recall.js";
import { rememberingSession, spendRemembered } from "./remembering-session.js";
import { requestedTool } from "./requested-tool.js";

const pay = tool({ name: "pay", description: "Pays." }) as FunctionTool;
const environment = { ...systemEnvironment, now: () => 1000 };
const args: JsonObject = { amount: 5, to: { iban: "DE1", bank: ["a"] } };

type Part = Partial<RememberedDecision>;

/** A session that remembers these, the oldest first, about the tool "pay" unless they say otherwise. */
async function sessionWith(...decisions: readonly Part[]): Promise<AgentSession> {
  const { hash } = await requestedTool(pay);
  const session = new AgentSession();
  AgentSession.remember(
    session,
    decisions.map((each, at) => ({
      id: `d${at}`,
      approved: true,
      tool: { name: "pay", hash },
      scope: "tool",
      requestId: `r${at}`,
      createdAt: at,
      ...each,
    })),
  );
  return session;
}

/** The id of the decision that counts for a call. */
async function counts(
  session: AgentSession,
  call: JsonObject = args,
  of: FunctionTool = pay,
): Promise<string | undefined> {
  return (await recall(new Run({ session, environment }), of, call))?.id;
}

describe("what a remembered decision is about", () => {
  const scopes: readonly [string, RememberedDecision["scope"], boolean][] = [
    ["the tool", "tool", true],
    [
      "exactly these arguments",
      { arguments: { to: { bank: ["a"], iban: "DE1" }, amount: 5 } },
      true,
    ],
    ["fewer arguments", { arguments: { amount: 5 } }, false],
    ["more arguments", { arguments: { ...args, note: "x" } }, false],
    ["no arguments", { arguments: {} }, false],
    ["another argument", { arguments: { ...args, amount: 6 } }, false],
    ["an argument of another type", { arguments: { ...args, amount: "5" } }, false],
    ["one that matches", { matching: { amount: 5 } }, true],
    ["one that matches inside", { matching: { to: { bank: ["a"], iban: "DE1" } } }, true],
    ["all that match", { matching: args }, true],
    ["a part of one inside", { matching: { to: { iban: "DE1" } } }, false],
    ["one that matches and one that does not", { matching: { amount: 5, note: "x" } }, false],
    ["one that is not there", { matching: { note: "x" } }, false],
    ["null where there is nothing", { matching: { note: null } }, false],
    ["one that every object inherits", { matching: { constructor: {} } }, false],
    ["a pattern without members", { matching: {} }, false],
  ];

  it.each(scopes)("holds or not for %s", async (_what, scope, holds) => {
    expect(await counts(await sessionWith({ scope }))).toBe(holds ? "d0" : undefined);
  });

  it("a call without arguments is another one than a call with some", async () => {
    const session = await sessionWith({ scope: { arguments: {} } });
    expect(await counts(session, {})).toBe("d0");
    expect(await counts(session, { amount: 5 })).toBeUndefined();
  });

  it("is a tool of that name, that owner and that definition", async () => {
    const { hash } = await requestedTool(pay);
    for (const [about, holds] of [
      [{ name: "pay", hash }, true],
      [{ name: "Pay", hash }, false],
      [{ name: "pay", owner: "bank", hash }, false],
      [{ name: "pay", owner: "", hash }, false],
      [{ name: "pay", hash: `${hash}x` }, false],
    ] as const) {
      expect(await counts(await sessionWith({ tool: about }))).toBe(holds ? "d0" : undefined);
    }
  });

  it("does not reach another owner's tool of the same name, nor a tool that has changed", async () => {
    const session = await sessionWith({});
    const named = { name: "pay", description: "Pays." };
    expect(await counts(session, args, tool({ ...named, title: undefined }))).toBe("d0");
    expect(await counts(session, args, tool({ ...named, owner: "bank" }))).toBeUndefined();
    expect(
      await counts(session, args, tool({ ...named, description: "Pays all." })),
    ).toBeUndefined();
    expect(await counts(session, args, tool({ ...named, destructive: true }))).toBeUndefined();
  });
});

describe("how long a remembered decision holds", () => {
  it.each<[Part, boolean]>([
    [{}, true],
    [{ until: 1001 }, true],
    [{ until: 1000 }, false],
    [{ until: 999 }, false],
    [{ usesLeft: 1 }, true],
    [{ usesLeft: 0 }, false],
    [{ usesLeft: 3, until: 1000 }, false],
    [{ usesLeft: 0, until: 2000 }, false],
  ])("at 1000: %j", async (part, holds) => {
    expect(await counts(await sessionWith(part))).toBe(holds ? "d0" : undefined);
  });

  it("until it is revoked", async () => {
    const session = await sessionWith({}, { scope: { matching: { amount: 5 } } });
    expect(await counts(session)).toBe("d1");
    expect(session.revoke("d1")).toBe(true);
    expect(await counts(session)).toBe("d0");
    expect(session.revoke("d1")).toBe(false);
    expect(session.revoke("d0")).toBe(true);
    expect(await counts(session)).toBeUndefined();
  });
});

describe("of several remembered decisions", () => {
  const exact: Part = { scope: { arguments: args } };
  const matching: Part = { scope: { matching: { amount: 5 } } };
  const whole: Part = { scope: "tool" };

  it("the most specific one counts, however old it is", async () => {
    for (const order of [
      [exact, matching, whole],
      [whole, matching, exact],
      [matching, exact, whole],
      [matching, whole, exact],
    ]) {
      const session = await sessionWith(...order);
      expect(await counts(session)).toBe(`d${order.indexOf(exact)}`);
    }
    expect(await counts(await sessionWith(matching, whole))).toBe("d0");
    expect(await counts(await sessionWith(whole, matching))).toBe("d1");
  });

  it.each([
    ["exactly these arguments", exact],
    ["some arguments", matching],
    ["the tool", whole],
  ])("about %s the newest counts, a denial like an approval", async (_what, part) => {
    const denial = { ...part, approved: false };
    expect(await counts(await sessionWith(part, denial))).toBe("d1");
    expect(await counts(await sessionWith(denial, part))).toBe("d1");
    const run = new Run({ session: await sessionWith(part, denial), environment });
    expect(await recall(run, pay, args)).toMatchObject({ id: "d1", approved: false });
  });

  it("one that no longer holds, or is about something else, stands in nobody's way", async () => {
    const over = { ...exact, until: 1 };
    const used = { ...exact, usesLeft: 0 };
    const other = { scope: { arguments: { amount: 6 } } };
    expect(await counts(await sessionWith(whole, over, used, other))).toBe("d0");
  });

  it("counts the one that the rules name, in any set", async () => {
    const scope = fc.constantFrom<RememberedDecision["scope"]>(
      "tool",
      { arguments: args },
      { arguments: { amount: 6 } },
      { matching: { amount: 5 } },
      { matching: { amount: 6 } },
    );
    const part = fc.record<Required<Pick<RememberedDecision, "scope" | "until">>>({
      scope,
      until: fc.constantFrom(500, 2000),
    });
    const covering = ['"tool"', '{"matching":{"amount":5}}', JSON.stringify({ arguments: args })];
    const found = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const ranks = parts.map(({ scope, until }) =>
          until > 1000 ? covering.indexOf(JSON.stringify(scope)) : -1,
        );
        const best = Math.max(-1, ...ranks);
        const wanted = best < 0 ? undefined : `d${ranks.lastIndexOf(best)}`;
        found.add(wanted !== undefined);
        expect(await counts(await sessionWith(...parts))).toBe(wanted);
      }),
    );
    expect(found).toEqual(new Set([true, false]));
  });
});

describe("the session that remembers", () => {
  it("is the run's own, or else that of the nearest run around it", async () => {
    const [inner, outer] = [await sessionWith({ id: "inner" }), await sessionWith({ id: "outer" })];
    const parent = new Run({ session: outer, environment });
    const child = new Run({ parent });
    const grandchild = child.child();
    const own = new Run({ parent: child, session: inner });
    expect(rememberingSession(grandchild)).toBe(outer);
    expect(rememberingSession(own)).toBe(inner);
    expect(rememberingSession(new Run())).toBeUndefined();
    expect(rememberingSession(undefined)).toBeUndefined();
    expect((await recall(grandchild, pay, args))?.id).toBe("outer");
    expect((await recall(own, pay, args))?.id).toBe("inner");
    expect(await recall(new Run(), pay, args)).toBeUndefined();
  });

  it("is not asked further out when its own has nothing: another conversation decides nothing here", async () => {
    const parent = new Run({ session: await sessionWith({}), environment });
    const run = new Run({ parent, session: new AgentSession() });
    expect(await recall(run, pay, args)).toBeUndefined();
  });
});

describe("spendRemembered", () => {
  const left = (session: AgentSession) =>
    session.remembered.map(({ id, usesLeft }) => [id, usesLeft]);

  it("takes one use, and the last one takes the decision away", async () => {
    const session = await sessionWith({ usesLeft: 2 }, { usesLeft: 2 }, {});
    const run = new Run({ session, environment });
    const before = session.remembered;
    const [first] = before as [RememberedDecision];
    expect(spendRemembered(run, first)).toBe(true);
    expect(left(session)).toEqual([
      ["d0", 1],
      ["d1", 2],
      ["d2", undefined],
    ]);
    expect(before[0]?.usesLeft).toBe(2);
    expect(spendRemembered(run.child(), first)).toBe(true);
    expect(left(session)).toEqual([
      ["d1", 2],
      ["d2", undefined],
    ]);
    // Whoever counted on it as well comes too late.
    expect(spendRemembered(run, first)).toBe(false);
  });

  it("takes nothing of one without a number, of one that is not there, and without a session", async () => {
    const session = await sessionWith({}, { usesLeft: 1 });
    const run = new Run({ session, environment });
    const [unlimited, limited] = session.remembered as [RememberedDecision, RememberedDecision];
    expect(spendRemembered(run, unlimited)).toBe(true);
    expect(spendRemembered(run, { ...limited, id: "d9" })).toBe(false);
    expect(spendRemembered(new Run(), limited)).toBe(true);
    expect(left(session)).toEqual([
      ["d0", undefined],
      ["d1", 1],
    ]);
  });
});

describe("matches", () => {
  it("finds each member of the pattern, itself and equal", () => {
    const name = fc.constantFrom("a", "b", "__proto__", "toString");
    const value = fc.constantFrom<JsonObject[string]>(1, "1", null, {}, [], { a: 1 });
    const object = fc
      .array(fc.tuple(name, value), { maxLength: 4 })
      .map((members): JsonObject => JSON.parse(JSON.stringify(Object.fromEntries(members))));
    fc.assert(
      fc.property(object, object, (pattern, other) => {
        const wanted = Object.entries(pattern).every(
          ([name, value]) =>
            Object.hasOwn(other, name) && JSON.stringify(other[name]) === JSON.stringify(value),
        );
        expect(matches(pattern, other)).toBe(wanted);
        expect(matches(pattern, { ...other, ...pattern })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
