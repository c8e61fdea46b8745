import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/configuration-error.js";
import { readApprovalKeys } from "./approval-keys.js";

const secret = "s".repeat(32);
const other = "o".repeat(40);

/** The error that an option is refused with. */
function refusal(option: unknown): ConfigurationError | undefined {
  try {
    readApprovalKeys(option as never);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

describe("readApprovalKeys", () => {
  it("takes one secret, one key or a list of keys, and keeps their order", () => {
    expect(readApprovalKeys(secret)).toEqual([{ id: "1", secret }]);
    expect(readApprovalKeys({ id: "2026", secret })).toEqual([{ id: "2026", secret }]);
    const keys = [
      { id: "new_2", secret },
      { id: "old-1", secret: other },
    ];
    expect(readApprovalKeys(keys)).toEqual(keys);
  });

  it("takes the same secret under two ids, and ids that differ in case", () => {
    const keys = [
      { id: "a", secret },
      { id: "A", secret },
    ];
    expect(readApprovalKeys(keys)).toEqual(keys);
  });

  it.each<[string, unknown, RegExp]>([
    ["a short secret", "s".repeat(31), /fewer than 32 characters \(key "1"\)/],
    ["an empty secret", "", /fewer than 32 characters/],
    ["a short secret of a key", { id: "a", secret: "short" }, /fewer than 32.*\(key "a"\)/],
    ["a secret that is no text", { id: "a", secret: 7 }, /fewer than 32.*\(key "a"\)/],
    ["a key without a secret", { id: "a" }, /fewer than 32.*\(key "a"\)/],
    ["a key without an id", { secret }, /without an `id`/],
    ["an empty id", { id: "", secret }, /without an `id`/],
    ["a number for an id", { id: 2026, secret }, /without an `id`/],
    ["an id with a dot, which ends ids in signatures", { id: "a.b", secret }, /without an `id`/],
    ["an id with a blank", { id: "a b", secret }, /without an `id`/],
    ["an id with a line end", { id: "a\n", secret }, /without an `id`/],
    ["an id with other letters", { id: "é", secret }, /without an `id`/],
    ["an empty list", [], /an empty list/],
    ["texts in a list", [secret], /something that is no key/],
    ["a list in a list", [[{ id: "a", secret }]], /something that is no key/],
    ["null", null, /something that is no key/],
    ["null in a list", [{ id: "a", secret }, null], /something that is no key/],
    ["a number", 7, /something that is no key/],
    [
      "two keys of one id",
      [
        { id: "a", secret },
        { id: "a", secret: other },
      ],
      /two keys of the id "a"/,
    ],
    [
      "a second key that is wrong",
      [
        { id: "a", secret },
        { id: "b", secret: "short" },
      ],
      /\(key "b"\)/,
    ],
  ])("refuses %s", (_what, option, message) => {
    const error = refusal(option);
    expect(error?.code).toBe("invalid_option");
    expect(error?.message).toMatch(message);
    expect(error?.message).toMatch(/^`approvalSecret` must be/);
  });

  it("never tells a secret", () => {
    const short = "a-secret-of-a-few-letters";
    for (const option of [short, { id: "a", secret: short }, { id: "a.b", secret }, [secret]]) {
      const { message } = refusal(option) ?? {};
      expect(message).toBeDefined();
      expect(message).not.toContain(short);
      expect(message).not.toContain(secret);
    }
  });
});
