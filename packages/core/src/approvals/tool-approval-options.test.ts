import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/configuration-error.js";
import { type ToolApprovalOptions, type ToolApprovalRule, toolApproval } from "./tool-approval.js";

/** A rule about the tool "send". */
function rule(kind: string): ToolApprovalRule {
  return { tool: "send", verdict: kind as ToolApprovalRule["verdict"] };
}

describe("the options of toolApproval", () => {
  const some = rule("ask");
  it.each<[unknown, string, RegExp]>([
    [{ presets: "all" }, "unknown_option", /did you mean "preset"/],
    [
      { preset: "none" },
      "invalid_option",
      /`preset` must be "default", "readOnly", "full" or "all"/,
    ],
    [{ preset: null }, "invalid_option", /`preset` must be/],
    [{ decide: "run" }, "invalid_option", /`decide` must be a function/],
    [{ rules: some }, "invalid_option", /`rules` must be a list/],
    [{ rules: [some, null] }, "invalid_option", /`rules\[1\]` must be an object/],
    [{ rules: ["send"] }, "invalid_option", /`rules\[0\]` must be an object/],
    [{ rules: [[]] }, "invalid_option", /`rules\[0\]` must be an object/],
    [{ rules: [{ ...some, name: "x" }] }, "unknown_option", /`rules\[0\]` has no option "name"/],
    [{ rules: [{ ...some, argument: {} }] }, "unknown_option", /did you mean "arguments"/],
    [
      { rules: [{ ...some, tool: undefined }] },
      "invalid_option",
      /`rules\[0\]`.tool must be a tool's name/,
    ],
    [{ rules: [{ ...some, tool: " " }] }, "invalid_option", /`rules\[0\]`.tool must be/],
    [
      { rules: [{ ...some, owner: null }] },
      "invalid_option",
      /`rules\[0\]`.owner must be a string/,
    ],
    [
      { rules: [{ tool: "send" }] },
      "invalid_option",
      /`rules\[0\]`.verdict must be "run", "ask" or/,
    ],
    [{ rules: [rule("allow")] }, "invalid_option", /`rules\[0\]`.verdict must be/],
    [{ rules: [{ ...some, reason: 7 }] }, "invalid_option", /`rules\[0\]`.reason must be a string/],
    [{ rules: [{ ...some, arguments: [] }] }, "invalid_option", /`rules\[0\]`.arguments must be/],
    [{ rules: [{ ...some, arguments: null }] }, "invalid_option", /`rules\[0\]`.arguments must be/],
    [{ rules: [{ ...some, matching: {} }] }, "invalid_option", /at least one member/],
    [{ rules: [{ ...some, matching: "x" }] }, "invalid_option", /at least one member/],
    [{ rules: [{ ...some, matching: null }] }, "invalid_option", /at least one member/],
    [
      { rules: [{ ...some, arguments: {}, matching: { a: 1 } }] },
      "invalid_option",
      /`arguments` or `matching`, not both/,
    ],
  ])("are refused at once where they are wrong: %j", (options, code, message) => {
    const make = () => toolApproval(options as ToolApprovalOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
