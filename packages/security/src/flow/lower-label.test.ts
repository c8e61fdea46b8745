import { AgentSession } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { memoryFlowAudit } from "../audit/flow-audit.js";
import type { FlowPolicy } from "../policy/flow-policy.js";
import { variableStore } from "../variables/variable-store.js";
import { flowMemoryIn } from "./flow-memory.js";
import { hiddenValues } from "./hidden-values.js";
import { declassify, endorse } from "./lower-label.js";

const policy: FlowPolicy = { version: 1, tools: {} };
const terms = { by: "ann", why: "looked at it", policy };

function withVariable(label: object) {
  const session = new AgentSession();
  const memory = flowMemoryIn(session);
  variableStore(memory).add("x", label as never, {});
  return { session, label: () => hiddenValues(session)[0]?.label };
}

describe("endorse and declassify", () => {
  it("lower what they are about, and nothing else", () => {
    const { session, label } = withVariable({
      integrity: "untrusted",
      confidentiality: "private",
      readers: ["ann"],
      capacity: 3,
    });
    endorse(session, "v1", terms);
    expect(label()).toEqual({ integrity: "trusted", confidentiality: "private", readers: ["ann"] });
    declassify(session, "v1", { confidentiality: "public", readers: ["bob"] }, terms);
    expect(label()).toEqual({ integrity: "trusted", confidentiality: "public", readers: ["bob"] });
    declassify(session, "v1", {}, terms);
    expect(label()).toEqual({ integrity: "trusted", confidentiality: "public" });
  });

  it("take a label that cannot be read for the worst", () => {
    const { session, label } = withVariable({ integrity: "Trusted" });
    endorse(session, "v1", terms);
    expect(label()).toEqual({
      integrity: "trusted",
      confidentiality: "user_identity",
      readers: [],
    });
  });

  it("are written down, without the value", () => {
    const { session } = withVariable({ integrity: "untrusted", confidentiality: "public" });
    const audit = memoryFlowAudit();
    endorse(session, "v1", { ...terms, audit, at: 5 });
    const details = { variable: "v1", by: "ann", why: "looked at it" };
    expect(flowMemoryIn(session).lowered).toMatchObject([{ kind: "endorse", at: 5, ...details }]);
    expect(audit.entries).toMatchObject([{ kind: "endorse", details }]);
    expect(JSON.stringify(audit.entries)).not.toContain('"x"');
  });

  it.each(["v2", "v1.a", "__proto__", "constructor", ""])("know no variable %j", (variable) => {
    const { session } = withVariable({});
    const unknown = expect.objectContaining({ code: "unknown_variable" });
    expect(() => endorse(session, variable, terms)).toThrow(unknown);
    expect(() => declassify(session, variable, {}, terms)).toThrow(unknown);
  });

  it("need somebody, a reason and a level that there is", () => {
    const { session, label } = withVariable({ integrity: "untrusted", confidentiality: "private" });
    for (const wrong of [{ by: " " }, { why: "" }, { by: undefined as never }]) {
      expect(() => endorse(session, "v1", { ...terms, ...wrong })).toThrow(/needs `(by|why)`/);
    }
    expect(() => declassify(session, "v1", { confidentiality: "Public" }, terms)).toThrow(
      expect.objectContaining({ code: "label" }),
    );
    expect(label()?.integrity).toBe("untrusted");
  });

  it.each([
    ["endorse", [undefined], "invalid_option", "endorse needs to know who does it and why"],
    ["endorse", [{ ...terms, reason: "x" }], "unknown_option", 'no option "reason"'],
    ["declassify", [{ readers: ["bob"] }], "invalid_option", "declassify needs to know who does"],
    ["declassify", [undefined, terms], "invalid_option", "{ confidentiality, readers }"],
    ["declassify", [{ level: "public" }, terms], "unknown_option", 'no option "level"'],
  ])("refuse what is missing or misspelt: %s %j", (kind, rest, code, message) => {
    const { session, label } = withVariable({ integrity: "untrusted", confidentiality: "private" });
    const lower = kind === "endorse" ? endorse : declassify;
    expect(() => Reflect.apply(lower, undefined, [session, "v1", ...rest])).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
    expect(label()).toEqual({ integrity: "untrusted", confidentiality: "private" });
  });
});
