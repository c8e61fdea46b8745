import { createHmac } from "node:crypto";
import { canonicalJson, type JsonValue, sameJson } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LabelSecret } from "./label-keys.js";
import { defaultLattice } from "./label-lattice.js";
import { isSealed, sealLabel } from "./label-seal.js";

const { label, read, top } = defaultLattice;
const secret = "0123456789abcdef";
const other = "fedcba9876543210";
const mail = label({ integrity: "untrusted", readers: ["ann", "bob"] });
const contents = fc.jsonValue().map((value) => value as JsonValue);

describe("a seal", () => {
  it("is an HMAC-SHA-256 of 128 bits over label and content, as Node computes it", () => {
    fc.assert(
      fc.property(contents, fc.uint8Array({ minLength: 16, maxLength: 100 }), (content, key) => {
        const expected = createHmac("sha256", key)
          .update(`tunic.label.1:${canonicalJson({ label: mail, content })}`)
          .digest()
          .subarray(0, 16)
          .toString("base64url");
        expect(sealLabel(mail, content, key)).toBe(`1.${expected}`);
      }),
    );
  });

  it("holds for the label and the content it was made of, after JSON too", () => {
    fc.assert(
      fc.property(contents, (content) => {
        const stored = JSON.parse(
          JSON.stringify({ label: mail, content, seal: sealLabel(mail, content, secret) }),
        );
        const back = read(stored.label) ?? top;
        expect(isSealed(stored.seal, back, stored.content, secret)).toBe(true);
      }),
    );
  });

  it("does not hold for another content", () => {
    fc.assert(
      fc.property(contents, contents, (a, b) => {
        fc.pre(!sameJson(a, b) && canonicalJson(a) !== canonicalJson(b));
        expect(isSealed(sealLabel(mail, a, secret), mail, b, secret)).toBe(false);
      }),
    );
  });

  it.each([
    ["more readers", label({ integrity: "untrusted", readers: ["ann", "bob", "eve"] })],
    ["everybody", label("untrusted")],
    ["trust", label({ readers: ["ann", "bob"] })],
    ["a bound", label({ integrity: "untrusted", readers: ["ann", "bob"], capacity: 1 })],
  ])("does not hold for a label with %s", (_, changed) => {
    expect(isSealed(sealLabel(mail, "Hi", secret), changed, "Hi", secret)).toBe(false);
  });

  it("does not hold under another secret", () => {
    expect(isSealed(sealLabel(mail, "Hi", other), mail, "Hi", secret)).toBe(false);
  });

  it("does not hold once any of its characters is another", () => {
    const seal = sealLabel(mail, "Hi", secret);
    for (let index = 0; index < seal.length; index++) {
      const changed = seal[index] === "A" ? "B" : "A";
      const broken = seal.slice(0, index) + changed + seal.slice(index + 1);
      expect(isSealed(broken, mail, "Hi", secret)).toBe(false);
    }
  });

  it.each([undefined, null, 7, {}, "", ".", "1", "1.", "1.AAAA", ".AAAA", `1.${"A".repeat(22)}`])(
    "is not %j",
    (seal) => {
      expect(isSealed(seal, mail, "Hi", secret)).toBe(false);
    },
  );

  it("is not the start of one, nor one with something behind it", () => {
    const seal = sealLabel(mail, "Hi", secret);
    expect(isSealed(seal.slice(0, -1), mail, "Hi", secret)).toBe(false);
    expect(isSealed(`${seal}A`, mail, "Hi", secret)).toBe(false);
    expect(isSealed(`${seal}=`, mail, "Hi", secret)).toBe(false);
  });
});

describe("a label secret", () => {
  const old = { id: "2025", secret: other };
  const current = { id: "2026", secret: new TextEncoder().encode(secret) };

  it("of several keys seals with the first and verifies with each, so that keys can be changed", () => {
    const before = sealLabel(mail, "Hi", old);
    const after = sealLabel(mail, "Hi", [current, old]);
    expect(before).toMatch(/^2025\./);
    expect(after).toMatch(/^2026\.[\w-]{22}$/);
    expect(isSealed(before, mail, "Hi", [current, old])).toBe(true);
    expect(isSealed(after, mail, "Hi", current)).toBe(true);
    expect(isSealed(before, mail, "Hi", current)).toBe(false);
  });

  it("is the same as a text and as its bytes", () => {
    const bytes = new TextEncoder().encode(secret);
    expect(isSealed(sealLabel(mail, "Hi", secret), mail, "Hi", bytes)).toBe(true);
  });

  it("does not verify what another of its keys has sealed", () => {
    const seal = sealLabel(mail, "Hi", old).replace("2025", "2026");
    expect(isSealed(seal, mail, "Hi", [current, old])).toBe(false);
  });

  it("counts bytes, not characters", () => {
    expect(() => sealLabel(mail, "Hi", "é".repeat(8))).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ["too short a text", "0123456789abcde", 'fewer than 16 bytes (key "1")'],
    ["too few bytes", new Uint8Array(15), "fewer than 16 bytes"],
    ["nothing", undefined, "no key"],
    ["an empty list", [], "an empty list"],
    ["a list of texts", [secret], "no key"],
    ["a key without an id", [{ secret }], "a key without an `id`"],
    ["an id with a dot", { id: "a.b", secret }, "a key without an `id`"],
    ["a key without a secret", { id: "a" }, 'fewer than 16 bytes (key "a")'],
    ["two keys of one id", [old, { ...old }], 'two keys of the id "2025"'],
  ])("cannot be %s", (_, wrong, message) => {
    const seal = () => sealLabel(mail, "Hi", wrong as LabelSecret);
    expect(seal).toThrow(expect.objectContaining({ code: "invalid_option" }));
    expect(seal).toThrow(message);
    expect(() => isSealed("1.A", mail, "Hi", wrong as LabelSecret)).toThrow(message);
  });
});
