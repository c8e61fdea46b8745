import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawRepresentation } from "./content.js";
import {
  bytesOf,
  dataContent,
  errorContent,
  functionResultContent,
  isMadeContent,
  textContent,
  toBase64,
  uriContent,
} from "./make-content.js";

describe("the makers", () => {
  const extras = { additionalProperties: { label: "x" }, providerData: { openai: { item: "i1" } } };

  it.each([
    ["textContent", textContent("hi"), { type: "text", text: "hi" }],
    ["textContent with extras", textContent("hi", extras), { type: "text", text: "hi", ...extras }],
    [
      "dataContent of bytes",
      dataContent(new Uint8Array([1, 2, 3]), "image/png", { name: "a.png", ...extras }),
      { type: "data", data: "AQID", mediaType: "image/png", name: "a.png", ...extras },
    ],
    [
      "dataContent of base64",
      dataContent("AQI=", "image/png"),
      { type: "data", data: "AQI=", mediaType: "image/png" },
    ],
    [
      "uriContent",
      uriContent("https://example.com/a.png", "image/png", extras),
      { type: "uri", uri: "https://example.com/a.png", mediaType: "image/png", ...extras },
    ],
    [
      "uriContent without a media type",
      uriContent("s3://bucket/key"),
      { type: "uri", uri: "s3://bucket/key", mediaType: "application/octet-stream" },
    ],
    [
      "errorContent",
      errorContent("refused", { code: "refusal" }),
      { type: "error", message: "refused", code: "refusal" },
    ],
    [
      "functionResultContent of a string",
      functionResultContent("c1", "42"),
      { type: "function_result", callId: "c1", contents: [{ type: "text", text: "42" }] },
    ],
    [
      "functionResultContent of contents",
      functionResultContent("c1", [dataContent("", "image/png"), textContent("a")], {
        isError: true,
      }),
      {
        type: "function_result",
        callId: "c1",
        isError: true,
        contents: [
          { type: "data", data: "", mediaType: "image/png" },
          { type: "text", text: "a" },
        ],
      },
    ],
  ])("%s gives a plain object that survives JSON", (_what, content, expected) => {
    expect(content).toStrictEqual(expected);
    expect(JSON.parse(JSON.stringify(content))).toStrictEqual(content);
  });
});

describe("isMadeContent", () => {
  it("is true for what the makers gave, frozen or not", () => {
    expect(isMadeContent(textContent("a"))).toBe(true);
    expect(isMadeContent(uriContent("data:,a"))).toBe(true);
    expect(isMadeContent(Object.freeze(functionResultContent("c1", "a")))).toBe(true);
  });

  it.each([
    ["a look-alike", { type: "text", text: "a" }],
    ["a JSON copy", JSON.parse(JSON.stringify(textContent("a")))],
    ["a copy by spread, symbols and all", { ...textContent("a"), [rawRepresentation]: 1 }],
    ["a deep clone", structuredClone(textContent("a"))],
    ["an object that inherits from a content", Object.create(textContent("a"))],
    ["a string", "a"],
    ["a list of contents", [textContent("a")]],
    ["null", null],
    ["undefined", undefined],
  ])("is false for %s", (_what, value) => {
    expect(isMadeContent(value)).toBe(false);
  });
});

describe("dataContent", () => {
  it("takes large bytes", () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 31) % 256);
    const { data } = dataContent(bytes, "application/octet-stream");
    expect(Buffer.from(data, "base64").equals(bytes)).toBe(true);
  });

  it("encodes any bytes as base64, views into a larger buffer too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 10 }), (bytes, skip) => {
        const view = bytes.subarray(Math.min(skip, bytes.length));
        expect(toBase64(view)).toBe(Buffer.from(view).toString("base64"));
        expect(dataContent(toBase64(view), "x/y").data).toBe(toBase64(view));
        expect(bytesOf(dataContent(view, "x/y"))).toEqual(Uint8Array.from(view));
      }),
    );
  });

  it.each([
    "no base64!",
    "abc",
    "ab=c",
    "A===",
    "=",
    "AQI_",
    "AQ ==",
    "AQID\n",
    "data:image/png;base64,AQID",
  ])("refuses the text %j, which is not base64", (text) => {
    expect(() => dataContent(text, "image/png")).toThrow(TypeError);
  });
});

describe("uriContent of a data: address", () => {
  it.each([
    ["data:image/png;base64,AQID", "image/png", "AQID"],
    ["data:image/png;name=a.png;base64,AQID", "image/png", "AQID"],
    ["data:;base64,AQID", "text/plain", "AQID"],
    ["data:,hello", "text/plain", toBase64(Buffer.from("hello"))],
    ["data:text/plain,a%2Cb%20c", "text/plain", toBase64(Buffer.from("a,b c"))],
    ["data:text/plain;charset=utf-8,%C3%A9,%E2%82%AC", "text/plain", toBase64(Buffer.from("é,€"))],
    ["data:text/plain,ü", "text/plain", toBase64(Buffer.from("ü"))],
    ["data:text/html,", "text/html", ""],
  ])("reads %s", (uri, mediaType, data) => {
    const content = uriContent(uri, undefined, { additionalProperties: { label: "x" } });
    expect(content).toEqual({
      type: "data",
      data,
      mediaType,
      additionalProperties: { label: "x" },
    });
    expect(isMadeContent(content)).toBe(true);
  });

  it.each(["data:", "data:image/png", "data:image/png;base64", "data:image/png;base64,no base64"])(
    "refuses %s",
    (uri) => {
      expect(() => uriContent(uri)).toThrow(TypeError);
    },
  );

  it.each(["data:text/plain,100%", "data:text/plain,%zz"])(
    "refuses a broken percent-encoding with a TypeError: %s",
    (uri) => {
      expect(() => uriContent(uri)).toThrow(TypeError);
    },
  );
  it("reads percent-encoded bytes that are no UTF-8", () => {
    expect(uriContent("data:application/octet-stream,%FF%00a")).toMatchObject({
      data: toBase64(Uint8Array.of(255, 0, 97)),
    });
  });

  it("reads the scheme and the word base64 in any case", () => {
    expect(uriContent("DATA:image/png;BASE64,AQID")).toEqual({
      type: "data",
      mediaType: "image/png",
      data: "AQID",
    });
  });
});

describe("uriContent of any other address", () => {
  it.each(["", "a.png", "/a.png", "//example.com/a.png", "1http://x", ":x"])(
    "refuses %j, which has no scheme",
    (uri) => {
      expect(() => uriContent(uri)).toThrow(/absolute address/);
    },
  );
});
