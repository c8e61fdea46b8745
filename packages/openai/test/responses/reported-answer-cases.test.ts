import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { asEvents } from "./as-events.js";
import { called, cutResponse, response, said } from "./build.js";
import { plainContents, readStream, readWhole } from "./read-answer.js";

/** Reads an answer as a stream with and without deltas, and whole. */
const ways = [
  { way: "streamed", read: (answer: JsonObject) => readStream(asEvents(answer)) },
  {
    way: "streamed without deltas",
    read: (answer: JsonObject) => readStream(asEvents(answer, { deltas: false })),
  },
  { way: "whole", read: (answer: JsonObject) => readWhole(answer) },
];

describe.each(ways)("an answer, $way", ({ read }) => {
  it.each([
    ["(a) empty", ""],
    ["(c) blank", "  \n"],
  ])("B04 %s arguments of a call mean none", async (_, text) => {
    const made = await read(response([called("z1", "list_ports", text)]));
    expect(plainContents(made)).toEqual([
      { type: "function_call", callId: "z1", name: "list_ports", arguments: {} },
    ]);
    expect(made.finishReason).toBe("tool_calls");
  });

  it("B04 (d) broken arguments are kept, with the reason", async () => {
    const made = await read(response([called("z1", "list_ports", '{"a')]));
    expect(plainContents(made)).toMatchObject([
      { callId: "z1", argumentsText: '{"a', parseError: expect.any(String) },
    ]);
    expect(plainContents(made)[0]).not.toHaveProperty("arguments");
  });

  it.each([
    ["(b) encoded twice", '"{\\"room\\":\\"hall\\"}"', { room: "hall" }],
    ["(c) with JSON in a text", '{"payload":"{\\"x\\":1}"}', { payload: '{"x":1}' }],
  ])("B10 %s are read as what they are", async (_, text, args) => {
    const made = await read(response([called("c1", "lamp", text)]));
    expect(plainContents(made)).toEqual([
      { type: "function_call", callId: "c1", name: "lamp", arguments: args },
    ]);
  });

  it.each(["[1,2]", "7"])("B10 (d) arguments that are no object are refused: %s", async (text) => {
    const made = await read(response([called("c1", "lamp", text)]));
    expect(plainContents(made)).toMatchObject([
      { argumentsText: text, parseError: expect.stringContaining("object") },
    ]);
  });

  it("B10 (a) arguments that come as an object are read", async () => {
    const item = called("c1", "lamp", "", { arguments: { room: "hall" } });
    expect(plainContents(await read(response([item])))).toEqual([
      { type: "function_call", callId: "c1", name: "lamp", arguments: { room: "hall" } },
    ]);
  });

  it("B10 (d) a list of arguments that comes as it is is refused", async () => {
    const item = called("c1", "lamp", "", { arguments: [1] });
    expect(plainContents(await read(response([item])))).toMatchObject([
      { argumentsText: "[1]", parseError: expect.any(String) },
    ]);
  });

  it.each(["", '{"a":1', '{"a":1}'])(
    "a call that the token limit cut never runs: %s",
    async (text) => {
      const item = called("c1", "lamp", text, { status: "incomplete" });
      const made = await read(cutResponse([said("I will."), item]));
      expect(made).toMatchObject({ finishReason: "length", rawFinishReason: "max_output_tokens" });
      expect(plainContents(made)[1]).toMatchObject({ parseError: expect.any(String) });
      expect(plainContents(made)[1]).not.toHaveProperty("arguments");
    },
  );

  it("a call that the service says is not whole never runs, wherever it stands", async () => {
    const item = called("c1", "lamp", { a: 1 }, { status: "incomplete" });
    const made = await read(response([item, said("Hm.")]));
    expect(plainContents(made)[0]).toMatchObject({ parseError: expect.any(String) });
  });

  it("a call that was whole before the limit is one", async () => {
    const item = called("c1", "lamp", { a: 1 });
    const made = await read(cutResponse([item, said("And no", { status: "incomplete" })]));
    expect(plainContents(made)[0]).toMatchObject({ callId: "c1", arguments: { a: 1 } });
    expect(plainContents(made)[0]).not.toHaveProperty("parseError");
  });

  it("a custom tool's free text is no arguments", async () => {
    const item = { type: "custom_tool_call", id: "ctc_1", call_id: "c1", name: "run", input: "ls" };
    expect(plainContents(await read(response([item])))).toMatchObject([
      {
        type: "function_call",
        callId: "c1",
        argumentsText: '"ls"',
        parseError: expect.any(String),
      },
    ]);
  });

  it("a call without a name cannot run, and is kept", async () => {
    const made = await read(response([called("c1", "", { a: 1 })]));
    expect(plainContents(made)).toMatchObject([
      { callId: "c1", name: "unnamed", parseError: expect.any(String) },
    ]);
  });

  it("two calls of one id are two calls", async () => {
    const twice = [called("c1", "lamp", { a: 1 }), called("c1", "gauge", { b: 2 }, { id: "fc_2" })];
    const [one, two] = plainContents(await read(response(twice)));
    expect([one, two]).toMatchObject([{ callId: "c1" }, { name: "gauge", arguments: { b: 2 } }]);
    expect(Object(two).callId).not.toBe("c1");
  });
});

