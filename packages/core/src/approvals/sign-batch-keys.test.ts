import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApprovalKey } from "./approval-keys.js";
import { type SignedPause, signPause, verifiesPause } from "./sign-batch.js";

const key = (id: string, letter = id): ApprovalKey => ({ id, secret: letter.repeat(32) });
const keys = [key("k1")];
const call = { type: "function_call", callId: "c1", name: "pay", arguments: {} } as const;
const pause: SignedPause = {
  requests: [{ type: "function_approval_request", requestId: "r1", call, batch: ["c1"] }],
  calls: [call],
  paused: [],
};

describe("keys that change", () => {
  it("the first signs, all of them verify, and one that was taken out no longer does", async () => {
    const [old, young] = [key("old"), key("young")];
    const before = await signPause([old], pause);
    const after = await signPause([young, old], pause);
    expect([before.split(".")[0], after.split(".")[0]]).toEqual(["old", "young"]);
    for (const signature of [before, after]) {
      expect(await verifiesPause([young, old], pause, signature)).toBe(true);
      expect(await verifiesPause([old, young], pause, signature)).toBe(true);
    }
    expect(await verifiesPause([young], pause, before)).toBe(false);
    expect(await verifiesPause([old], pause, after)).toBe(false);
    expect(await verifiesPause([], pause, before)).toBe(false);
  });

  it("another secret under the same id verifies nothing", async () => {
    const signature = await signPause([key("k1")], pause);
    expect(await verifiesPause([key("k1", "x")], pause, signature)).toBe(false);
  });

  it("a signature counts under its own id alone", async () => {
    const [a, b] = [key("a", "s"), key("b", "s")];
    const signature = await signPause([a], pause);
    expect(await verifiesPause([b, a], pause, signature)).toBe(true);
    expect(await verifiesPause([b], pause, signature)).toBe(false);
  });

  it("without a key nothing is signed", async () => {
    await expect(signPause([], pause)).rejects.toThrow(TypeError);
  });
});

describe("a signature that is none", () => {
  it.each([
    "",
    ".",
    "k1",
    "k1.",
    "k1.A",
    "k1.AAAA",
    "k1.====",
    "k1.not base64",
    "k1.🦊",
    "k1.\n",
    ".AAAA",
    "k2.AAAA",
    "K1.AAAA",
    "__proto__.AAAA",
    `k1.${"A".repeat(43)}`,
    `k1.${"A".repeat(100_000)}`,
  ])("verifies nothing, and is no error: %j", async (signature) => {
    expect(await verifiesPause(keys, pause, signature)).toBe(false);
  });

  it("is any text but the one that was made", async () => {
    const signature = await signPause(keys, pause);
    const [id = "", bytes = ""] = signature.split(".");
    for (const other of [
      bytes,
      `${id}${bytes}`,
      `${id}..${bytes}`,
      `${id}.${bytes}.`,
      `${id}.${bytes.slice(1)}`,
      `${id}.${bytes.slice(0, -2)}`,
      `${id}.A${bytes}`,
      `${id}.${bytes}=`,
      ` ${signature}`,
      `${signature} `,
    ]) {
      expect(await verifiesPause(keys, pause, other)).toBe(false);
    }
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 41 }), fc.constantFrom(..."AZaz09-_"), async (at, letter) => {
        const other = `${id}.${bytes.slice(0, at)}${letter}${bytes.slice(at + 1)}`;
        expect(await verifiesPause(keys, pause, other)).toBe(other === signature);
      }),
    );
  });

  it("is any text at all", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `k1.${text}`),
        ),
        async (text) => {
          expect(await verifiesPause(keys, pause, text)).toBe(false);
        },
      ),
    );
  });
});
