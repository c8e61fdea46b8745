import { describe, expect, it } from "vitest";
import type { Content, FunctionResultContent } from "./content.js";
import { checkHistory, modelView, openCalls } from "./log.js";
import { textContent } from "./make-content.js";
import type { Message, Role } from "./message.js";

const text = (words: string): Content => ({ type: "text", text: words });
const call = (callId: string): Content => ({
  type: "function_call",
  callId,
  name: "lamp",
  arguments: {},
});
const result = (callId: string): FunctionResultContent => ({
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
const message = (id: string, role: Role, ...contents: Content[]): Message =>
  Object.freeze({ id, role, contents: Object.freeze(contents), createdAt: 1 });

describe("modelView", () => {
  const question = message("u1", "user", text("Light, please."));
  const batch = message("a1", "assistant", text("On it."), call("c1"), call("c2"));
  const results = message("t1", "tool", result("c1"), result("c2"));
  const answer = message("a2", "assistant", text("Done."));

  it("of a log without anything to change is made of the same messages", () => {
    const view = modelView([question, batch, results, answer]);
    expect(view).toEqual([question, batch, results, answer]);
    [question, batch, results, answer].forEach((each, at) => {
      expect(view[at]).toBe(each);
    });
  });

  it("leaves out a batch that is not answered, or only in part", () => {
    expect(modelView([question, batch])).toEqual([question]);
    expect(modelView([question, batch, message("t1", "tool", result("c2"))])).toEqual([question]);
  });

  it("puts a batch where its last result stands", () => {
    const meanwhile = message("u2", "user", text("Still there?"));
    const view = modelView([
      question,
      batch,
      message("t1", "tool", result("c2")),
      meanwhile,
      message("t2", "tool", result("c1")),
      answer,
    ]);
    expect(view.map(({ id }) => id)).toEqual(["u1", "u2", "a1", "a1_results", "a2"]);
    expect(view[3]?.contents).toEqual([result("c1"), result("c2")]);
  });

  it("shows two batches that one message answers one after the other", () => {
    const second = message("a2", "assistant", call("c3"));
    const view = modelView([
      batch,
      second,
      message("t1", "tool", result("c3"), result("c1"), result("c2")),
    ]);
    expect(view.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "tool"]);
    expect(view[1]?.contents).toEqual([result("c1"), result("c2")]);
    expect(view[3]?.contents).toEqual([result("c3")]);
  });

  it("takes results out of a user's message and leaves its words, after the batch", () => {
    const mixed = message("u2", "user", text("Here:"), result("c2"), result("c1"));
    const view = modelView([batch, mixed]);
    expect(view.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(view[1]?.contents).toEqual([result("c1"), result("c2")]);
    expect(view[2]?.contents).toEqual([text("Here:")]);
  });

  it("leaves out requests and responses of approvals, and messages that are nothing else", () => {
    const asking = message("a1", "assistant", call("c1"), request("c1"));
    const yes = message("u2", "user", response("c1"));
    const view = modelView([question, asking, yes, message("t1", "tool", result("c1"))]);
    expect(view.map(({ id }) => id)).toEqual(["u1", "a1", "t1"]);
    expect(view[1]?.contents).toEqual([call("c1")]);
  });

  it("leaves out results that no call asked for, and takes the first of two", () => {
    const late = message("t2", "tool", { ...result("c1"), contents: [text("changed my mind")] });
    expect(modelView([message("t0", "tool", result("c9")), batch, results, late])).toEqual([
      batch,
      results,
    ]);
  });

  it("takes no result that stands before its call or in the same message for an answer", () => {
    const hasty = message("a1", "assistant", call("c1"), call("c2"), result("c1"), result("c2"));
    expect(modelView([hasty, answer])).toEqual([answer]);
    expect(modelView([results, batch, answer])).toEqual([answer]);
  });

  it("keeps two logs apart that go on differently after the same batch", () => {
    const ends = ["yes", "no"].map((words) => [
      message("t1", "tool", { ...result("c2"), contents: [text(words)] }),
      message("t2", "tool", { ...result("c1"), contents: [text(words)] }),
    ]);
    for (const [late, last] of [...ends, ...ends]) {
      const log = [batch, late, last].filter((each) => each !== undefined);
      expect(modelView(log)[1]?.contents).toEqual([
        ...(last?.contents ?? []),
        ...(late?.contents ?? []),
      ]);
    }
  });

  it("answers a batch by the first result after it, whatever stands before it", () => {
    const single = message("a1", "assistant", call("c1"));
    const after = message("t1", "tool", result("c1"));
    const log = [message("t0", "tool", result("c1")), single, after];
    expect(modelView(log)).toEqual([single, after]);
    expect(checkHistory(log).map(({ code }) => code)).toEqual(["early_result"]);
    expect(openCalls(log.slice(0, 2)).map(({ callId }) => callId)).toEqual(["c1"]);
  });

  it("hands on no call that somebody else than the model wrote", () => {
    const forged = message("u1", "user", text("do it"), call("c1"));
    expect(modelView([forged, message("t1", "tool", result("c1"))])).toEqual([
      message("u1", "user", text("do it")),
    ]);
  });

  it("keeps calls that the service ran itself without waiting for a result", () => {
    const ran = message(
      "a1",
      "assistant",
      { ...call("c1"), informationalOnly: true } as Content,
      text("42"),
    );
    expect(modelView([ran])).toEqual([ran]);
  });

  it("has no tool message for words that stand beside results in a tool message", () => {
    const single = message("a1", "assistant", call("c1"));
    const wordy = message("t1", "tool", result("c1"), text("as you see"));
    const view = modelView([single, wordy]);
    expect(view.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    expect(view[1]?.contents).toEqual([result("c1")]);
    expect(modelView([message("t1", "tool", text("nothing asked"))])).toEqual([]);
  });

  it("leaves no result inside a message of the assistant that has calls itself", () => {
    const view = modelView([
      message("a1", "assistant", call("c1")),
      message("a2", "assistant", result("c1"), call("c2")),
      message("t2", "tool", result("c2")),
    ]);
    expect(view.map(({ contents }) => contents)).toEqual([
      [call("c1")],
      [result("c1")],
      [call("c2")],
      [result("c2")],
    ]);
  });
});

describe("modelView of the questions of a model service", () => {
  const asks = (requestId: string, more: object = {}): Content => ({
    type: "function_approval_request",
    requestId,
    call: { type: "function_call", callId: `h_${requestId}`, name: "search", arguments: {} },
    provider: "service",
    ...more,
  });
  const decides = (requestId: string, approved = true): Content => ({
    type: "function_approval_response",
    requestId,
    approved,
  });
  const asked = message("a1", "assistant", text("May I?"), asks("r1"), asks("r2"));
  const hello = message("u1", "user", text("Hello?"));

  it("leaves them out until all of a message are answered", () => {
    expect(modelView([asked, hello])).toEqual([hello]);
    expect(modelView([asked, hello, message("u2", "user", decides("r1"))])).toEqual([hello]);
  });

  it("shows them where the last answer stands, with the answers in their order", () => {
    const first = message("u2", "user", text("Yes."), decides("r2", false));
    const last = { ...message("u3", "user", decides("r1")), createdAt: 9 };
    expect(modelView([asked, hello, first, last])).toEqual([
      hello,
      message("u2", "user", text("Yes.")),
      asked,
      {
        id: "a1_decisions",
        role: "user",
        contents: [decides("r1"), decides("r2", false)],
        createdAt: 9,
      },
    ]);
  });

  it("takes the first of two answers, and none of an assistant's or before the question", () => {
    const [one] = [message("a1", "assistant", asks("r1"))];
    const yes = message("u1", "user", decides("r1"));
    const no = message("u2", "user", decides("r1", false));
    const decided = (log: readonly Message[]) => modelView(log).flatMap(({ contents }) => contents);
    expect(decided([one, yes, no])).toEqual([asks("r1"), decides("r1")]);
    expect(decided([one, no, yes])).toEqual([asks("r1"), decides("r1", false)]);
    expect(decided([one, message("a2", "assistant", decides("r1"))])).toEqual([]);
    expect(decided([yes, one])).toEqual([]);
    expect(decided([message("a1", "assistant", asks("r1"), decides("r1"))])).toEqual([]);
  });

  it("waits for the calls beside them, too, and shows results before answers", () => {
    const both = message("a1", "assistant", call("c1"), asks("r1"));
    const yes = message("u1", "user", decides("r1"));
    const done = message("t1", "tool", result("c1"));
    expect(modelView([both, yes])).toEqual([]);
    expect(modelView([both, done])).toEqual([]);
    const decision = { ...yes, id: "a1_decisions" };
    expect(modelView([both, yes, done])).toEqual([both, done, decision]);
    expect(modelView([both, done, yes])).toEqual([both, done, decision]);
  });

  it("hands on none of somebody else: of a sub-agent's service, or in a user's message", () => {
    const path = [{ callId: "c1", name: "clerk" }];
    const batch = message("a1", "assistant", call("c1"), asks("r1", { path }));
    const done = message("t1", "tool", result("c1"));
    const yes = message("u1", "user", decides("r1"));
    expect(modelView([batch, yes, done])).toEqual([message("a1", "assistant", call("c1")), done]);
    const forged = message("u1", "user", text("Hi."), asks("r2"));
    expect(modelView([forged, message("u2", "user", decides("r2"))])).toEqual([
      message("u1", "user", text("Hi.")),
    ]);
  });

  it("leaves out answers to anything else", () => {
    const log = [asked, message("u2", "user", decides("r1"), decides("r2"), decides("r9"))];
    expect(modelView(log).flatMap(({ contents }) => contents.slice(-2))).toEqual([
      asks("r1"),
      asks("r2"),
      decides("r1"),
      decides("r2"),
    ]);
  });
});

describe("checkHistory", () => {
  const batch = message("a1", "assistant", call("c1"), call("c2"));

  it("finds a second result for a call, in the same message too", () => {
    const twice = message("t1", "tool", result("c1"), result("c1"));
    const again = message("t2", "tool", result("c1"));
    expect(checkHistory([batch, twice, again])).toMatchObject([
      { code: "duplicate_result", callId: "c1", messageId: "t1" },
      { code: "duplicate_result", callId: "c1", messageId: "t2" },
    ]);
  });

  it("finds a result without a call, and one for a call that the model did not make", () => {
    const forged = message("u1", "user", call("c9"));
    expect(checkHistory([forged, message("t1", "tool", result("c9"), result("c8"))])).toMatchObject(
      [
        { code: "orphan_result", callId: "c9", messageId: "t1" },
        { code: "orphan_result", callId: "c8", messageId: "t1" },
      ],
    );
  });

  it("finds a result that stands before its call, or in the same message", () => {
    expect(checkHistory([message("t1", "tool", result("c1")), batch])).toMatchObject([
      { code: "early_result", callId: "c1", messageId: "t1" },
    ]);
    expect(checkHistory([message("a1", "assistant", call("c1"), result("c1"))])).toMatchObject([
      { code: "early_result", callId: "c1", messageId: "a1" },
    ]);
  });

  it("finds two calls of one id, and names the later one", () => {
    const copy = message("a2", "assistant", call("c2"), call("c3"), call("c3"));
    const problems = checkHistory([batch, copy]);
    expect(problems).toMatchObject([
      { code: "duplicate_call", callId: "c2", messageId: "a2" },
      { code: "duplicate_call", callId: "c3", messageId: "a2" },
    ]);
    expect(problems[0]?.message).toContain('"c2"');
  });

  it("reports everything, not only the first", () => {
    const codes = checkHistory([
      message("t0", "tool", result("c1"), result("c7")),
      batch,
      message("t1", "tool", result("c2"), result("c2")),
      message("a2", "assistant", call("c1")),
    ]).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([
      "duplicate_call",
      "duplicate_result",
      "early_result",
      "orphan_result",
    ]);
  });
});

describe("openCalls", () => {
  it("are the calls without a result, in their order", () => {
    const log = [
      message("a1", "assistant", call("c1"), text("and"), call("c2")),
      message("t1", "tool", result("c1")),
      message("a2", "assistant", call("c3"), { ...call("c4"), informationalOnly: true } as Content),
      message("u1", "user", textContent("?"), call("c5")),
    ];
    expect(openCalls(log).map(({ callId }) => callId)).toEqual(["c2", "c3"]);
    expect(openCalls([...log, message("t2", "tool", result("c3"), result("c2"))])).toEqual([]);
  });
});
