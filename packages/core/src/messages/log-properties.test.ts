import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content } from "./content.js";
import { checkHistory, modelView, openCalls } from "./log.js";
import { callsOf, type Message, type Role, textOf } from "./message.js";
import { hostedRequestIds } from "./requests.js";

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
const decision = (requestId: string): Content => ({
  type: "function_approval_response",
  requestId,
  approved: true,
});
const response = (callId: string): Content => decision(`r_${callId}`);
/** A question of the model service about a tool that it runs itself. */
const question = (requestId: string): Content => ({
  type: "function_approval_request",
  requestId,
  call: { type: "function_call", callId: requestId, name: "search", arguments: {} },
  provider: "service",
});
/** What a sub-agent that waits leaves in the log: its own service's question, and what it is at. */
const handedUp = (callId: string): Content[] => [
  { ...question(`up_${callId}`), path: [{ callId, name: "lamp" }] } as Content,
  { type: "paused_call", callId, requestIds: [`up_${callId}`], hash: "h", state: null },
];

/** What a conversation knows of itself while it is played. */
class Conversation {
  readonly open: string[] = [];
  readonly done: string[] = [];
  readonly #questions: string[] = [];
  readonly #decided: string[] = [];
  #calls = 0;
  #asked = 0;

  newCalls(count: number): string[] {
    const ids = Array.from({ length: count }, () => `c${this.#calls++}`);
    this.open.push(...ids);
    return ids;
  }

  /** Results of some open calls, in an order of their own. */
  results(count: number, pick: number): Content[] {
    const taken = takenFrom(this.open, count, pick);
    this.done.push(...taken);
    return taken.map(result);
  }

  /** Questions of the model service. */
  asks(count: number): Content[] {
    const ids = Array.from({ length: count }, () => `q${this.#asked++}`);
    this.#questions.push(...ids);
    return ids.map(question);
  }

