import { ConfigurationError } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type FlowOptions, flowSettings } from "./flow-options.js";

const policy = { version: 1, tools: {} } as const;

describe("flowSettings", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "takes an object"],
    ["no policy", {}, "needs a `policy`"],
    ["a misspelt option", { policy, modes: "enforce" }, "modes"],
    ["a misspelt mode", { policy, mode: "Enforce" }, '"enforce", "approve", "shadow", "strict"'],
    ["null for a mode", { policy, mode: null }, '"enforce"'],
    ["a misspelt way to hide", { policy, hide: "all" }, '"untrusted", "above", "nothing"'],
    ["a misspelt source", { policy, labels: { users: "trusted" } }, "users"],
    ["a misspelt label", { policy, labels: { user: "Trusted" } }, "A label is"],
    [
      "a misspelt label of a provider",
      { policy, labels: { providers: { a: "yes" } } },
      "A label is",
    ],
    ["a misspelt limit", { policy, limits: { variable: 1 } }, "variable"],
    ["a limit as text", { policy, limits: { bytes: "1" } }, "limits.bytes"],
    ["a limit that is no number", { policy, limits: { bytes: Number.NaN } }, "limits.bytes"],
    ["an audit that is none", { policy, audit: {} }, "append"],
    ["null for an audit", { policy, audit: null }, "append"],
    ["a short secret", { policy, labelSecret: "short" }, "at least 16"],
  ])("cannot have %s", (_what, options, expected) => {
    const make = () => flowSettings(options as FlowOptions, "labelTracking");
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(expected);
  });

  it("are made once for an object", () => {
    const options = { policy };
    expect(flowSettings(options, "labelTracking")).toBe(flowSettings(options, "policyEnforcement"));
    expect(flowSettings({ policy }, "labelTracking")).not.toBe(flowSettings(options, "x"));
  });
});
