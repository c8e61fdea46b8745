import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content } from "./content.js";
import { checkHistory, modelView, openCalls } from "./log.js";
import { callsOf, type Message, type Role, textOf } from "./message.js";

const text = (words: string): Content => ({ type: "text", text: words });
const call = (callId: string): Content => ({
  type: "function_call",
  callId,
  name: "lamp",
  arguments: {},
});
const ranThere = (callId: string): Content => ({
  type: "function_call",
  callId,
  name: "lamp",
  informationalOnly: true,
});
const result = (callId: string): Content => ({
  type: "function_result",
  callId,
  contents: [text(`result of ${callId}`)],
});
const request = (callId: string): Content => ({
  type: "function_approval_request",
  requestId: `r_${callId}`,
  call: { type: "function_call", callId, name: "lamp", arguments: {} },
});
const response = (callId: string): Content => ({
  type: "function_approval_response",
  requestId: `r_${callId}`,
  approved: true,
});

/** What a conversation knows of itself while it is played. */
class Conversation {
  readonly open: string[] = [];
  readonly done: string[] = [];
  #calls = 0;

  newCalls(count: number): string[] {
    const ids = Array.from({ length: count }, () => `c${this.#calls++}`);
    this.open.push(...ids);
    return ids;
  }

  /** Results of some open calls, in an order of their own. */
  results(count: number, pick: number): Content[] {
    const taken: string[] = [];
    while (taken.length < count && this.open.length > 0) {
      taken.push(...this.open.splice((pick + 7 * taken.length) % this.open.length, 1));
    }
    this.done.push(...taken);
    return taken.map(result);
  }
}

type Step = (talk: Conversation, at: number, count: number, pick: number) => [Role, ...Content[]];

/** Results come late, in part, out of order, spread over messages, or never. */
const lawful: Record<string, Step> = {
  user: (_, at) => ["user", text(`u${at}`)],
  words: (_, at) => ["assistant", text(`a${at}`)],
  batch: (talk, at, count, pick) => [
    "assistant",
    ...(pick % 2 === 0 ? [text(`a${at}`)] : []),
    ...talk.newCalls(count).map(call),
  ],
  paused: (talk, _, count, pick) => {
    const ids = talk.newCalls(count);
    return ["assistant", ...ids.map(call), ...ids.slice(pick % count).map(request)];
  },
  results: (talk, _, count, pick) => ["tool", ...talk.results(count, pick)],
  allResults: (talk, _, __, pick) => ["tool", ...talk.results(Infinity, pick)],
  inUserMessage: (talk, at, count, pick) => ["user", text(`u${at}`), ...talk.results(count, pick)],
  decision: (_, __, ___, pick) => ["user", response(`c${pick % 9}`)],
  ranThere: (_, at) => ["assistant", ranThere(`s${at}`)],
};
const unlawful: Record<string, Step> = {
  stray: (talk, at, count, pick) => ["tool", ...talk.results(count, pick), result(`x${at}`)],
  again: (talk, _, count) => ["tool", ...talk.done.slice(0, count).map(result)],
  forged: (_, at) => ["user", text(`u${at}`), call(`f${at}`)],
};

function logOf(steps: Record<string, Step>): fc.Arbitrary<Message[]> {
  const move = fc.record({
    step: fc.constantFrom(...Object.values(steps)),
    count: fc.integer({ min: 1, max: 4 }),
    pick: fc.nat({ max: 1000 }),
  });
  return fc.array(move, { maxLength: 25 }).map((moves) => {
    const talk = new Conversation();
    return moves.map(({ step, count, pick }, at) => {
      const [role, ...contents] = step(talk, at, count, pick);
      return Object.freeze({
        id: `m${at}`,
        role,
        contents: Object.freeze(contents),
        createdAt: at,
      });
    });
  });
}

const anyLog = logOf({ ...lawful, ...unlawful });

const idsOf = (message: Message | undefined): string[] =>
  message ? callsOf(message).map(({ callId }) => callId) : [];

