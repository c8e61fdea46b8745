import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAuth } from "./authenticate.js";

const secret = "0123456789abcdef";
const mara = { id: "mara", roles: ["admin"] };

describe("readAuth", () => {
  const { identify } = readAuth({ bearer: [{ secret, principal: mara }] });
  const who = (authorization: string) =>
    identify({ headers: { authorization }, remoteAddress: undefined });

  it("knows who has a token, and nobody by any other text", async () => {
    expect(await who(`Bearer ${secret}`)).toBe(mara);
    const text = fc.oneof(
      fc.string(),
      fc.string().map((rest) => `Bearer ${rest}`),
      fc.nat({ max: secret.length - 1 }).map((length) => `Bearer ${secret.slice(0, length)}`),
      fc.string({ minLength: 1 }).map((rest) => `Bearer ${secret}${rest}`),
      fc.string({ minLength: 1 }).map((rest) => `${rest}Bearer ${secret}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (authorization) => {
        fc.pre(!/^bearer +0123456789abcdef$/i.test(authorization));
        expect(await who(authorization)).toBeUndefined();
      }),
    );
  });

  it("knows nobody by a long header that has no token", async () => {
    expect(await who(`Bearer${" ".repeat(50_000)}`)).toBeUndefined();
    expect(await who(`${"a".repeat(50_000)} `)).toBeUndefined();
  });
});
