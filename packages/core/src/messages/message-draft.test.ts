import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content, FunctionCallContent } from "./content.js";
import { foldUpdates } from "./fold-updates.js";
import type { Message } from "./message.js";
import { MessageDraft } from "./message-draft.js";
import { parseArguments } from "./parse-arguments.js";
import type { DeltaUpdate, Update } from "./update.js";

function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key));
    Object.freeze(value);
  }
  return value;
}

const delta = (...contents: Content[]): DeltaUpdate =>
  frozen({ type: "delta", messageId: "m1", role: "assistant", contents });
const finish: Update = { type: "finish", messageId: "m1" };

/** A content as a model means it, before a service cuts it up. */
type Meant =
  | { readonly kind: "text" | "block" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly text: string }
  | { readonly kind: "other"; readonly content: Content };

const words = fc.string({ maxLength: 12, unit: "binary" });
const meant: fc.Arbitrary<Meant> = fc.oneof(
  fc.record({ kind: fc.constantFrom("text", "block", "reasoning"), text: words }),
  fc.record({
    kind: fc.constant("call" as const),
    text: fc.oneof(
      fc
        .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }))
        .map((value) => JSON.stringify(value)),
      fc.constantFrom("", "  ", "{", "[1]", '"{\\"a\\":1}"'),
    ),
  }),
  fc.record({
    kind: fc.constant("other" as const),
    content: fc.constantFrom<Content>(
      JSON.parse('{"type":"hologram","frames":[{"x":1}]}'),
      { type: "uri", uri: "https://example.com", mediaType: "text/html" },
      { type: "error", message: "refused", additionalProperties: { label: "x" } },
    ),
  }),
);

/** The pieces of one content; only the first piece of a call has its name. */
function fragmentsOf(what: Meant, index: number, cut: (text: string) => string[]): Content[] {
  if (what.kind === "other") return [what.content];
  const pieces = cut(what.text);
  if (what.kind === "call") {
    return pieces.map((argumentsText, piece) => ({
      type: "function_call",
      callId: `c${index}`,
      name: piece === 0 ? `tool_${index}` : "",
      argumentsText,
    }));
  }
  if (what.kind === "text") return pieces.map((text) => ({ type: "text", text }));
  const type = what.kind === "block" ? "text" : "text_reasoning";
  return pieces.map((text) => ({ type, text, id: `b${index}` }));
}

/** The finished contents: neighbouring plain text is one, everything else is itself. */
function expectedContents(list: readonly Meant[]): Content[] {
  const contents: Content[] = [];
  list.forEach((what, index) => {
    const last = contents[contents.length - 1];
    if (what.kind === "other") contents.push(what.content);
    else if (what.kind === "call") {
      const call = { type: "function_call", callId: `c${index}`, name: `tool_${index}` } as const;
      contents.push({ ...call, ...parseArguments(what.text) });
    } else if (what.kind === "block")
      contents.push({ type: "text", text: what.text, id: `b${index}` });
    else if (what.kind === "reasoning") {
      contents.push({ type: "text_reasoning", text: what.text, id: `b${index}` });
    } else if (last?.type === "text" && last.id === undefined) {
      contents[contents.length - 1] = { type: "text", text: last.text + what.text };
    } else contents.push({ type: "text", text: what.text });
  });
  return contents;
}

/** Decisions of one run, drawn from a list of numbers that is read round and round. */
function chooser(numbers: readonly number[]): (below: number) => number {
  let at = 0;
  return (below) => (numbers[at++ % numbers.length] ?? 0) % below;
}

/**
 * Cuts contents up as services do: text and argument text at any place, pieces of calls and blocks
 * that have begun anywhere later, any number of pieces in one delta.
 */
function cutUp(list: readonly Meant[], choose: (below: number) => number): DeltaUpdate[] {
  const cut = (text: string): string[] => {
    const pieces: string[] = [];
    let rest = text;
    while (rest !== "" && choose(3) > 0) {
      const length = choose(rest.length + 1);
      pieces.push(rest.slice(0, length));
      rest = rest.slice(length);
      if (pieces.length > 8) break;
    }
    return [...pieces, rest];
  };
  const begun: Content[][] = [];
  const stream: Content[] = [];
  const later = (): void => {
    while (begun.length > 0 && choose(2) === 1) {
      const at = choose(begun.length);
      const next = begun[at]?.shift();
      if (next) stream.push(next);
      else begun.splice(at, 1);
    }
  };
  list.forEach((what, index) => {
    const fragments = fragmentsOf(what, index, cut);
    if (what.kind === "text") {
      for (const fragment of fragments) {
        stream.push(fragment);
        later();
      }
    } else {
      const [first, ...rest] = fragments;
      if (first) stream.push(first);
      begun.push(rest);
      later();
    }
  });
  stream.push(...begun.flat());
  const deltas: DeltaUpdate[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = 1 + choose(3);
    deltas.push(delta(...stream.slice(at, at + size)));
    at += size;
  }
  return deltas;
}

