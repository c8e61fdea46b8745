import { type Content, isJsonObject, type JsonObject } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readResult } from "./read-result.js";

const read = (answer: JsonObject) => readResult(answer, 10_000_000);
const plain = (contents: readonly Content[]) => contents.map((content) => ({ ...content }));

describe("readResult", () => {
  it("reads every kind of block", () => {
    const { contents } = read({
      content: [
        { type: "text", text: "t" },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain" },
        { type: "resource", resource: { uri: "demo://1", text: "inside" } },
        { type: "resource", resource: { uri: "demo://2", blob: "aGk=", mimeType: "a/b" } },
      ],
    });
    expect(plain(contents)).toEqual([
      { type: "text", text: "t" },
      { type: "data", data: "aGk=", mediaType: "image/png" },
      { type: "data", data: "aGk=", mediaType: "audio/wav" },
      {
        type: "uri",
        uri: "file:///a",
        mediaType: "text/plain",
        additionalProperties: { mcp: { uri: "file:///a", name: "a" } },
      },
      { type: "text", text: "inside", additionalProperties: { mcp: { uri: "demo://1" } } },
      {
        type: "data",
        data: "aGk=",
        mediaType: "a/b",
        additionalProperties: { mcp: { uri: "demo://2" } },
      },
    ]);
  });

  it("loses nothing of what it cannot read", () => {
    const blocks = [
      { type: "image", data: "§", mimeType: "image/png" },
      { type: "hologram", depth: 3 },
      { type: "text" },
      "bare",
    ];
    expect(read({ content: blocks }).contents.map((each) => "text" in each && each.text)).toEqual(
      blocks.map((block) => JSON.stringify(block)),
    );
  });

  it("is the same once it was stored, whatever numbers the server writes", () => {
    const answer = JSON.parse(
      '{"content":[{"type":"text","text":"t","annotations":{"priority":1e400},"_meta":{"n":-1e999,"z":-0}}],"_meta":{"m":1e400}}',
    );
    const contents = plain(read(answer).contents);
    expect(JSON.parse(JSON.stringify(contents))).toEqual(contents);
  });

  it("tells structured content once", () => {
    const structuredContent = { a: 1, b: [2] };
    const same = [{ type: "text", text: '{"b": [2], "a": 1}' }];
    expect(read({ content: same, structuredContent }).contents).toHaveLength(1);
    const wrapped = { content: [{ type: "text", text: "tide" }], structuredContent: { c: "tide" } };
    expect(read(wrapped).contents).toHaveLength(1);
    const other = [{ type: "text", text: "There are 2." }];
    expect(plain(read({ content: other, structuredContent }).contents)).toEqual([
      { type: "text", text: "There are 2." },
      { type: "text", text: '{"a":1,"b":[2]}' },
    ]);
    expect(plain(read({ structuredContent }).contents)).toEqual([
      { type: "text", text: '{"a":1,"b":[2]}' },
    ]);
  });

  it("says that there is nothing, and reads the oldest form", () => {
    expect(plain(read({ content: [] }).contents)).toEqual([{ type: "text", text: "null" }]);
    expect(plain(read({}).contents)).toEqual([{ type: "text", text: "null" }]);
    expect(plain(read({ content: null, structuredContent: { a: 1 } }).contents)).toEqual([
      { type: "text", text: '{"a":1}' },
    ]);
    const unsaid = [{ type: "text", text: "The tool failed, and does not say why." }];
    expect(plain(read({ content: null, isError: true }).contents)).toEqual(unsaid);
    expect(plain(read({ toolResult: { a: 1 } }).contents)).toEqual([
      { type: "text", text: '{"a":1}' },
    ]);
  });

  it("keeps what stands beside a result beside it, and lets labels only restrict", () => {
    const content = [{ type: "text", text: "t", _meta: { trace: "2" } }];
    const { contents } = read({ content, _meta: { ifc: { integrity: "trusted" }, trace: "1" } });
    expect(contents[0]?.additionalProperties).toEqual({
      mcp: { meta: { ifc: { integrity: "trusted" }, trace: "2" } },
      label: { integrity: "untrusted", confidentiality: "?" },
    });
    const labelled = read({ content, _meta: { ifc: { confidentiality: "private" } } });
    expect(labelled.contents[0]?.additionalProperties?.["label"]).toEqual({
      integrity: "untrusted",
      confidentiality: "private",
    });
  });

  it("keeps pictures of a failure, and has a text for it", () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const { contents, isError } = read({ content: [image], isError: true });
    expect(isError).toBe(true);
    expect(contents.map(({ type }) => type)).toEqual(["text", "data"]);
  });

  it("never throws, whatever a server sends", () => {
    const block = fc.oneof(
      fc.record({
        type: fc.constantFrom("text", "image", "audio", "resource", "resource_link"),
        text: fc.jsonValue(),
        data: fc.jsonValue(),
        mimeType: fc.jsonValue(),
        uri: fc.jsonValue(),
        resource: fc.jsonValue(),
        _meta: fc.jsonValue(),
      }),
      fc.jsonValue(),
    );
    const answer = fc.record(
      {
        content: fc.oneof(fc.array(block), fc.jsonValue()),
        structuredContent: fc.jsonValue(),
        isError: fc.jsonValue(),
        _meta: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answer, (value) => {
        const copy: unknown = JSON.parse(JSON.stringify(value));
        if (!isJsonObject(copy)) return;
        const { contents, isError = false } = read(copy);
        expect(contents.length).toBeGreaterThan(0);
        expect(isError).toBe(copy["isError"] === true);
      }),
    );
  });
});
