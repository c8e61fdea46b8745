import { hostedTool, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { argumentNames, toolHash, toolKey } from "./tool-identity.js";

describe("toolKey", () => {
  it("is the name, behind the owner's or the service's", () => {
    expect(toolKey(tool({ name: "send" }))).toBe("send");
    expect(toolKey(tool({ name: "send", owner: "srv" }))).toBe("srv/send");
    expect(toolKey(tool({ name: "srv/send" }))).toBe("srv%2Fsend");
    expect(toolKey(hostedTool({ provider: "openai", name: "search", definition: {} }))).toBe(
      "openai/search",
    );
  });
});

describe("toolHash", () => {
  const parameters = { type: "object", properties: { a: { type: "string" } } } as const;
  const one = tool({ name: "send", description: "d", parameters, execute: () => "x" });

  it("is the same for the same definition, whatever runs behind it", () => {
    expect(toolHash(tool({ name: "send", description: "d", parameters, execute: () => "y" }))).toBe(
      toolHash(one),
    );
    expect(toolHash(one)).toBe(toolHash(one));
  });

  it.each([
    tool({ name: "sent", description: "d", parameters }),
    tool({ name: "send", description: "e", parameters }),
    tool({ name: "send", description: "d", parameters, owner: "srv" }),
    tool({ name: "send", description: "d", parameters: { type: "object", properties: {} } }),
  ])("is another one for another definition (%#)", (other) => {
    expect(toolHash(other)).not.toBe(toolHash(one));
  });
});

describe("argumentNames", () => {
  it("are those of the schema; unknown where it takes any", () => {
    expect(
      argumentNames(tool({ name: "a", parameters: { type: "object", properties: { b: {} } } })),
    ).toEqual(["b"]);
    expect(argumentNames(tool({ name: "a", parameters: { type: "object" } }))).toBeUndefined();
    const closed = { type: "object", additionalProperties: false } as const;
    expect(argumentNames(tool({ name: "a", parameters: closed }))).toEqual([]);
  });
});
