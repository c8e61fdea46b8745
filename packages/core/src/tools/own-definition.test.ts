import { expect, it } from "vitest";
import { hostedTool } from "./function-tool.js";
import { ownDefinition } from "./own-definition.js";

const search = hostedTool({ provider: "mine", name: "search", definition: { type: "web" } });

it("is the definition as it was written, for the service whose tool it is", () => {
  expect(ownDefinition(search, "mine", "Mine")).toBe(search.definition);
});

it("is refused to any other, with the names of both", () => {
  expect(() => ownDefinition(search, "yours", "Yours")).toThrow(
    expect.objectContaining({
      code: "foreign_tool",
      message: expect.stringMatching(/"search" is run by mine, and Yours cannot/),
    }),
  );
});
