import { type JsonObject, tool } from "@tunic/core";
import { toOpenAITools } from "@tunic/openai";
import { describe, expect, it } from "vitest";
import { withReferenceSlots } from "../src/tree/reference-slots.js";

const text = { type: "string" };

function sent(parameters: JsonObject) {
  const reasons: string[] = [];
  const mail = tool({ name: "mail", parameters: withReferenceSlots(parameters) });
  const [definition] = toOpenAITools([mail], {
    strict: true,
    onNotStrict: (_tool, reason) => reasons.push(reason),
  });
  return { definition, reasons };
}

describe("a schema with slots, sent to a service that holds models to it exactly", () => {
  it("is strict where it was strict without them", () => {
    const { definition, reasons } = sent({
      type: "object",
      properties: { to: { type: "array", items: text, description: "Whom" }, when: text },
      required: ["to"],
    });
    const slot = { $ref: "#/$defs/reference" };
    expect(reasons).toEqual([]);
    expect(definition).toMatchObject({
      function: {
        strict: true,
        parameters: {
          properties: {
            to: {
              description: "Whom",
              anyOf: [{ type: "array", items: { anyOf: [text, slot] } }, slot],
            },
            when: { anyOf: [text, slot, { type: "null" }] },
          },
          required: ["to", "when"],
          $defs: { reference: { properties: { $ref: text }, additionalProperties: false } },
        },
      },
    });
  });

  it("is sent as it is where nothing tells an object from a reference", () => {
    const parameters = {
      type: "object",
      properties: { filter: { type: "object", properties: { a: text } } },
    };
    const { definition, reasons } = sent(parameters);
    expect(reasons).toEqual([
      "#/properties/filter has alternatives with optional members that nothing tells apart",
    ]);
    expect(definition).toMatchObject({
      function: { parameters: JSON.parse(JSON.stringify(withReferenceSlots(parameters))) },
    });
  });
});