describe("B08: arguments of a call", () => {
  const item = called("c9", "sum", { a: 2, b: 3 }, { id: "fc_1" });
  const events = asEvents(response([item]));
  const isOf =
    (...types: readonly string[]) =>
    (event: JsonObject) =>
      types.includes(String(event["type"]));
  const delta = isOf("response.function_call_arguments.delta");
  const end = events.at(-1) as JsonObject;
  it.each<[string, readonly JsonObject[]]>([
    ["(a) only in arguments.done", events.filter((event) => !delta(event))],
    ["(b) in deltas and in arguments.done", events],
    ["(c) only in response.completed", [end]],
    [
      "only in output_item.done",
      events.filter(isOf("response.output_item.done", "response.completed")),
    ],
    [
      "only in deltas",
      [
        ...events.filter(isOf("response.output_item.added")),
        ...events.filter(delta),
        { type: "response.completed", response: response([]) },
      ],
    ],
    [
      "in deltas that nothing announced",
      [...events.filter(delta), ...events.filter(isOf("response.output_item.done")), end],
    ],
    [
      "in deltas without index and id",
      events.map(({ output_index: _, item_id: __, ...event }) => event),
    ],
    [
      "where each event has ids of its own",
      events.map((event, at) => ("item_id" in event ? { ...event, item_id: `x${at}` } : event)),
    ],
  ])("%s: one call", async (_, told) => {
    const made = await readStream(told);
    expect(plainContents(made)).toEqual([
      { type: "function_call", callId: "c9", name: "sum", arguments: { a: 2, b: 3 } },
    ]);
    expect(made.finishReason).toBe("tool_calls");
  });

  it("the whole counts where deltas said something else", async () => {
    const told = events.map((event) => (delta(event) ? { ...event, delta: "?" } : event));
    expect(plainContents(await readStream(told))).toMatchObject([{ arguments: { a: 2, b: 3 } }]);
  });
});

it("calls are told apart where the end counts them differently than the stream did", async () => {
  const [one, two] = [called("c1", "lamp", { a: 1 }), called("c2", "lamp", { b: 2 })];
  const told = asEvents(response([one, two])).slice(0, -1);
  const end = { type: "response.completed", response: response([two, one]) };
  expect(plainContents(await readStream([...told, end]))).toMatchObject([
    { callId: "c1", arguments: { a: 1 } },
    { callId: "c2", arguments: { b: 2 } },
  ]);
  const onlyOne = asEvents(response([one])).slice(0, -1);
  expect(plainContents(await readStream([...onlyOne, end]))).toMatchObject([
    { callId: "c1", arguments: { a: 1 } },
    { callId: "c2", arguments: { b: 2 } },
  ]);
});

describe("B06: text", () => {
  const text = "naïve 🦊";
  const answer = response([said(text)]);
  it.each([1, 2, 3, 7])("is whole when the network cuts every %i bytes", async (size) => {
    const cut = (bytes: Uint8Array) => {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
      return pieces;
    };
    const made = await readStream(asEvents(answer), { cut });
    expect(plainContents(made)).toEqual([{ type: "text", text }]);
  });
});
