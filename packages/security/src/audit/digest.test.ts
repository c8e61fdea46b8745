import { createHash } from "node:crypto";
import { canonicalJson, type JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "./digest.js";

describe("digest", () => {
  it("is the SHA-256 of canonical JSON in base64url, as Node computes it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = value as JsonValue;
        const expected = createHash("sha256").update(canonicalJson(json)).digest("base64url");
        expect(digest(json)).toBe(expected);
      }),
    );
  });

  it("does not depend on the order of members", () => {
    expect(digest({ a: 1, b: [2] })).toBe(digest({ b: [2], a: 1 }));
    expect(digest({ a: 1, b: [2] })).not.toBe(digest({ a: 1, b: [3] }));
  });
});
