import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineSplitter } from "./line-splitter.js";
import { readWireLine } from "./wire-message.js";

function split(pieces: readonly Uint8Array[], maxBytes = 1000) {
  const lines: string[] = [];
  const tooLong: { head: string; tail: string; bytes: number }[] = [];
  const splitter = lineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: (head, tail, bytes) => tooLong.push({ head, tail, bytes }),
  });
  for (const piece of pieces) splitter.push(piece);
  return { lines, tooLong };
}

describe("lineSplitter", () => {
  it("gives the same lines however the bytes are cut", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\n\r]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (all, cuts) => {
        const bytes = new TextEncoder().encode(all.map((each) => `${each}\n`).join(""));
        const pieces: Uint8Array[] = [];
        let from = 0;
        for (const cut of cuts) {
          pieces.push(bytes.subarray(from, from + cut));
          from += cut;
        }
        pieces.push(bytes.subarray(from));
        expect(split(pieces).lines).toEqual(all.filter((each) => each.trim() !== ""));
      }),
    );
  });

  it("keeps the edges of a line that is too long, and goes on behind it", () => {
    const long = `{"id":1,${"x".repeat(5000)},"id":2}`;
    const bytes = new TextEncoder().encode(`a\n${long}\nb\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
      bytes.subarray(at * 7, at * 7 + 7),
    );
    for (const cut of [pieces, [bytes]]) {
      const { lines, tooLong } = split(cut);
      expect(lines).toEqual(["a", "b"]);
      expect(tooLong).toEqual([
        { head: long.slice(0, 256), tail: long.slice(-256), bytes: long.length },
      ]);
    }
  });
});

describe("readWireLine", () => {
  it.each([
    ["ready"],
    ["{}"],
    ["[]"],
    ["null"],
    ['{"jsonrpc":"2.0"}'],
    ['{"jsonrpc":"1.0","id":1,"result":{}}'],
  ])("takes %s for no protocol", (line) => {
    expect(readWireLine(line)).toBeUndefined();
  });

  it("opens a batch", () => {
    const messages = [
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", method: "ping", id: 2 },
    ];
    expect(readWireLine(JSON.stringify(messages))).toEqual(messages);
  });

  it("makes an error of an answer that is out of shape, so that nobody waits for it", () => {
    for (const answer of [{ result: "text" }, { result: null }, {}, { error: "no" }]) {
      const line = JSON.stringify({ jsonrpc: "2.0", id: 7, ...answer });
      expect(readWireLine(line)).toMatchObject([{ id: 7, error: { code: -32603 } }]);
    }
    const error = { code: "E", message: 5 };
    expect(readWireLine(JSON.stringify({ jsonrpc: "2.0", id: 7, error }))).toMatchObject([
      { error: { code: -32603, message: expect.any(String) } },
    ]);
  });
});
