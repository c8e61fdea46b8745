import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { FunctionCallContent, ToolTraits } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { Run } from "../run/run.js";
import { tool } from "../tools/function-tool.js";
import type { ApprovalDecision, FunctionTool } from "../tools/tool.js";
import {
  type ApprovalPreset,
  type ToolApprovalOptions,
  type ToolApprovalRule,
  toolApproval,
} from "./tool-approval.js";
import { type Verdict, VerdictContext } from "./verdict.js";

const run: Verdict = { kind: "run" };
const ask: Verdict = { kind: "ask" };

interface Call {
  readonly name?: string;
  readonly owner?: string | undefined;
  readonly traits?: ToolTraits;
  readonly arguments?: JsonObject;
  /** What the inside says. */
  readonly own?: Verdict;
  readonly decision?: ApprovalDecision;
}

/** What a middleware says of a call. */
async function verdictOn(options: ToolApprovalOptions, call: Call = {}): Promise<Verdict> {
  const { name = "send", owner, traits, arguments: args = {}, own = run, decision } = call;
  const called: FunctionCallContent = {
    type: "function_call",
    callId: "c1",
    name,
    arguments: args,
  };
  const context = new VerdictContext({
    tool: tool({ name, owner, ...traits }) as FunctionTool,
    call: called,
    arguments: args,
    batch: [called],
    run: new Run(),
    input: args,
    ended: () => {},
    decision,
  });
  return (await toolApproval(options).verdict(context, async () => own)) as Verdict;
}

const harmless: ToolTraits = { readOnly: true };
const presets: readonly ApprovalPreset[] = ["default", "readOnly", "all", "full"];

type Kind = ToolApprovalRule["verdict"];

/** A rule about the tool "send". */
function rule(kind: Kind, more: Partial<ToolApprovalRule> = {}): ToolApprovalRule {
  return { tool: "send", verdict: kind, ...more };
}
const ruled = (kind: Kind, more: Partial<ToolApprovalRule> = {}): ToolApprovalOptions => ({
  rules: [rule(kind, more)],
});

describe("a preset", () => {
  /** What becomes of a call under `default`, `readOnly`, `all` and `full`. */
  const table: readonly [ToolTraits, string][] = [
    [{}, "ask ask ask run"],
    [{ readOnly: true }, "run run ask run"],
    [{ readOnly: false }, "ask ask ask run"],
    [{ destructive: true }, "ask ask ask run"],
    [{ destructive: false }, "run ask ask run"],
    [{ destructive: false, readOnly: false }, "run ask ask run"],
    [{ destructive: false, readOnly: true }, "run run ask run"],
    [{ runsCode: true }, "ask ask ask run"],
    [{ runsCode: false }, "ask ask ask run"],
    [{ runsCode: true, destructive: false }, "ask ask ask run"],
    [{ runsCode: false, readOnly: true }, "run run ask run"],
    [{ runsCode: false, destructive: false }, "run ask ask run"],
    [{ trust: "trusted" }, "ask ask ask run"],
    [{ trust: "trusted", readOnly: true }, "run run ask run"],
    [{ trust: "trusted", destructive: false }, "run ask ask run"],
    [{ trust: "external" }, "ask ask ask run"],
    [{ trust: "external", readOnly: true }, "ask ask ask run"],
    [{ trust: "external", destructive: false }, "ask ask ask run"],
    [{ trust: "external", runsCode: true }, "ask ask ask run"],
  ];

  it.each(table)("reads what a tool declares: %j → %s", async (traits, expected) => {
    const verdicts = await Promise.all(presets.map((preset) => verdictOn({ preset }, { traits })));
    expect(verdicts.map(({ kind }) => kind).join(" ")).toBe(expected);
    expect(await verdictOn({}, { traits })).toEqual(verdicts[0]);
  });

  it.each<[ApprovalPreset, ToolTraits, string]>([
    ["default", {}, "the tool does not say what it may do"],
    ["default", { destructive: true }, "it may destroy something"],
    ["default", { runsCode: true }, "it runs a shell or code"],
    ["default", { trust: "external", readOnly: true }, "the tool is not this program's own"],
    ["readOnly", { destructive: false }, "it may change something"],
    ["readOnly", { runsCode: true }, "it runs a shell or code"],
    ["all", { readOnly: true }, "every call is asked about"],
  ])("says why it asks: %s, %j", async (preset, traits, reason) => {
    expect(await verdictOn({ preset }, { traits })).toEqual({ kind: "ask", reason });
  });

  it("never reads names", async () => {
    const names = fc.constantFrom("read_file", "delete_everything", "exec", "send");
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.constantFrom(...table.map(([traits]) => traits)),
        fc.constantFrom(...presets),
        fc.option(fc.constantFrom("fs", "shell"), { nil: undefined }),
        async (name, traits, preset, owner) => {
          const named = await verdictOn({ preset }, { name, traits, owner });
          expect(named).toEqual(await verdictOn({ preset }, { traits }));
        },
      ),
    );
  });

  it("leaves a question of the tool itself as it is, and only full does without it", async () => {
    const own: Verdict = { kind: "ask", reason: "large", summary: "Pay 500?" };
    for (const preset of ["default", "readOnly", "all"] as const) {
      for (const traits of [{}, harmless]) {
        expect(await verdictOn({ preset }, { traits, own })).toBe(own);
      }
    }
    expect(await verdictOn({ preset: "full" }, { own })).toEqual(run);
  });
});