/** What a model service would refuse about one message at its place. */
function complaints(
  message: Message,
  before: Message | undefined,
  next: Message | undefined,
): string[] {
  const found: string[] = [];
  const calls = idsOf(message);
  const answers = (next?.role === "tool" ? next.contents : []).map((content) =>
    content.type === "function_result" ? content.callId : content.type,
  );
  if (calls.length > 0 && answers.join() !== calls.join())
    found.push(`${calls} answered by ${answers}`);
  if (message.role === "tool" && idsOf(before).length === 0)
    found.push(`${message.id} answers nothing`);
  if (message.contents.length === 0) found.push(`${message.id} is empty`);
  for (const { type } of message.contents) {
    if (type.startsWith("function_approval")) found.push(`${message.id} shows a control`);
    if (type === "function_result" && message.role !== "tool")
      found.push(`${message.id} holds a result`);
  }
  return found;
}

const stringified = (messages: readonly Message[]): string[] =>
  messages.map((each) => JSON.stringify(each));

describe("modelView of any log", () => {
  it("is valid after every message", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        for (let length = 0; length <= log.length; length++) {
          const view = modelView(log.slice(0, length));
          expect(view.flatMap((each, at) => complaints(each, view[at - 1], view[at + 1]))).toEqual(
            [],
          );
          const calls = view.flatMap(idsOf);
          expect(calls).toHaveLength(new Set(calls).size);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("only grows at its end: the same objects stand where they stood", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        let before: readonly Message[] = [];
        for (let length = 0; length <= log.length; length++) {
          const view = modelView(log.slice(0, length));
          expect(before.every((each, at) => each === view[at])).toBe(true);
          before = view;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("says the same, object by object, when it is asked again", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const once = modelView(log);
        const twice = modelView(log);
        expect(twice).toHaveLength(once.length);
        expect(once.every((each, at) => each === twice[at])).toBe(true);
      }),
    );
  });

  it("hands on every message that needs no change as the same object", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const known = new Map(log.map((each) => [JSON.stringify(each), each]));
        for (const each of modelView(log)) {
          const same = known.get(JSON.stringify(each));
          if (same !== undefined) expect(each).toBe(same);
        }
      }),
    );
  });

  it("loses no words and no answered batch, and keeps the words in their order", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const view = modelView(log);
        const wordsIn = (messages: readonly Message[]): string[] =>
          messages.map(textOf).filter(Boolean);
        const free = (each: Message) => idsOf(each).length === 0;
        expect(wordsIn(view.filter(free))).toEqual(wordsIn(log.filter(free)));
        const open = new Set(openCalls(log).map(({ callId }) => callId));
        const answered = log.filter(
          (each) =>
            callsOf(each).length > 0 && !callsOf(each).some(({ callId }) => open.has(callId)),
        );
        const shown = view.flatMap((each) => callsOf(each).map(({ callId }) => callId));
        const wanted = answered.flatMap((each) => callsOf(each).map(({ callId }) => callId));
        expect(shown.toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it("changes nothing in the log, and the view of a view is that view", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const before = stringified(log);
        const view = modelView(log);
        expect(stringified(log)).toEqual(before);
        expect(stringified(modelView(view))).toEqual(stringified(view));
      }),
    );
  });

  it("does not depend on who asked before: a copy of the log gives an equal view", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        for (let length = 0; length < log.length; length++) modelView(log.slice(0, length));
        const copy: Message[] = JSON.parse(JSON.stringify(log));
        expect(stringified(modelView(log))).toEqual(stringified(modelView(copy)));
      }),
    );
  });

  it("is a log in which checkHistory finds nothing", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        expect(checkHistory(modelView(log))).toEqual([]);
      }),
    );
  });
});

describe("checkHistory of any log", () => {
  it("finds nothing where calls are answered late, in part or never", () => {
    fc.assert(
      fc.property(logOf(lawful), (log) => {
        expect(checkHistory(log)).toEqual([]);
      }),
    );
  });

  it("finds as many problems as there are results too many", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const calls = new Set(log.flatMap(idsOf));
        const results = log.flatMap(({ contents }) =>
          contents.flatMap((content) =>
            content.type === "function_result" ? [content.callId] : [],
          ),
        );
        const answered = new Set(results.filter((callId) => calls.has(callId)));
        expect(checkHistory(log)).toHaveLength(results.length - answered.size);
      }),
    );
  });
});
