import type { Message } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { withoutShown } from "./shown-variables.js";

const plain: Message = {
  id: "1",
  role: "assistant",
  createdAt: 0,
  contents: [{ type: "text", text: "plain" }],
};
const shown: Message = {
  id: "2",
  role: "assistant",
  createdAt: 0,
  contents: [
    { type: "text", text: "It says " },
    { type: "text", text: "secret", additionalProperties: { variable: 'v1["a b"]' } },
  ],
};

describe("withoutShown", () => {
  it("gives the model references where the user was shown values", () => {
    const message = withoutShown(shown);
    expect(message.contents).toEqual([
      { type: "text", text: "It says " },
      { type: "text", text: '{"$ref":"v1[\\"a b\\"]"}' },
    ]);
    expect(JSON.stringify(message)).not.toContain("secret");
  });

  it("makes the same object of the same message, and leaves the others as they are", () => {
    expect(withoutShown(plain)).toBe(plain);
    expect(withoutShown(shown)).toBe(withoutShown(shown));
  });

  it("leaves what a user or tool says, whatever is attached to it", () => {
    for (const role of ["user", "tool", "system"] as const) {
      const message = { ...shown, role };
      expect(withoutShown(message)).toBe(message);
    }
  });

  it("takes only a text for a variable", () => {
    const message: Message = {
      ...shown,
      contents: [{ type: "text", text: "x", additionalProperties: { variable: { a: 1 } } }],
    };
    expect(withoutShown(message)).toBe(message);
  });
});
