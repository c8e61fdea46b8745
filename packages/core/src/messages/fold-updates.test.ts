import { describe, expect, it, vi } from "vitest";
import { type Content, rawRepresentation } from "./content.js";
import { foldUpdates } from "./fold-updates.js";
import { type DeltaUpdate, type FinishUpdate, type Update, updatesOf } from "./update.js";

/** Frozen all the way down: whoever changes what came in from outside fails. */
function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
    Object.freeze(value);
  }
  return value;
}

const deltaOf = (messageId: string, ...contents: Content[]): DeltaUpdate =>
  frozen({ type: "delta", messageId, role: "assistant", contents });
const delta = (...contents: Content[]): DeltaUpdate => deltaOf("m1", ...contents);
const finish = (messageId = "m1", rest: Partial<FinishUpdate> = {}): FinishUpdate =>
  frozen({ type: "finish", messageId, ...rest });
const text = (words: string, id?: string): Content =>
  id === undefined ? { type: "text", text: words } : { type: "text", text: words, id };
const reasoning = (words: string, id?: string): Content =>
  id === undefined
    ? { type: "text_reasoning", text: words }
    : { type: "text_reasoning", text: words, id };
const fragment = (callId: string, argumentsText: string, name = ""): Content => ({
  type: "function_call",
  callId,
  name,
  argumentsText,
});

const contentsOf = (...updates: Update[]) => foldUpdates(updates).messages[0]?.contents;

describe("text", () => {
  it("that is adjacent grows together", () => {
    expect(
      contentsOf(delta(text("Hel")), delta(text("lo"), text(", ")), delta(text("you"))),
    ).toEqual([text("Hello, you")]);
  });

  it("is parted by anything that stands between", () => {
    const picture: Content = {
      type: "uri",
      uri: "https://example.com/a.png",
      mediaType: "image/png",
    };
    expect(contentsOf(delta(text("a")), delta(picture), delta(text("b")))).toEqual([
      text("a"),
      picture,
      text("b"),
    ]);
  });

  it("and reasoning never merge, whatever their ids", () => {
    expect(contentsOf(delta(text("a"), reasoning("b"), text("c")))).toHaveLength(3);
    expect(contentsOf(delta(text("a", "1"), reasoning("b", "1"), text("c", "1")))).toEqual([
      text("ac", "1"),
      reasoning("b", "1"),
    ]);
  });

  it("of one block grows where the block stands, also when blocks alternate", () => {
    expect(
      contentsOf(
        delta(text("a", "1")),
        delta(text("x", "2")),
        delta(text("b", "1"), text("y", "2")),
      ),
    ).toEqual([text("ab", "1"), text("xy", "2")]);
  });

  it("with an id and without one stay apart", () => {
    expect(contentsOf(delta(text("a", "1"), text("b"), text("c", "2")))).toHaveLength(3);
  });

  it("with something attached keeps it to itself, unless an id says it belongs together", () => {
    const signed: Content = {
      type: "text",
      text: "b",
      providerData: { gemini: { signature: "s" } },
    };
    expect(contentsOf(delta(text("a"), signed, text("c")))).toEqual([text("a"), signed, text("c")]);
    expect(
      contentsOf(
        delta({ ...signed, id: "1" }),
        delta({
          type: "text",
          text: "c",
          id: "1",
          providerData: { gemini: { item: 2 }, openai: { item: 3 } },
          additionalProperties: { label: "x" },
        }),
      ),
    ).toEqual([
      {
        type: "text",
        text: "bc",
        id: "1",
        providerData: { gemini: { signature: "s", item: 2 }, openai: { item: 3 } },
        additionalProperties: { label: "x" },
      },
    ]);
  });
});

describe("reasoning", () => {
  it("of different ids stays apart, of the same id grows", () => {
    expect(
      contentsOf(
        delta(reasoning("why", "1")),
        delta(reasoning("how", "2")),
        delta(reasoning("!", "1")),
      ),
    ).toEqual([reasoning("why!", "1"), reasoning("how", "2")]);
  });

  it("gets the signature that comes after its text", () => {
    expect(
      contentsOf(
        delta(reasoning("why", "1")),
        delta({ ...reasoning("", "1"), providerData: { anthropic: { signature: "s" } } }),
      ),
    ).toEqual([{ ...reasoning("why", "1"), providerData: { anthropic: { signature: "s" } } }]);
  });
});