describe("a rule", () => {
  it("counts before the preset, and before what the tool itself wants asked", async () => {
    const call = { traits: { destructive: true }, own: ask } as const;
    expect(await verdictOn(ruled("run"), call)).toEqual(run);
    expect(await verdictOn(ruled("ask"), { traits: harmless })).toEqual(ask);
    expect(await verdictOn({ preset: "full", ...ruled("ask") })).toEqual(ask);
    expect(await verdictOn({ preset: "full", ...ruled("deny") })).toMatchObject({ kind: "deny" });
  });

  it("tells its reason to the person who is asked, or to the model", async () => {
    const reason = "no mail at night.";
    expect(await verdictOn(ruled("ask", { reason }))).toEqual({ kind: "ask", reason });
    const message = "not run: no mail at night.";
    expect(await verdictOn(ruled("deny", { reason }))).toEqual({ kind: "deny", message });
    const unsaid = "not run: this is not allowed.";
    expect(await verdictOn(ruled("deny"))).toEqual({ kind: "deny", message: unsaid });
  });

  it("of several that fit the strictest counts, wherever it stands", async () => {
    const kinds = fc.constantFrom<Kind>("run", "ask", "deny");
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 5 }), async (list) => {
        const strictest = (["deny", "ask", "run"] as const).find((kind) => list.includes(kind));
        expect((await verdictOn({ rules: list.map((kind) => rule(kind)) })).kind).toBe(strictest);
      }),
    );
  });

  it("of one kind the first counts", async () => {
    const rules = ["one", "two"].map((reason) => rule("ask", { reason }));
    expect(await verdictOn({ rules })).toEqual({ kind: "ask", reason: "one" });
  });

  const to = (name: string): JsonObject => ({ to: { name, tags: ["a", "b"] } });
  it.each<[Partial<ToolApprovalRule>, JsonObject, boolean]>([
    [{}, {}, true],
    [{}, to("ann"), true],
    [{ tool: "sen" }, {}, false],
    [{ tool: "Send" }, {}, false],
    [{ tool: "send*" }, {}, false],
    [{ arguments: {} }, {}, true],
    [{ arguments: {} }, { cc: null }, false],
    [{ arguments: {} }, to("ann"), false],
    [{ arguments: to("ann") }, { to: { tags: ["a", "b"], name: "ann" } }, true],
    [{ arguments: to("ann") }, { ...to("ann"), cc: "bob" }, false],
    [{ arguments: to("ann") }, to("bob"), false],
    [{ arguments: { to: { name: "ann" } } }, to("ann"), false],
    [{ matching: to("ann") }, to("ann"), true],
    [{ matching: to("ann") }, { ...to("ann"), cc: "bob" }, true],
    [{ matching: to("ann") }, to("bob"), false],
    [{ matching: { to: { name: "ann" } } }, to("ann"), false],
    [{ matching: { cc: null } }, to("ann"), false],
    [{ matching: { toString: "x" } }, {}, false],
  ])("fits or not: %j, of a call with %j", async (more, args, fits) => {
    const call = { traits: harmless, arguments: args };
    expect((await verdictOn(ruled("deny", more), call)).kind).toBe(fits ? "deny" : "run");
  });

  it.each<[string | undefined, string | undefined]>([
    [undefined, "bank"],
    ["bank", undefined],
    ["bank", "Bank"],
    ["", undefined],
    [undefined, ""],
  ])("of the owner %j lets no tool of the owner %j run", async (owner, other) => {
    for (const kind of ["ask", "deny"] as const) {
      const options = ruled(kind, { owner });
      // What holds a call up may mean everybody's tool of that name; what lets it run, never does.
      const reached = owner === undefined ? kind : "run";
      expect((await verdictOn(options, { traits: harmless, owner: other })).kind).toBe(reached);
      expect((await verdictOn(options, { traits: harmless, owner })).kind).toBe(kind);
    }
    const lenient: ToolApprovalOptions = { preset: "all", ...ruled("run", { owner }) };
    expect((await verdictOn(lenient, { owner: other })).kind).toBe("ask");
    expect((await verdictOn(lenient, { owner })).kind).toBe("run");
  });

  it("lets an external tool run only where it names its owner, too", async () => {
    const traits: ToolTraits = { trust: "external", readOnly: true };
    const kindOf = async (options: ToolApprovalOptions, owner?: string) =>
      (await verdictOn(options, { traits, owner })).kind;
    expect(await kindOf(ruled("run"))).toBe("ask");
    expect(await kindOf(ruled("run"), "mail")).toBe("ask");
    expect(await kindOf(ruled("run", { owner: "mail" }), "mail")).toBe("run");
    expect(await kindOf(ruled("run", { owner: "mail" }), "other")).toBe("ask");
    expect(await kindOf(ruled("deny"))).toBe("deny");
  });
});

