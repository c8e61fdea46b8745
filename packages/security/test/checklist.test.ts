import {
  AgentSession,
  approve,
  type FunctionApprovalRequestContent,
  parseDecision,
  textContent,
  toolResult,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  explain,
  flowTrace,
  hiddenValues,
  labelOf,
  memoryFlowAudit,
  verifyFlowAudit,
} from "../src/index.js";
import { call, ref, World, type WorldOptions } from "./support/world.js";

// What an existing implementation of this model checks, line by line, except where this package does
// otherwise on purpose:
// - A label that a result brings does not win over the declared one: it can only restrict, and labels of
//   call, arguments and resources are joined in. There are no tiers, and no server whose word wins.
// - References are typed values, not `[var]` in texts: no text is searched and expanded, and there are no
//   keys of older forms.
// - A nested result is hidden leaf by leaf, not as one unit.
// - The label of the context is derived from what is sent: there is no reset.
// - Without a client for the quarantine there is no quarantine, and no placeholder for one.
// - Hints of a server (`readOnlyHint`) give no rights; only a policy does.

const policy = {
  read: { effects: ["read"] },
  book: { effects: ["read"], result: "trusted" },
  pay: { effects: ["consequential"], result: "trusted" },
  log: { effects: ["consequential"], rule: "always", result: "trusted" },
} satisfies WorldOptions["policy"];
const desk = {
  policy,
  tools: {
    read: { gives: "wicked" },
    book: { gives: "good" },
    pay: { takes: ["to", "text"] },
    log: { takes: ["what"] },
  },
} satisfies Partial<WorldOptions>;
const run = async (turns: WorldOptions["turns"], own: Partial<WorldOptions> = {}) => {
  const world = new World({ ...desk, turns: [...turns, "done"], ...own });
  await world.say("Go.");
  return world;
};
const hidden = /^\{"\$ref":"v\d+"\}$/;

describe("checklist: hiding and the label of the context", () => {
  it("untrusted is hidden, trusted is visible, and nothing is where hiding is off", async () => {
    const usual = await run([call("read"), call("book")]);
    expect(usual.results).toEqual([expect.stringMatching(hidden), "good"]);
    const off = await run([call("read"), call("book")], { hide: "nothing" });
    expect(off.results).toEqual(["wicked", "good"]);
  });

  it("of several contents each is hidden for itself; all of them where all are untrusted", async () => {
    const restricted = textContent("wicked", {
      additionalProperties: { label: { integrity: "untrusted", confidentiality: "public" } },
    });
    const mixed = () => toolResult({ contents: [textContent("fine"), restricted] });
    const world = await run([call("book")], { tools: { ...desk.tools, book: { gives: mixed } } });
    expect(world.results).toEqual(['fine{"$ref":"v1"}']);
    const both = () => toolResult({ contents: [textContent("bad 1"), textContent("bad 2")] });
    const all = await run([call("read")], { tools: { ...desk.tools, read: { gives: both } } });
    expect(all.results).toEqual(['{"$ref":"v1"}{"$ref":"v2"}']);
  });

  it("without a declared label a result falls back to untrusted; what was hidden can be had again", async () => {
    const world = await run([call("read"), call("inspect_variable", { variable: "v1" })]);
    expect(world.results[1]).toBe("wicked");
    expect(hiddenValues(world.session)).toMatchObject([
      { id: "v1", value: "wicked", label: { integrity: "untrusted" }, origin: { tool: "read" } },
    ]);
  });

  it("the context begins clean, stays so by what is hidden, is tainted by what is seen, and for good", async () => {
    const world = await run([
      call("pay", { to: "a" }),
      call("read"),
      call("pay", { to: "a" }),
      call("inspect_variable", { variable: "v1" }),
      call("pay", { to: "a" }),
      call("book"),
      call("pay", { to: "a" }),
    ]);
    expect(world.verdicts.filter((each) => each.startsWith("pay"))).toEqual([
      "pay: run",
      "pay: run",
      "pay: deny trusted_call",
      "pay: deny trusted_call",
    ]);
    const labels = world.session.messages
      .filter(({ role }) => role === "assistant")
      .map((message) => labelOf(message)?.integrity);
    expect(labels).toEqual([
      ...Array.from({ length: 4 }, () => "trusted"),
      ...Array.from({ length: 4 }, () => "untrusted"),
    ]);
  });

  it("an allow-listed tool runs in any context", async () => {
    const world = await run([call("read"), call("log", { what: "x" })], { hide: "nothing" });
    expect(world.verdicts.at(-1)).toBe("log: run");
  });
});

describe("checklist: inspect_variable", () => {
  const levels = ["private", "user_identity"] as const;
  for (const confidentiality of levels) {
    it(`keeps ${confidentiality}, needs no approval, and taints`, async () => {
      const world = await run(
        [call("read"), call("inspect_variable", { variable: "v1" }), call("post", { text: "x" })],
        {
          mode: "approve",
          policy: {
            read: { effects: ["read"], result: { confidentiality } },
            post: { effects: ["egress"], rule: "permitted_flow" },
          },
          tools: { read: { gives: "wicked" }, post: { takes: ["text"] } },
        },
      );
      expect(world.verdicts[1]).toBe("inspect_variable: run");
      expect(world.verdicts[2]).toBe("post: ask permitted_flow");
    });
  }

  it("takes an id as it is, never what it stands for; one that is missing does no harm", async () => {
    const world = await run(
      [
        call("read"),
        call("inspect_variable", { variable: ref("v1") as never }),
        call("inspect_variable", {}),
        call("inspect_variable", { variable: "v7" }),
        call("pay", { to: "a" }),
      ],
      { agent: { invocation: { maxConsecutiveErrors: 9 } } },
    );
    expect(world.sees("wicked")).toBe(false);
    expect(world.verdicts.at(-1)).toBe("pay: run");
  });
});