describe("calls", () => {
  it("take each fragment by its id, however parallel calls are interleaved", () => {
    expect(
      contentsOf(
        delta(fragment("c1", "", "lamp"), fragment("c2", '{"n"', "door")),
        delta(fragment("c1", '{"on":')),
        delta(fragment("c2", ":2}"), fragment("c1", "true}")),
        finish(),
      ),
    ).toEqual([
      { type: "function_call", callId: "c1", name: "lamp", arguments: { on: true } },
      { type: "function_call", callId: "c2", name: "door", arguments: { n: 2 } },
    ]);
  });

  it("have whole names: a repeated name is not appended, a late one is taken", () => {
    expect(
      contentsOf(delta(fragment("c1", "", "lamp"), fragment("c1", "{}", "lamp")), finish()),
    ).toMatchObject([{ callId: "c1", name: "lamp" }]);
    expect(
      contentsOf(delta(fragment("c1", "", "")), delta(fragment("c1", "{}", "lamp")), finish()),
    ).toMatchObject([{ callId: "c1", name: "lamp" }]);
  });

  it("are parsed once each, and only when the message is finished", () => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      const fold = foldUpdates([delta(fragment("c1", "", "lamp"), fragment("c2", "{}", "door"))]);
      for (const letter of '{"on":true}') fold.add(delta(fragment("c1", letter)));
      expect(fold.messages[0]?.contents[0]).toMatchObject({ argumentsText: '{"on":true}' });
      expect(fold.messages[0]?.contents[0]).not.toHaveProperty("arguments");
      expect(parse).not.toHaveBeenCalled();
      fold.add(finish());
      expect(fold.messages[0]?.contents[0]).toEqual({
        type: "function_call",
        callId: "c1",
        name: "lamp",
        arguments: { on: true },
      });
      expect(fold.messages).toHaveLength(1);
      expect(parse).toHaveBeenCalledTimes(2);
    } finally {
      parse.mockRestore();
    }
  });

  it("without any argument text are calls with {}", () => {
    expect(
      contentsOf(delta({ type: "function_call", callId: "c1", name: "ports" }), finish()),
    ).toEqual([{ type: "function_call", callId: "c1", name: "ports", arguments: {} }]);
  });

  it("keep text that does not parse, with the reason", () => {
    const [call] = contentsOf(delta(fragment("c1", '{"on":', "lamp")), finish()) ?? [];
    expect(call).toMatchObject({
      argumentsText: '{"on":',
      parseError: expect.stringContaining("JSON"),
    });
    expect(call).not.toHaveProperty("arguments");
  });

  it("that are whole stay as they are, broken ones too", () => {
    const whole: Content = { type: "function_call", callId: "c1", name: "f", arguments: { a: 1 } };
    const broken: Content = { ...fragment("c2", "{", "f"), parseError: "cut" } as Content;
    expect(contentsOf(delta(whole, broken), finish())).toEqual([whole, broken]);
    expect(contentsOf(delta(whole, broken))).toEqual([whole, broken]);
  });

  it("take the whole arguments over the fragments that came before", () => {
    const whole: Content = { type: "function_call", callId: "c1", name: "f", arguments: { a: 1 } };
    expect(contentsOf(delta(fragment("c1", '{"a"', "f")), delta(whole), finish())).toEqual([whole]);
  });

  it("of two messages do not mix, even where a service repeats an id", () => {
    const fold = foldUpdates([
      deltaOf("m1", fragment("c1", '{"a":', "f")),
      deltaOf("m2", fragment("c1", '{"b":', "g")),
      deltaOf("m1", fragment("c1", "1}")),
      deltaOf("m2", fragment("c1", "2}")),
      finish("m1"),
      finish("m2"),
    ]);
    expect(fold.messages.map(({ contents }) => contents)).toEqual([
      [{ type: "function_call", callId: "c1", name: "f", arguments: { a: 1 } }],
      [{ type: "function_call", callId: "c1", name: "g", arguments: { b: 2 } }],
    ]);
  });
});