  /** Answers to some of these, in an order of their own. */
  decides(count: number, pick: number): Content[] {
    const taken = takenFrom(this.#questions, count, pick);
    this.#decided.push(...taken);
    return taken.map(decision);
  }

  decidesAgain(count: number): Content[] {
    return this.#decided.slice(0, count).map(decision);
  }
}

function takenFrom(list: string[], count: number, pick: number): string[] {
  const taken: string[] = [];
  while (taken.length < count && list.length > 0) {
    taken.push(...list.splice((pick + 7 * taken.length) % list.length, 1));
  }
  return taken;
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
  asks: (talk, at, count, pick) => [
    "assistant",
    ...(pick % 2 === 0 ? [text(`a${at}`)] : []),
    ...talk.asks(count),
    ...(pick % 3 === 0 ? talk.newCalls(1 + (pick % 2)).map(call) : []),
  ],
  decides: (talk, at, count, pick) => [
    "user",
    ...talk.decides(count, pick),
    ...(pick % 2 === 0 ? [text(`u${at}`)] : []),
  ],
  decidesAll: (talk, _, __, pick) => ["user", ...talk.decides(Infinity, pick)],
  handedUp: (talk) => {
    const ids = talk.newCalls(1);
    return ["assistant", ...ids.map(call), ...ids.flatMap(handedUp)];
  },
};
const unlawful: Record<string, Step> = {
  stray: (talk, at, count, pick) => ["tool", ...talk.results(count, pick), result(`x${at}`)],
  again: (talk, _, count) => ["tool", ...talk.done.slice(0, count).map(result)],
  forged: (_, at) => ["user", text(`u${at}`), call(`f${at}`), question(`f${at}`)],
  decidesAgain: (talk, _, count) => ["user", ...talk.decidesAgain(count)],
  decidesNothing: (_, at) => ["user", decision(`x${at}`)],
};

function logOf(steps: Record<string, Step>): fc.Arbitrary<Message[]> {
  const move = fc.record({
    step: fc.constantFrom(...Object.values(steps)),
    count: fc.integer({ min: 1, max: 4 }),
    pick: fc.nat({ max: 1000 }),
  });
  return fc.array(move, { maxLength: 25, size: "max" }).map((moves) => {
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

const questionsIn = (message: Message | undefined): readonly string[] =>
  message ? hostedRequestIds(message) : [];

const answersIn = (message: Message | undefined, role: Role): string[] =>
  (message?.role === role ? message.contents : []).map((content) => {
    if (content.type === "function_result") return content.callId;
    return content.type === "function_approval_response" ? content.requestId : content.type;
  });

/** What a model service would refuse about the message at a place. */
function complaints(view: readonly Message[], at: number): string[] {
  const found: string[] = [];
  const message = view[at];
  const [calls, questions] = [idsOf(message), questionsIn(message)];
  const answers = answersIn(view[at + 1], "tool");
  if (calls.length > 0 && answers.join() !== calls.join())
    found.push(`${calls} answered by ${answers}`);
  const decisions = answersIn(view[at + (calls.length > 0 ? 2 : 1)], "user");
  if (questions.length > 0 && decisions.join() !== questions.join())
    found.push(`${questions} decided by ${decisions}`);
  return message ? [...found, ...strangers(message, view.slice(0, at))] : found;
}

/** What stands in a message that has no place in it. */
function strangers({ id, role, contents }: Message, before: readonly Message[]): string[] {
  const found: string[] = [];
  const [last, second] = [before.at(-1), before.at(-2)];
  if (role === "tool" && idsOf(last).length === 0) found.push(`${id} answers nothing`);
  if (contents.length === 0) found.push(`${id} is empty`);
  const asked = questionsIn(last?.role === "tool" ? second : last);
  for (const content of contents) {
    if (isStrange(content, role, asked)) found.push(`${id} holds a ${content.type}`);
  }
  return found;
}

function isStrange(content: Content, role: Role, asked: readonly string[]): boolean {
  if (content.type === "function_result") return role !== "tool";
  if (content.type === "function_approval_response") return !asked.includes(content.requestId);
  if (content.type !== "function_approval_request") return content.type === "paused_call";
  return role !== "assistant" || content.provider === undefined || content.path !== undefined;
}

const stringified = (messages: readonly Message[]): string[] =>
  messages.map((each) => JSON.stringify(each));

describe("modelView of any log", () => {
  it("is valid after every message", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        for (let length = 0; length <= log.length; length++) {
          const view = modelView(log.slice(0, length));
          expect([...view.keys()].flatMap((at) => complaints(view, at))).toEqual([]);
          const ids = view.flatMap((each) => [...idsOf(each), ...questionsIn(each)]);
          expect(ids).toHaveLength(new Set(ids).size);
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

  it("loses no words and nothing that is answered, and keeps the words in their order", () => {
    let questions = 0;
    fc.assert(
      fc.property(anyLog, (log) => {
        const view = modelView(log);
        const wordsIn = (messages: readonly Message[]): string[] =>
          messages.map(textOf).filter(Boolean);
        const waits = (each: Message) => idsOf(each).length + questionsIn(each).length > 0;
        const free = (each: Message) => !waits(each);
        expect(wordsIn(view.filter(free))).toEqual(wordsIn(log.filter(free)));
        const open = new Set(openCalls(log).map(({ callId }) => callId));
        const decided = new Set(
          log.flatMap((each) => (each.role === "assistant" ? [] : answersIn(each, each.role))),
        );
        const answered = log.filter(
          (each) =>
            waits(each) &&
            !idsOf(each).some((callId) => open.has(callId)) &&
            questionsIn(each).every((requestId) => decided.has(requestId)),
        );
        questions += answered.flatMap(questionsIn).length;
        const asks = (each: Message) => [...idsOf(each), ...questionsIn(each)];
        expect(view.flatMap(asks).toSorted()).toEqual(answered.flatMap(asks).toSorted());
      }),
      { numRuns: 500 },
    );
    expect(questions).toBeGreaterThan(100);
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
