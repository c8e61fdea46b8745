import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../messages/json.js";
import { tool } from "../tools/function-tool.js";
import type { FunctionTool } from "../tools/tool.js";
import { base64Url, requestedTool } from "./requested-tool.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const parameters = {
  type: "object",
  properties: {
    to: { type: "string", description: "Whom?" },
    body: { type: "string", enum: ["a", "b"] },
  },
  required: ["to"],
} as const;
const plain = { name: "send", description: "Sends.", parameters } as const;
const full = {
  ...plain,
  owner: "mail",
  title: "Send",
  readOnly: false,
  destructive: true,
  runsCode: false,
  trust: "external",
} as const;
type Options = Parameters<typeof tool>[0];

/** A tool made anew of these options, whatever their types. */
const made = (options: object): FunctionTool => tool(options as Options) as FunctionTool;
const hashOf = async (options: object): Promise<string> =>
  (await requestedTool(made(options))).hash;
/** A copy in which every object's members stand in another order. */
function turned(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const members = Object.entries(value).map(([name, member]) => [name, turned(member)] as const);
  return Object.fromEntries(members.reverse());
}

describe("requestedTool", () => {
  it("shows what a tool declares of itself", async () => {
    expect(await requestedTool(made(full))).toStrictEqual({
      name: "send",
      owner: "mail",
      title: "Send",
      description: "Sends.",
      parameters,
      traits: { readOnly: false, destructive: true, runsCode: false, trust: "external" },
      hash: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it("leaves out what a tool does not declare", async () => {
    const shown = await requestedTool(made(plain));
    expect(shown).toStrictEqual({
      name: "send",
      description: "Sends.",
      parameters,
      traits: {},
      hash: shown.hash,
    });
  });

  it("is worked out once for each tool", async () => {
    const digest = vi.spyOn(crypto.subtle, "digest");
    const send = made(plain);
    const all = await Promise.all([requestedTool(send), requestedTool(send)]);
    expect(await requestedTool(send)).toBe(all[0]);
    expect(all[1]).toBe(all[0]);
    expect(digest).toHaveBeenCalledTimes(1);
    digest.mockRestore();
  });

  it("needs Web Crypto, and says so where there is none", async () => {
    for (const crypto of [undefined, {}]) {
      vi.stubGlobal("crypto", crypto);
      await expect(requestedTool(made(plain))).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "no_web_crypto",
      });
    }
  });
});

describe("the hash of a tool", () => {
  it("is the same for two tools that declare the same, whatever they do", async () => {
    const hash = await hashOf(full);
    expect(await hashOf({ ...full })).toBe(hash);
    expect(
      await hashOf({
        ...full,
        execute: () => "sent",
        approvalMode: "always_require",
        editable: true,
        describeCall: () => "Send it?",
        maxInvocations: 1,
        exclusive: true,
        resources: ["mail"],
      }),
    ).toBe(hash);
  });

  it("does not depend on the order in which a definition is written down", async () => {
    expect(await hashOf(turned(full) as object)).toBe(await hashOf(full));
  });

  it.each<[string, object]>([
    ["another name", { name: "Send" }],
    ["another owner", { owner: "Mail" }],
    ["no owner", { owner: undefined }],
    ["another title", { title: "send" }],
    ["no title", { title: undefined }],
    ["another description", { description: "Sends" }],
    ["no description", { description: undefined }],
    ["it says it reads only", { readOnly: true, destructive: false }],
    ["it says nothing of reading", { readOnly: undefined }],
    ["it says it destroys nothing", { destructive: false }],
    ["it says nothing of destroying", { destructive: undefined }],
    ["it says it runs code", { runsCode: true }],
    ["it says nothing of code", { runsCode: undefined }],
    ["it says it is trusted", { trust: "trusted" }],
    ["it says nothing of trust", { trust: undefined }],
    ["no arguments", { parameters: undefined }],
    ["an argument more", { parameters: { ...parameters, properties: { cc: { type: "string" } } } }],
    ["another order of a list", { parameters: { ...parameters, required: ["body", "to"] } }],
    ["no required arguments", { parameters: { ...parameters, required: [] } }],
    ["a closed schema", { parameters: { ...parameters, additionalProperties: false } }],
  ])("is another one with %s", async (_what, more) => {
    expect(await hashOf({ ...full, ...more })).not.toBe(await hashOf(full));
  });

  it("is another one for an owner than for a title of the same text", async () => {
    expect(await hashOf({ ...plain, owner: "x" })).not.toBe(await hashOf({ ...plain, title: "x" }));
  });

  it("changes with every word of a schema", async () => {
    const word = fc.constantFrom("a", "b", "c");
    const schema = fc
      .record({
        title: word,
        of: fc.record({ description: word, const: word, examples: fc.array(word) }),
      })
      .map(({ of, title }): JsonObject => ({ type: "object", title, properties: { of } }));
    const seen = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(schema, async (parameters) => {
        const hash = await hashOf({ ...plain, parameters });
        const said = JSON.stringify(parameters);
        expect(seen.get(hash) ?? said).toBe(said);
        seen.set(hash, said);
        expect(await hashOf({ ...plain, parameters: turned(parameters) })).toBe(hash);
      }),
      { numRuns: 200 },
    );
    expect(seen.size).toBeGreaterThan(50);
  });
});

describe("base64Url", () => {
  it("says the same as Node does, without padding", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(base64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
      }),
    );
  });
});
