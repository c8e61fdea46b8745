import {
  ConfigurationError,
  type Content,
  checkOptionNames,
  type Message,
  modelView,
} from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { callRounds, codeThatCalls, message, said, type Turn } from "./call-rounds.js";
import { texts, userContents } from "./given-contents.js";
import { modelParts, reasoning } from "./model-contents.js";
import {
  oneOfWanted,
  type TranscriptKind,
  transcriptKinds,
  type Wanted,
} from "./transcript-kinds.js";

/** What transcripts hold. */
export interface TranscriptOptions {
  /** What they never hold. Default: nothing is left out. */
  readonly without?: readonly TranscriptKind[];
  /** How many turns they have at most; a turn is one or several messages. Default 6. */
  readonly maxTurns?: number;
}

/**
 * Conversations as a chat client gets them: what `modelView` makes of any valid log. They hold what
 * users, tools and the models of several vendors may have said, in any order; the user says something
 * in each of them.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function transcripts(options: TranscriptOptions = {}): Arbitrary<readonly Message[]> {
  return messageLogs(options).map((log) => modelView(log));
}

/** The logs of which {@link transcripts} are the view: approvals and open calls are in them, too. */
export function messageLogs(options: TranscriptOptions = {}): Arbitrary<readonly Message[]> {
  const { without = [], maxTurns = 6 } = checked(options);
  const wanted: Wanted = (kind) => !without.includes(kind);
  const turns = fc.array(turn(wanted), { minLength: 1, maxLength: maxTurns });
  return turns.map((drafts) => {
    let counted = 0;
    const count = () => counted++;
    const log = drafts.flatMap((draft) => draft(count));
    const spoken = (text: string) => message(count, "user", [{ type: "text", text }]);
    const view = modelView(log);
    const [first, last] = [view[0], view.at(-1)];
    const begins = !wanted("assistant_first") && !(first && asks(first));
    const ends = !wanted("assistant_last") && !(last && (asks(last) || last.role === "tool"));
    return [
      ...(begins ? [spoken("Hi.")] : []),
      ...log,
      ...(ends || !log.some(asks) ? [spoken("Go on.")] : []),
    ];
  });
}

const optionNames: ReadonlySet<string> = new Set<keyof TranscriptOptions>(["without", "maxTurns"]);
const kinds: ReadonlySet<string> = new Set(transcriptKinds);

/** A misspelt kind would not be left out, and the test about something else. */
function checked(options: TranscriptOptions): TranscriptOptions {
  checkOptionNames("transcripts", options, optionNames);
  const { without = [], maxTurns = 1 } = options;
  checkOptionNames(
    "transcripts: without",
    Object.fromEntries(without.map((kind) => [kind, true])),
    kinds,
  );
  if (Number.isSafeInteger(maxTurns) && maxTurns >= 1) return options;
  throw new ConfigurationError(
    "invalid_option",
    `transcripts: maxTurns must be a whole number of at least 1; got ${maxTurns}.`,
  );
}

/** Whether every service sees a user there, whatever it leaves out. */
function asks({ role, contents }: Message): boolean {
  return (
    role === "user" && contents.some((each) => each.type === "text" && each.text.trim() !== "")
  );
}

function turn(wanted: Wanted): Arbitrary<Turn> {
  return oneOfWanted(
    wanted,
    fc.oneof(
      { withCrossShrink: true },
      userTurn(wanted),
      assistantTurn(wanted),
      callRounds(wanted),
    ),
    ["system", systemTurn(wanted)],
    ["reasoning_only", thoughtTurn(wanted)],
    ["hosted_approval", hostedApproval()],
    ["code_calls_tool", codeThatCalls()],
  );
}

function userTurn(wanted: Wanted): Arbitrary<Turn> {
  const contents = fc.array(userContents(wanted), { minLength: 1, maxLength: 3 });
  return contents.map((each) => (count) => [message(count, "user", each)]);
}

function systemTurn(wanted: Wanted): Arbitrary<Turn> {
  return texts(wanted).map((text) => (count) => [
    message(count, "system", [{ type: "text", text }]),
  ]);
}

function assistantTurn(wanted: Wanted): Arbitrary<Turn> {
  return fc.array(modelParts(wanted), { minLength: 1, maxLength: 4 }).map((drafts) => (count) => {
    const contents = said(drafts, count);
    const isThought = contents.some(({ type }) => type === "text_reasoning");
    const after: Content[] =
      isThought && !wanted("reasoning_only") ? [{ type: "text", text: "So it is." }] : [];
    return [message(count, "assistant", [...contents, ...after])];
  });
}

/** A model that was cut off before it said anything. */
function thoughtTurn(wanted: Wanted): Arbitrary<Turn> {
  const thoughts = fc.array(reasoning(wanted), { maxLength: 2 });
  return thoughts.map((drafts) => (count) => [message(count, "assistant", said(drafts, count))]);
}

/** A service asks before it runs a tool of its own; sometimes nobody answers. */
function hostedApproval(): Arbitrary<Turn> {
  return fc.tuple(fc.boolean(), fc.boolean()).map(([answered, approved]) => (count) => {
    const requestId = `mcpr_${count()}`;
    const asked: Content = {
      type: "function_approval_request",
      requestId,
      call: { type: "function_call", callId: requestId, name: "search", arguments: { q: "x" } },
      provider: "openai",
      providerData: { openai: { itemId: requestId, serverLabel: "wiki" } },
    };
    const messages = [message(count, "assistant", [{ type: "text", text: "May I?" }, asked])];
    const answer: Content = { type: "function_approval_response", requestId, approved };
    if (answered) messages.push(message(count, "user", [answer]));
    return messages;
  });
}
