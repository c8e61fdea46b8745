import type { Content, FunctionCallContent, JsonObject, Message } from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { results } from "./given-contents.js";
import {
  type Count,
  type Draft,
  modelParts,
  openaiReasoning,
  type Parts,
} from "./model-contents.js";
import { oneOfWanted, sometimes, type Wanted } from "./transcript-kinds.js";

/** Some messages that belong together, before their ids are known. */
export type Turn = Draft<readonly Message[]>;

/** A message; its id is not one that a service gave. */
export function message(
  count: Count,
  role: Message["role"],
  contents: readonly Content[],
): Message {
  const at = count();
  return { id: `m${at}`, role, contents, createdAt: at };
}

/** The message of a model that says something, before the ids in it are known. */
export function said(drafts: readonly Parts[], count: Count): readonly Content[] {
  return drafts.flatMap((draft) => draft(count));
}

/** What happens around some calls. */
interface Round {
  readonly before: readonly Parts[];
  readonly calls: readonly Draft<Answered>[];
  readonly between: readonly Parts[];
  readonly textAfter: boolean;
  readonly split: boolean;
  readonly late: boolean;
  readonly open: boolean;
  readonly approval: boolean;
  readonly paused: boolean;
}

/** A message with calls, and their results. */
export function callRounds(wanted: Wanted): Arbitrary<Turn> {
  const rounds: Arbitrary<Round> = fc.record({
    before: fc.array(modelParts(wanted), { maxLength: 2 }),
    calls: fc.array(calls(wanted), { minLength: 1, maxLength: wanted("parallel_calls") ? 4 : 1 }),
    between: fc.array(openaiReasoning(), { maxLength: wanted("openai_reasoning") ? 1 : 0 }),
    textAfter: sometimes(wanted, "text_after_call"),
    split: sometimes(wanted, "split_results"),
    late: sometimes(wanted, "late_results"),
    open: sometimes(wanted, "open_call"),
    approval: sometimes(wanted, "approval"),
    paused: sometimes(wanted, "paused_call"),
  });
  return rounds.map((round) => (count) => {
    const answered = round.calls.map((each) => each(count));
    const ids = answered.map(({ call }) => call.callId);
    return [
      message(count, "assistant", calling(round, answered, count)),
      ...(round.approval ? [message(count, "user", ids.map(approval))] : []),
      ...(round.late ? [message(count, "user", [{ type: "text", text: "And?" }])] : []),
      ...(round.paused ? [message(count, "tool", ids.slice(0, 1).map(pause))] : []),
      ...resultMessages(round, answered, count),
    ];
  });
}

function calling(round: Round, answered: readonly Answered[], count: Count): readonly Content[] {
  const [first, ...others] = answered.map(({ call }) => call);
  return [
    ...said(round.before, count),
    ...(first ? [first] : []),
    ...others.flatMap((call) => [...said(round.between, count), call]),
    ...(round.textAfter ? [{ type: "text" as const, text: "I am on it." }] : []),
    ...(round.approval ? answered.map(({ call }) => request(call)) : []),
  ];
}

function resultMessages(
  { open, split }: Round,
  answered: readonly Answered[],
  count: Count,
): readonly Message[] {
  const results = answered.slice(open ? 1 : 0).map(({ result }) => result);
  if (split) return results.toReversed().map((each) => message(count, "tool", [each]));
  return results.length > 0 ? [message(count, "tool", results)] : [];
}

interface Answered {
  readonly call: FunctionCallContent;
  readonly result: Content;
}

function calls(wanted: Wanted): Arbitrary<Draft<Answered>> {
  const name = oneOfWanted(
    wanted,
    fc.constantFrom("lamp", "get_weather", "fs_read"),
    // Some of them look alike when they have been cleaned.
    ["odd_name", fc.constantFrom("fs.read", "fs read", "größe", "🔥", "1st", "")],
    ["long_name", fc.constantFrom("x".repeat(120), `${"x".repeat(120)}y`, "a.b".repeat(50))],
  );
  const id = oneOfWanted(
    wanted,
    fc.constant((at: number) => `call_${at}`),
    [
      "foreign_id",
      fc.constantFrom<(at: number) => string>(
        (at) => `functions.lamp:${at}`,
        (at) => `toolu_${at}`,
        (at) => `call-x-${at}`,
        (at) => `call_${at}|fc_${at}`,
        (at) => `Anruf № ${at}`,
      ),
    ],
    [
      "long_id",
      fc.constantFrom<(at: number) => string>(
        (at) => "a".repeat(64) + at,
        (at) => `${at}.`.padEnd(450, "b"),
      ),
    ],
    [
      "similar_ids",
      fc.constant((at: number) => `s${[".", ":", "_", "_2e_"][at % 4]}${Math.floor(at / 4)}`),
    ],
  );
  const written = oneOfWanted<Partial<FunctionCallContent>>(
    wanted,
    fc.constantFrom<Partial<FunctionCallContent>>(
      { arguments: {} },
      { arguments: { room: "hall", lights: [1, { on: true }], note: "é\u2028" } },
    ),
    [
      "parse_error",
      fc.constantFrom(
        { argumentsText: '{"room": "ha', parseError: "Unexpected end of JSON input" },
        { argumentsText: "[1]", parseError: "The arguments are no object." },
      ),
    ],
  );
  const own = fc.constantFrom<Draft<Pick<Content, "providerData">>>(
    () => ({}),
    (count) => ({ providerData: { openai: { itemId: `fc_${count()}` } } }),
    () => ({ providerData: { gemini: { thoughtSignature: "c2lnbmF0dXJl" } } }),
    (count) => ({ providerData: { anthropic: { id: `toolu_${count()}` } } }),
  );
  return fc
    .tuple(name, id, written, own, results(wanted))
    .map(([called, idOf, text, data, result]) => (count) => {
      const callId = idOf(count());
      const call = {
        type: "function_call",
        callId,
        name: called,
        ...text,
        ...data(count),
      } as const;
      return { call, result: { ...result, callId } };
    });
}

function request(call: FunctionCallContent): Content {
  return { type: "function_approval_request", requestId: `r_${call.callId}`, call };
}

function approval(callId: string): Content {
  return { type: "function_approval_response", requestId: `r_${callId}`, approved: true };
}

function pause(callId: string): Content {
  return { type: "paused_call", callId, requestIds: [`r_${callId}`], hash: "h", state: null };
}

/** Code of Anthropic's runs, and calls a tool of ours before it has come to its end. */
export function codeThatCalls(): Arbitrary<Turn> {
  return fc.constant((count) => {
    const id = `srvtoolu_${count()}`;
    const callId = `toolu_${count()}`;
    const own = (data: JsonObject) => ({ providerData: { anthropic: data } });
    const caller = { type: "code_execution_20250825", tool_id: id };
    const output = {
      type: "code_execution_result",
      content: [],
      return_code: 0,
      stderr: "",
      stdout: "1",
    };
    return [
      message(count, "assistant", [
        {
          type: "hosted_tool_call",
          callId: id,
          name: "code_execution",
          input: { code: "lamp()" },
          ...own({ type: "server_tool_use" }),
        },
        { type: "function_call", callId, name: "lamp", arguments: {}, ...own({ caller }) },
      ]),
      message(count, "tool", [
        { type: "function_result", callId, contents: [{ type: "text", text: "on" }] },
      ]),
      message(count, "assistant", [
        {
          type: "hosted_tool_result",
          callId: id,
          output,
          ...own({ type: "code_execution_tool_result" }),
        },
        { type: "text", text: "Done." },
      ]),
    ];
  });
}
