import { functionResultContent, type Message, textContent } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { defaultLattice } from "../labels/label-lattice.js";
import { labelOf, withLabel } from "./label-of.js";

function message(contents: Message["contents"]): Message {
  return { id: "m", role: "assistant", contents, createdAt: 0 };
}

const hidden = withLabel(textContent("x"), "untrusted");
const secret = withLabel(textContent("y"), { confidentiality: "private" });

describe("labelOf", () => {
  it("joins a message's label with those of its contents", () => {
    const answer = withLabel(message([textContent("It says "), hidden, secret]), "trusted");
    expect(labelOf(answer)).toEqual({ integrity: "untrusted", confidentiality: "private" });
    expect(labelOf(withLabel(message([textContent("hello")]), "trusted"))?.integrity).toBe(
      "trusted",
    );
  });

  it("looks into results, where the message says nothing", () => {
    const result = { ...functionResultContent("call", []), contents: [hidden, secret] };
    const both = { integrity: "untrusted", confidentiality: "private" };
    expect(labelOf(result)).toEqual(both);
    expect(labelOf(message([result]))).toEqual(both);
  });

  it("is undefined where there is none, or none that can be read", () => {
    expect(labelOf(message([textContent("hello")]))).toBeUndefined();
    const odd = { additionalProperties: { label: "odd" } };
    expect(labelOf({ ...message([hidden]), ...odd })).toBeUndefined();
    expect(labelOf(message([{ ...textContent("hello"), ...odd }]))).toEqual(defaultLattice.top);
  });
});