describe("checklist: quarantined_llm", () => {
  it("is asked with one value or several, each between marks that nobody can guess", async () => {
    const quarantine = new ScriptedChatClient(["one", "two"]);
    await run(
      [
        call("read"),
        call("read"),
        call("quarantined_llm", { prompt: "What?", refs: ["v1"] }),
        call("quarantined_llm", { prompt: "Both?", refs: ["v1", "v2"] }),
      ],
      { quarantine },
    );
    const texts = quarantine.requests.map(({ messages }) =>
      messages.flatMap(({ contents }) =>
        contents.flatMap((each) => ("text" in each ? [each.text] : [])),
      ),
    );
    expect(texts[0]?.[0]).toBe("What?");
    expect(texts[0]?.[1]).toMatch(/^\n\[(\S+)\]\nwicked\n\[\/\1\]$/);
    expect(texts[1]).toHaveLength(3);
    expect(texts[0]?.[1]).not.toBe(texts[1]?.[1]);
  });

  it("is not there without a client", async () => {
    const world = await run([call("read"), call("quarantined_llm", { prompt: "?", refs: ["v1"] })]);
    expect(world.results[1]).toMatch(/^Error: /);
    expect(world.model.requests[0]?.options.tools?.map(({ name }) => name)).not.toContain(
      "quarantined_llm",
    );
  });
});

describe("checklist: approvals of violations", () => {
  const asked = async (own: Partial<WorldOptions> = {}) => {
    const world = new World({
      ...desk,
      mode: "approve",
      turns: [
        call("read"),
        call("pay", { to: ref("v1") }),
        "done",
        call("pay", { to: ref("v1") }),
        "done",
      ],
      ...own,
    });
    const [request] = (await world.say("Go.")).approvalRequests;
    if (request === undefined) throw new Error("Nobody was asked.");
    return { world, request };
  };
  const paid = (world: World) => world.ran.filter(({ tool }) => tool === "pay").length;

  it("a decision without a request, of another form, or with a word for yes is refused", async () => {
    const { world, request } = await asked();
    const { requestId } = request;
    const type = "function_approval_response";
    for (const bad of [
      { type, approved: true },
      { type, requestId, approved: "true" },
      { type, requestId, approved: 1 },
      { type, requestId },
      { type: "approval", requestId, approved: true },
      { type, requestId, approved: true, call: request.call },
      { type, requestId, approved: true, violation: "" },
    ]) {
      expect(() => parseDecision(bad)).toThrow();
    }
    await world.say({ ...approve(request), requestId: "other" }).catch(() => {});
    expect(paid(world)).toBe(0);
  });

  it("the same call made again can be permitted afresh", async () => {
    const { world, request } = await asked();
    await world.say(approve(request));
    const [again] = (await world.say("Again.")).approvalRequests;
    expect(paid(world)).toBe(1);
    await world.say(approve(again as FunctionApprovalRequestContent));
    expect(paid(world)).toBe(2);
  });

  it("several violations are told together, of integrity and of confidentiality", async () => {
    const { request } = await asked({
      policy: {
        read: { effects: ["read"], result: { confidentiality: "private" } },
        pay: { effects: ["consequential", "egress"], rule: "both" },
      },
    });
    expect(request.violation).toBe("trusted_argument, permitted_flow");
    expect(request.reason).toContain("holds untrusted data");
    expect(request.reason).toContain("may not read");
  });

  it("everything is in the audit, chained, without contents, and can be explained and traced", async () => {
    const audit = memoryFlowAudit();
    const { world, request } = await asked({ audit });
    await world.say(approve(request));
    const kinds = new Set(audit.entries.map(({ kind }) => kind));
    for (const kind of ["label", "hide", "verdict", "approval", "expand"]) {
      expect([kind, kinds.has(kind as never)]).toEqual([kind, true]);
    }
    expect(verifyFlowAudit(audit.entries)).toMatchObject({ ok: true });
    expect(JSON.stringify(audit.entries)).not.toContain('"wicked"');
    expect(explain(world.session, request.call.callId)?.verdict).toBe("approved");
    expect(flowTrace(world.session).calls.map(({ tool }) => tool)).toEqual(["read", "pay"]);
    expect(explain(new AgentSession(), request.call.callId)).toBeUndefined();
  });
});

describe("checklist: confidentiality, every level against every clearance", () => {
  const levels = ["public", "private", "user_identity"] as const;
  for (const [of, confidentiality] of levels.entries()) {
    for (const [to, clearance] of levels.entries()) {
      const runs = of <= to;
      it(`${confidentiality} to ${clearance}: ${runs ? "runs" : "is denied"}`, async () => {
        const world = await run([call("read"), call("post", { text: ref("v1") })], {
          policy: {
            read: { effects: ["read"], result: { confidentiality } },
            post: { effects: ["egress"], rule: "permitted_flow", clearance },
          },
          tools: { read: { gives: "x" }, post: { takes: ["text"] } },
        });
        expect(world.verdicts.at(-1)).toBe(runs ? "post: run" : "post: deny permitted_flow");
      });
    }
  }
});
