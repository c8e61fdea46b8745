import { type Content, dataContent, textContent, uriContent } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readContent } from "../results/read-content.js";
import { readResult } from "../results/read-result.js";
import { writeResult } from "./write-result.js";

function written(content: Content): unknown {
  const [block] = writeResult({ type: "function_result", callId: "1", contents: [content] })[
    "content"
  ] as unknown[];
  return block;
}

const asBase64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

describe("writeResult", () => {
  it.each([
    { type: "text", text: "Hello" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "test://a", text: "Words" } },
    { type: "resource", resource: { uri: "test://b", blob: "AAAA", mimeType: "application/zip" } },
    { type: "resource_link", uri: "https://a.example/b", name: "A name", mimeType: "text/html" },
    { type: "text", text: "Hello", annotations: { audience: ["user"], priority: 0.5 } },
    { type: "resource", resource: { uri: "test://c", text: "# A", mimeType: "text/markdown" } },
    { type: "resource", resource: { uri: "test://d", blob: "AAAA", mimeType: "image/png" } },
    {
      type: "resource_link",
      uri: "test://e",
      name: "E",
      title: "An E",
      description: "The letter.",
      mimeType: "text/plain",
      size: 5,
      annotations: { priority: 1 },
    },
  ])("passes on what another server has sent: %j", (block) => {
    expect(written(readContent(block))).toEqual(block);
  });

  it("gives data an address, whatever its name is", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), (units) => {
        const name = String.fromCharCode(...units, 0xd800);
        const block = written(dataContent("AAAA", "application/zip", { name }));
        const { resource } = block as { resource: { uri: string } };
        const decoded = decodeURIComponent(resource.uri.replace("attachment:///", ""));
        expect(decoded).toBe(Buffer.from(name, "utf8").toString("utf8"));
      }),
    );
  });

  it("writes data of text types as text, whatever it says", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom("text/plain", "application/json", "application/ld+json", "text/csv"),
        (text, mimeType) => {
          expect(written(dataContent(asBase64(text), mimeType, { name: "a b" }))).toEqual({
            type: "resource",
            resource: { uri: "attachment:///a%20b", mimeType, text },
          });
        },
      ),
    );
  });

  it("writes bytes that are no text as bytes, whatever they are called", () => {
    expect(written(dataContent("/w==", "text/plain"))).toEqual({
      type: "resource",
      resource: { uri: "attachment:///data", mimeType: "text/plain", blob: "/w==" },
    });
  });

  it("names a link after its path", () => {
    expect(written(uriContent("https://a.example/b/c.txt?d", "text/plain"))).toMatchObject({
      type: "resource_link",
      name: "c.txt",
    });
  });

  it("leaves out what belongs to the program", () => {
    const content = textContent("Hi", { additionalProperties: { label: "secret", mcp: {} } });
    expect(written(content)).toEqual({ type: "text", text: "Hi" });
  });

  const result = (...contents: readonly Content[]) =>
    writeResult({ type: "function_result", callId: "1", contents });

  it("gives an object as data, too, which our own client reads once", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const object = JSON.parse(text);
        const answer = result(textContent(text));
        expect(answer).toEqual({ content: [{ type: "text", text }], structuredContent: object });
        expect(readResult(answer, 1_000_000).contents).toEqual([
          expect.objectContaining({ type: "text", text }),
        ]);
      }),
    );
  });

  it.each([
    ["a list", "[1]"],
    ["a text", "Hello"],
    ["nothing", "null"],
    ["a number that would lose digits", '{"id":12345678901234567890}'],
    ["a member that stands twice", '{"a":1,"a":2}'],
    ["JSON that is written in another way", '{ "a": 1 }'],
    ["JSON that does not end", '{"a":'],
    ["a very large object", JSON.stringify({ a: "x".repeat(1024 * 1024) })],
  ])("gives %s as text only", (_what, text) => {
    expect(result(textContent(text))).not.toHaveProperty("structuredContent");
  });

  it("gives no data of what has several parts, or has failed", () => {
    const object = textContent("{}");
    expect(result(object, object)).not.toHaveProperty("structuredContent");
    const failed = { type: "function_result", callId: "1", contents: [object], isError: true };
    expect(writeResult(failed as never)).not.toHaveProperty("structuredContent");
  });
});