describe("other contents", () => {
  it("of types that nobody here knows survive as they came", () => {
    const strange: Content = JSON.parse('{"type":"hologram","frames":[{"x":1}],"text":"no text"}');
    expect(contentsOf(delta(text("a"), strange), delta(strange), finish())).toEqual([
      text("a"),
      strange,
      strange,
    ]);
  });

  it("keep the vendor's own object under its symbol, on calls that were parsed too", () => {
    const raw = { vendor: true };
    const contents = contentsOf(
      delta({ ...text("a"), [rawRepresentation]: raw }),
      delta({ ...fragment("c1", "{}", "f"), [rawRepresentation]: raw }),
      finish(),
    );
    expect(contents?.map((content) => content[rawRepresentation])).toEqual([raw, raw]);
    expect(contents?.[1]?.[rawRepresentation]).toBe(raw);
  });

  it("leave no trace when they are progress", () => {
    const fold = foldUpdates([
      delta(text("a")),
      { type: "progress", callId: "c1", contents: [text("50 %")], update: delta(text("inner")) },
      delta(text("b")),
    ]);
    expect(fold.messages.map(({ contents }) => contents)).toEqual([[text("ab")]]);
  });
});

describe("messages", () => {
  it("stand in the order in which they began, with what their first delta said of them", () => {
    const fold = foldUpdates([
      { ...deltaOf("m1", text("a")), createdAt: 7, authorName: "Ada" },
      { ...deltaOf("m2"), role: "tool", createdAt: 8 },
      { ...deltaOf("m1", text("b")), createdAt: 9, additionalProperties: { label: "x" } },
      { ...deltaOf("m1"), additionalProperties: { other: "y" } },
    ]);
    expect(fold.messages).toEqual([
      {
        id: "m1",
        role: "assistant",
        createdAt: 7,
        authorName: "Ada",
        additionalProperties: { label: "x", other: "y" },
        contents: [text("ab")],
      },
      { id: "m2", role: "tool", createdAt: 8, contents: [] },
    ]);
  });

  it("said in one go by updatesOf come back as they are", () => {
    const message = frozen({
      id: "m1",
      role: "assistant" as const,
      contents: [
        text("a"),
        text("b", "1"),
        { ...fragment("c1", "{", "f"), parseError: "cut" } as Content,
      ],
      createdAt: 5,
      authorName: "Ada",
      additionalProperties: { label: "x" },
    });
    expect(foldUpdates(updatesOf(message, { finishReason: "stop" })).messages).toEqual([message]);
    expect(foldUpdates(updatesOf(message)).messages).toEqual([message]);
  });

  it("that were retracted are forgotten, with usage, finish reason and response id", () => {
    const fold = foldUpdates([
      deltaOf("m1", text("first")),
      finish("m1", {
        usage: { inputTokens: 10, outputTokens: 1 },
        finishReason: "stop",
        responseId: "r1",
      }),
      deltaOf("m2", text("second")),
      finish("m2", { usage: { inputTokens: 20 }, finishReason: "length", responseId: "r2" }),
    ]);
    expect(fold.usage).toEqual({ inputTokens: 30, outputTokens: 1 });
    expect([fold.finishReason, fold.responseId]).toEqual(["length", "r2"]);
    fold.add(frozen({ type: "retract", messageIds: ["m2", "never seen"] }));
    expect(fold.messages.map(({ id }) => id)).toEqual(["m1"]);
    expect(fold.usage).toEqual({ inputTokens: 10, outputTokens: 1 });
    expect([fold.finishReason, fold.responseId]).toEqual(["stop", "r1"]);
    fold.add({ type: "retract", messageIds: ["m1"] });
    expect([fold.messages, fold.usage, fold.finishReason]).toEqual([[], undefined, undefined]);
  });

  it("may be said anew after a retract, without anything of the first time", () => {
    const fold = foldUpdates([delta(text("old"), fragment("c1", '{"a":1}', "f"))]);
    fold.add({ type: "retract", messageIds: ["m1"] });
    fold.add(delta(text("new"), fragment("c1", "{}", "g")));
    fold.add(finish());
    expect(fold.messages.map(({ contents }) => contents)).toEqual([
      [text("new"), { type: "function_call", callId: "c1", name: "g", arguments: {} }],
    ]);
  });

  it("that nobody began are not made by a finish", () => {
    const fold = foldUpdates([finish("m9", { usage: { inputTokens: 1 } })]);
    expect([fold.messages, fold.usage]).toEqual([[], undefined]);
  });
});