describe("whatever way the contents of a message are cut into deltas", () => {
  const list = fc.array(meant, { maxLength: 7 });
  const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 60 });

  it("the finished message is the same", () => {
    fc.assert(
      fc.property(list, numbers, (contents, choices) => {
        const fold = foldUpdates([delta(), ...cutUp(contents, chooser(choices)), finish]);
        expect(fold.messages[0]?.contents).toEqual(expectedContents(contents));
      }),
      { numRuns: 2000 },
    );
  });

  it("no snapshot changes after it was taken, and taking them changes nothing", () => {
    fc.assert(
      fc.property(list, numbers, (contents, choices) => {
        const choose = chooser(choices);
        const fold = foldUpdates([delta()]);
        const taken: { snapshot: readonly Message[]; copy: readonly Message[] }[] = [];
        for (const update of [...cutUp(contents, choose), finish]) {
          if (choose(2) === 0) {
            const snapshot = fold.messages;
            taken.push({ snapshot, copy: structuredClone(snapshot) });
          }
          fold.add(update);
        }
        expect(fold.messages[0]?.contents).toEqual(expectedContents(contents));
        for (const { snapshot, copy } of taken) expect(snapshot).toStrictEqual(copy);
      }),
      { numRuns: 1000 },
    );
  });

  it("the messages are plain JSON", () => {
    fc.assert(
      fc.property(list, numbers, (contents, choices) => {
        const fold = foldUpdates([delta(), ...cutUp(contents, chooser(choices))]);
        expect(JSON.parse(JSON.stringify(fold.messages))).toStrictEqual(fold.messages);
        fold.add(finish);
        expect(JSON.parse(JSON.stringify(fold.messages))).toStrictEqual(fold.messages);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a snapshot", () => {
  it("is the same object until something is added", () => {
    const draft = new MessageDraft(delta());
    draft.add(delta({ type: "text", text: "a" }));
    const snapshot = draft.message();
    expect(draft.message()).toBe(snapshot);
    draft.add(delta({ type: "text", text: "b" }));
    expect(draft.message()).not.toBe(snapshot);
  });

  it("shares the contents that have not changed since", () => {
    const draft = new MessageDraft(delta());
    draft.add(delta({ type: "uri", uri: "a:b", mediaType: "x/y" }, { type: "text", text: "a" }));
    const [before] = draft.message().contents;
    draft.add(delta({ type: "text", text: "b" }));
    expect(draft.message().contents[0]).toBe(before);
  });
});

describe("a long stream", () => {
  const count = 100_000;

  /** A delta that tells how often its content was looked at. */
  function counted(content: Content, seen: { reads: number }): DeltaUpdate {
    const watched: ProxyHandler<Content> = {
      get(target, key, receiver) {
        seen.reads++;
        return Reflect.get(target, key, receiver);
      },
    };
    return {
      type: "delta",
      messageId: "m1",
      role: "assistant",
      contents: [new Proxy(content, watched)],
    };
  }

  it("of text looks at each piece a fixed number of times", () => {
    const seen = { reads: 0 };
    const fold = foldUpdates();
    for (let at = 0; at < count; at++) fold.add(counted({ type: "text", text: "abcdefgh " }, seen));
    const perDelta = seen.reads / count;
    const [content] = fold.messages[0]?.contents ?? [];
    expect(content).toEqual({ type: "text", text: "abcdefgh ".repeat(count) });
    expect(perDelta).toBeLessThan(12);
  });

  it("of argument text looks at each piece a fixed number of times", () => {
    const seen = { reads: 0 };
    const fold = foldUpdates();
    const add = (argumentsText: string, name = ""): void =>
      fold.add(counted({ type: "function_call", callId: "c1", name, argumentsText }, seen));
    add('{"text":"', "echo");
    for (let at = 0; at < count; at++) add("x");
    add('"}');
    const perDelta = seen.reads / count;
    fold.add(finish);
    expect(fold.messages[0]?.contents).toEqual([
      { type: "function_call", callId: "c1", name: "echo", arguments: { text: "x".repeat(count) } },
    ]);
    expect(perDelta).toBeLessThan(16);
  });

  it("of many calls at once finds each call without searching for it", () => {
    const calls = 20_000;
    const seen = { reads: 0 };
    const fold = foldUpdates();
    for (const piece of ["", "{", "}"]) {
      for (let at = 0; at < calls; at++) {
        const call: FunctionCallContent = {
          type: "function_call",
          callId: `c${at}`,
          name: "f",
          argumentsText: piece,
        };
        fold.add(counted(call, seen));
      }
    }
    const perDelta = seen.reads / (3 * calls);
    fold.add(finish);
    expect(fold.messages[0]?.contents).toHaveLength(calls);
    expect(fold.messages[0]?.contents[calls - 1]).toMatchObject({ arguments: {} });
    expect(perDelta).toBeLessThan(30);
  });
});
