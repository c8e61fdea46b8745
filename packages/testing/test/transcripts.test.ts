import { type Content, checkHistory, type Message, modelView, openCalls } from "@tunic/core";
import {
  messageLogs,
  type TranscriptKind,
  transcriptKinds,
  transcripts,
} from "@tunic/testing/arbitraries";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

type Log = readonly Message[];

const some = { numRuns: 300, seed: 7 };

describe("transcripts", () => {
  it("are valid: every call has one result, right behind its message", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        expect(checkHistory(view)).toEqual([]);
        expect(openCalls(view)).toEqual([]);
        view.forEach((message, at) => {
          const called = callIds(message);
          if (called.length > 0) expect(resultIds(view[at + 1])).toEqual(called);
          if (message.role === "tool") expect(callIds(view[at - 1])).not.toEqual([]);
        });
      }),
    );
  });

  it("are what a model sees: their view is the transcript itself, of the same objects", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        const again = modelView(view);
        expect(again).toHaveLength(view.length);
        for (const [at, message] of again.entries()) expect(message).toBe(view[at]);
      }),
    );
  });

  it("are JSON, with ids of their own, and a user who says something", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
        expect(new Set(view.map(({ id }) => id)).size).toBe(view.length);
        const texts = view
          .filter(({ role }) => role === "user")
          .flatMap(({ contents }) => contents);
        expect(texts.some((each) => each.type === "text" && each.text.trim() !== "")).toBe(true);
      }),
    );
  });

  it.each<[object, string]>([
    [{ maxTurn: 3 }, "unknown_option"],
    [{ without: ["images"] }, "unknown_option"],
    [{ maxTurns: 0 }, "invalid_option"],
    [{ maxTurns: 1.5 }, "invalid_option"],
  ])("are not made with %j", (options, code) => {
    expect(() => transcripts(options)).toThrow(expect.objectContaining({ code }));
  });

  it("have at most as many turns as asked for", () => {
    fc.assert(
      fc.property(transcripts({ maxTurns: 1, without: ["code_calls_tool"] }), (view) => {
        expect(view.filter(({ role }) => role === "assistant").length).toBeLessThan(2);
      }),
    );
  });

  it.each(transcriptKinds)("hold %s, and do not where it is left out", (kind) => {
    const holds = (log: Log) => evidence[kind](log);
    expect(fc.sample(messageLogs(), some).some(holds)).toBe(true);
    expect(fc.sample(messageLogs({ without: [kind] }), some).some(holds)).toBe(false);
  });

  it.each<[string, (view: Log) => boolean]>([
    ["neighbours of one role", (view) => view.some(({ role }, at) => role === view[at + 1]?.role)],
    ["a system message in between", (view) => view.slice(1).some(({ role }) => role === "system")],
    ["two names that look alike when they are cleaned", (view) => alike(view)],
  ])("hold %s", (_, holds) => {
    expect(fc.sample(transcripts(), some).some(holds)).toBe(true);
  });
});

function contentsOf(log: Log): readonly Content[] {
  return log.flatMap(({ contents }) => contents);
}

function callsIn(log: Log) {
  return contentsOf(log).filter((content) => content.type === "function_call");
}

function resultsIn(log: Log) {
  return contentsOf(log).filter((content) => content.type === "function_result");
}

function callIds(message: Message | undefined): readonly string[] {
  const calls = callsIn(message ? [message] : []);
  return calls.filter((call) => !call.informationalOnly).map((call) => call.callId);
}

function resultIds(message: Message | undefined): readonly string[] {
  return resultsIn(message ? [message] : []).map((result) => result.callId);
}