describe("decide", () => {
  const said = { kind: "ask", reason: "why", summary: "Send?" } as const;
  it.each<[ReturnType<NonNullable<ToolApprovalOptions["decide"]>>, Verdict]>([
    ["run", run],
    ["ask", ask],
    ["deny", { kind: "deny", message: "not run: this is not allowed." }],
    [{ kind: "run" }, run],
    [said, said],
    [
      { kind: "ask", violation: "limit" },
      { kind: "ask", violation: "limit" },
    ],
    [
      { kind: "deny", message: "no" },
      { kind: "deny", message: "no" },
    ],
    [undefined, { kind: "ask", reason: "it may destroy something" }],
    [Promise.resolve("run"), run],
    [Promise.resolve(said), said],
    [Promise.resolve(undefined), { kind: "ask", reason: "it may destroy something" }],
  ])("may say %j", async (decided, verdict) => {
    const traits = { destructive: true };
    expect(await verdictOn({ decide: () => decided }, { traits })).toEqual(verdict);
  });

  it("is asked where no rule fits, and no rule that does not fit counts", async () => {
    const decide = vi.fn(() => "run" as const);
    const rules = [rule("deny", { arguments: {} })];
    expect((await verdictOn({ rules, decide })).kind).toBe("deny");
    expect(decide).not.toHaveBeenCalled();
    expect((await verdictOn({ rules, decide }, { arguments: { a: 1 } })).kind).toBe("run");
    expect(decide).toHaveBeenCalledTimes(1);
  });

  it("sees the whole call", async () => {
    const decide = vi.fn((_context: VerdictContext) => "run" as const);
    await verdictOn({ decide }, { name: "pay", arguments: { amount: 5 } });
    expect(decide.mock.calls[0]?.[0]).toMatchObject({
      tool: { name: "pay" },
      call: { callId: "c1" },
      arguments: { amount: 5 },
      batch: [{ callId: "c1" }],
      run: expect.any(Run),
    });
  });

  it("may fail: nothing runs then", async () => {
    const error = new Error("no idea");
    const thrown = (): never => {
      throw error;
    };
    await expect(verdictOn({ decide: thrown })).rejects.toBe(error);
    await expect(verdictOn({ decide: async () => thrown() })).rejects.toBe(error);
  });
});

describe("what is decided elsewhere", () => {
  const decision: ApprovalDecision = { requestId: "r1", approved: true, edited: false };
  it.each<[string, Call]>([
    ["a denial further in", { own: { kind: "deny", message: "no" } }],
    ["a violation", { own: { kind: "ask", violation: "limit" } }],
    ["a call that a person has approved", { decision }],
    ["a question about one that a person has approved", { decision, own: ask }],
  ])("stays so: %s", async (_what, call) => {
    const decide = vi.fn(() => "run" as const);
    for (const preset of presets) {
      for (const kind of ["run", "ask", "deny"] as const) {
        expect(await verdictOn({ preset, ...ruled(kind), decide }, call)).toBe(call.own ?? run);
      }
      expect(await verdictOn({ preset, decide }, call)).toBe(call.own ?? run);
    }
    expect(decide).not.toHaveBeenCalled();
  });
});

describe("toolApproval", () => {
  it("is named, so that a run can replace it", () => {
    expect(toolApproval().name).toBe("tool-approval");
    expect(toolApproval({ name: "mine" }).name).toBe("mine");
  });

  it("takes members that are undefined for ones that were left out", async () => {
    const nothing = { name: undefined, preset: undefined, rules: undefined, decide: undefined };
    expect(toolApproval(nothing).name).toBe("tool-approval");
    expect((await verdictOn(nothing, { traits: harmless })).kind).toBe("run");
    const rest = { owner: undefined, arguments: undefined, matching: undefined, reason: undefined };
    expect((await verdictOn(ruled("deny", rest))).kind).toBe("deny");
  });
});