function alike(log: Log): boolean {
  const names = new Set(callsIn(log).map(({ name }) => name));
  const cleaned = new Set([...names].map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_")));
  return cleaned.size < names.size;
}

/** Whether some text that a user, a model or the program wrote passes a test. */
function text(holds: (text: string) => boolean): (log: Log) => boolean {
  return (log) => contentsOf(log).some((each) => each.type === "text" && holds(each.text));
}

function reasoning(vendor: string): (log: Log) => boolean {
  return content(
    (each) => each.type === "text_reasoning" && each.providerData?.[vendor] !== undefined,
  );
}

function content(holds: (content: Content) => boolean): (log: Log) => boolean {
  return (log) => contentsOf(log).some(holds);
}

function hosted(vendor: string | undefined): (log: Log) => boolean {
  return (log) => {
    const answered = new Set(
      contentsOf(log).flatMap((each) => (each.type === "hosted_tool_result" ? [each.callId] : [])),
    );
    return contentsOf(log).some(
      (each) =>
        each.type === "hosted_tool_call" &&
        (each.name !== "code_execution") === (vendor !== "gemini") &&
        answered.has(each.callId) &&
        (vendor === undefined
          ? each.providerData === undefined
          : each.providerData?.[vendor] !== undefined),
    );
  };
}

function hasCode(log: Log): boolean {
  return callsIn(log).some((call) => call.providerData?.["anthropic"]?.["caller"] !== undefined);
}

function given(mediaType: string, type: "data" | "uri"): (log: Log) => boolean {
  return (log) =>
    contentsOf(log.filter(({ role }) => role === "user")).some(
      (each) => each.type === type && each.mediaType.startsWith(mediaType),
    );
}

function called(holds: (call: { readonly name: string; readonly callId: string }) => boolean) {
  return (log: Log) => callsIn(log).some(holds);
}

function result(holds: (result: ReturnType<typeof resultsIn>[number]) => boolean) {
  return (log: Log) => resultsIn(log).some(holds);
}

function isMedia({ type }: Content): boolean {
  return type === "data" || type === "uri";
}

function isOdd(each: Content): boolean {
  return isMedia(each) && "mediaType" in each && /^(audio|application\/octet)/.test(each.mediaType);
}

/** What is left where system messages stand apart. */
const spoken = (log: Log) => modelView(log).filter(({ role }) => role !== "system");
const toolMessages = (log: Log) => log.filter(({ role }) => role === "tool");
const known = /^(text|text_reasoning|data|uri|error|function_|hosted_tool_|paused_call)/;

/** What shows that a log holds a kind. */
const evidence: Readonly<Record<TranscriptKind, (log: Log) => boolean>> = {
  empty_text: (log) =>
    contentsOf(log).some((each) => each.type === "text" && each.text === "" && !each.providerData),
  blank_text: text((each) => each !== "" && each.trim() === ""),
  unicode_text: text((each) => each.startsWith("é")),
  trailing_space: text((each) => each.trim() !== "" && each !== each.trimEnd()),
  image: given("image/", "data"),
  pdf: given("application/pdf", "data"),
  text_file: given("text/", "data"),
  image_url: given("image/", "uri"),
  pdf_url: given("application/pdf", "uri"),
  plain_reasoning: content((each) => each.type === "text_reasoning" && !each.providerData),
  anthropic_reasoning: reasoning("anthropic"),
  openai_reasoning: reasoning("openai"),
  gemini_reasoning: reasoning("gemini"),
  reasoning_only: (log) => log.some(({ contents }) => contents.at(-1)?.type === "text_reasoning"),
  signed_text: content((each) => each.type === "text" && each.providerData !== undefined),
  refusal: content((each) => each.type === "error" && each.code === "refusal"),
  unknown_content: content((each) => !known.test(each.type)),
  informational_call: content((each) => each.type === "function_call" && !!each.informationalOnly),
  anthropic_hosted: hosted("anthropic"),
  openai_hosted: hosted("openai"),
  gemini_hosted: hosted("gemini"),
  unknown_hosted: hosted(undefined),
  hosted_open: (log) =>
    contentsOf(log).filter((each) => each.type === "hosted_tool_call").length >
    contentsOf(log).filter((each) => each.type === "hosted_tool_result").length,
  code_calls_tool: hasCode,
  hosted_approval: content((each) => each.type === "function_approval_request" && !!each.provider),
  parallel_calls: (log) => log.some((message) => callIds(message).length > 1),
  odd_name: called(({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_-]*$/.test(name) && name.length < 100),
  long_name: called(({ name }) => name.length > 100),
  foreign_id: called(({ callId }) => /^(functions|call-x|Anruf|call_\d+\|)/.test(callId)),

  long_id: called(({ callId }) => callId.length > 64),
  similar_ids: called(({ callId }) => /^s(\.|:|_)/.test(callId)),
  parse_error: content((each) => each.type === "function_call" && each.parseError !== undefined),
  text_after_call: text((each) => each === "I am on it."),
  empty_result: result(
    ({ contents, isError }) =>
      !isError && contents.every((each) => each.type === "text" && each.text.trim() === ""),
  ),
  json_result: result(({ contents }) =>
    contents.some((each) => each.type === "text" && each.text.startsWith("{")),
  ),
  several_contents: result(({ contents }) => contents.length > 2 && !contents.some(isMedia)),
  media_result: result(
    ({ contents, isError }) => !isError && contents.some((each) => isMedia(each) && !isOdd(each)),
  ),
  odd_media_result: result(({ contents }) => contents.some(isOdd)),
  error_result: result(
    ({ isError, error, contents }) =>
      !!isError && !contents.some(isMedia) && (contents.length > 0 || !!error?.message.trim()),
  ),
  wordless_error: result(
    ({ isError, error, contents }) => !!isError && contents.length === 0 && !error?.message.trim(),
  ),
  error_media: result(({ contents, isError }) => !!isError && contents.some(isMedia)),
  split_results: (log) =>
    toolMessages(log).some((message, at, all) => {
      const next = all[at + 1];
      return (
        resultIds(message).length > 0 && log.indexOf(message) + 1 === log.indexOf(next ?? message)
      );
    }),
  late_results: text((each) => each === "And?"),
  open_call: (log) => openCalls(log).length > 0,
  approval: content((each) => each.type === "function_approval_request" && !each.provider),
  paused_call: content((each) => each.type === "paused_call"),
  system: (log) => log.some(({ role }) => role === "system"),
  assistant_first: (log) => spoken(log)[0]?.role === "assistant",
  assistant_last: (log) => spoken(log).at(-1)?.role === "assistant",
};
