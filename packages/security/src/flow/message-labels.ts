import { type FunctionResultContent, type JsonValue, type Message, sameJson } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import { type NamedValues, namedValues } from "../policy/named-values.js";
import {
  believedLabel,
  providerLabel,
  sealedContent,
  sealedMessage,
  sealedPart,
  userContentLabel,
  writtenLabel,
} from "./content-labels.js";
import { own, put } from "./flow-memory.js";
import type { FlowRun } from "./flow-run.js";

/**
 * Takes in what a run begins with: what is said to come from a model or a tool has the label that
 * can be believed, and else the worst. It is written down: later on it stands in the session, as if
 * it were its own.
 */
export function takeInput(flow: FlowRun, messages: readonly Message[]): void {
  for (const message of flow.stored.values()) noteForeignResults(flow, message);
  for (const message of messages) {
    const before = flow.input.get(message.id);
    if (before === undefined) takeMessage(flow, message);
    else if (!isSame(before, message)) distrust(flow, before, message);
  }
}

function takeMessage(flow: FlowRun, message: Message): void {
  flow.input.set(message.id, message);
  if (message.role !== "assistant" && message.role !== "tool") return;
  // A run inside another one that goes on brings its own messages back.
  if (flow.run.session !== undefined || own(flow.memory.messages, message.id) === undefined) {
    const label =
      message.role === "assistant"
        ? believedLabel(flow, message, false, () => sealedMessage(message.contents))
        : foreignToolLabel(flow, message);
    put(flow.memory.messages, message.id, label ?? flow.settings.lattice.top);
    skipReferences(flow, message);
  }
  noteForeignResults(flow, message);
}

/** Labels are kept by id: of two messages under one id, neither is what its label says. */
function distrust(flow: FlowRun, ...messages: readonly Message[]): void {
  for (const message of messages) {
    put(flow.memory.messages, message.id, flow.settings.lattice.top);
    noteForeignResults(flow, message);
  }
}

function isSame(one: Message, other: Message): boolean {
  if (one === other || (one.role === "user" && other.role === "user")) return true;
  return sameJson(one as unknown as JsonValue, other as unknown as JsonValue);
}

/** A request may show results in another message than the one that they came in. */
function noteForeignResults({ foreignResults, memory, settings }: FlowRun, message: Message): void {
  if (message.role !== "tool") return;
  const { lattice } = settings;
  const recorded = own(memory.messages, message.id);
  if (recorded === undefined) return;
  for (const { callId } of resultsIn(message)) {
    const before = foreignResults.get(callId) ?? lattice.bottom;
    foreignResults.set(callId, lattice.join(before, lattice.read(recorded) ?? lattice.top));
  }
}

/** A reference, as it is written or as a value that was shown has it. */
const givenNumber = /(?:\$ref|"variable)\\*"\s{0,4}:\s{0,4}\\*"v(\d{1,9})/g;

/** References of another conversation stand for nothing here, also later on: their numbers are not given out. */
function skipReferences({ memory }: FlowRun, message: Message): void {
  for (const [, number] of JSON.stringify(message.contents).matchAll(givenNumber)) {
    memory.next = Math.max(memory.next, Number(number) + 1);
  }
}

function foreignToolLabel(flow: FlowRun, message: Message): ContentLabel {
  const { lattice } = flow.settings;
  const results = resultsIn(message);
  // What is no result has no seal.
  if (results.length < Math.max(1, message.contents.length)) return lattice.top;
  return lattice.joinAll(results.map((result) => foreignResultLabel(flow, result)));
}

function foreignResultLabel(flow: FlowRun, result: FunctionResultContent): ContentLabel {
  const { lattice } = flow.settings;
  const { contents, edited } = result;
  // A result without parts has no label, and an edit is told in words that no seal is over.
  if (contents.length === 0 || edited !== undefined) return lattice.top;
  return lattice.joinAll(
    contents.map(
      (content) =>
        believedLabel(flow, content, false, () => sealedPart(content, result)) ?? lattice.top,
    ),
  );
}

/** The label of a message of a request: what can be known of it, in the worst case the worst. */
export function messageLabel(flow: FlowRun, message: Message): ContentLabel {
  const known = flow.labels.get(message);
  if (known !== undefined) return known;
  const label = computeLabel(flow, message);
  flow.labels.set(message, label);
  if (message.role === "assistant") {
    for (const content of message.contents) {
      if (content.type === "function_call") flow.callLabels.set(content.callId, label);
    }
  }
  return label;
}

function computeLabel(flow: FlowRun, message: Message): ContentLabel {
  const { role, id } = message;
  const recorded = own(flow.memory.messages, id);
  if (recorded !== undefined) return read(flow, recorded);
  // A handler may show a message otherwise than it stands in the log: it is no less for that.
  const stored = flow.stored.get(id);
  if (role === "user" || role === "system") {
    return userLabel(flow, message, stored ?? flow.input.get(id));
  }
  if (role === "tool") return toolLabel(flow, message, stored);
  return assistantLabel(flow, message, stored);
}

function userLabel(flow: FlowRun, message: Message, origin: Message | undefined): ContentLabel {
  const { lattice } = flow.settings;
  const whole = believedLabel(flow, message, false, () => sealedMessage(message.contents));
  if (whole !== undefined) return whole;
  if (origin === undefined) {
    // Not of the input, whatever its role: a provider or handler has put it here, and has to say what it is.
    const usual = providerLabel(flow, message.additionalProperties?.["contextProvider"]);
    return lattice.joinAll(
      message.contents.map(
        (content) => believedLabel(flow, content, false, () => sealedContent(content)) ?? usual,
      ),
    );
  }
  const written = writtenLabel(message);
  const restricted =
    written === undefined ? lattice.bottom : (lattice.read(written) ?? lattice.top);
  return lattice.joinAll([
    restricted,
    ...(message.role === "system" ? [flow.settings.labels.instructions] : []),
    ...message.contents.map((content) => userContentLabel(flow, content)),
  ]);
}

function assistantLabel(
  flow: FlowRun,
  message: Message,
  stored: Message | undefined,
): ContentLabel {
  const part = stored ?? message;
  const ours = stored !== undefined;
  const believed = believedLabel(flow, part, ours, () => sealedMessage(part.contents));
  if (believed !== undefined || ours) return believed ?? flow.settings.lattice.top;
  return providerLabel(flow, message.additionalProperties?.["contextProvider"]);
}

function toolLabel(flow: FlowRun, message: Message, stored: Message | undefined): ContentLabel {
  const { lattice } = flow.settings;
  const part = stored ?? message;
  const results = resultsIn(part);
  // What is no result has nobody labelled.
  if (results.length < Math.max(1, part.contents.length)) return lattice.top;
  return lattice.joinAll(results.map((result) => resultLabel(flow, result, stored !== undefined)));
}

function resultLabel(flow: FlowRun, result: FunctionResultContent, ours: boolean): ContentLabel {
  const { lattice } = flow.settings;
  const { callId, contents } = result;
  const made = flow.results.get(callId) ?? flow.foreignResults.get(callId);
  if (made !== undefined) return made;
  // Of arguments that a person has changed the loop tells first, in words of its own.
  const said = result.edited === undefined ? contents : contents.slice(1);
  const labels = said.map((content) =>
    believedLabel(flow, content, ours, () => sealedPart(content, result)),
  );
  if (labels.every((label) => label !== undefined) && labels.length > 0)
    return lattice.joinAll(labels);
  // What comes out of a tool has a label. Without one the loop itself has answered, in words of its own:
  // the call was refused, or interrupted. That says what the call said, and sometimes what it held.
  if (labels.every((label) => label === undefined) && !hasLostLabel(flow, result)) {
    const told = own(flow.memory.decisions, callId)?.told;
    if (told !== undefined) return lattice.read(told) ?? lattice.top;
    return callLabel(flow, callId) ?? lattice.top;
  }
  return lattice.top;
}

/**
 * Whether a call has run, so that its result had a label: somebody has taken it away. Of a call that was
 * interrupted the loop tells itself, which is believed where nothing has to be sealed.
 */
function hasLostLabel(flow: FlowRun, { callId, error }: FunctionResultContent): boolean {
  const verdict = own(flow.memory.decisions, callId)?.verdict;
  if (verdict === undefined || verdict === "deny" || verdict === "ask") return false;
  return flow.settings.labelSecret !== undefined || error?.code !== "interrupted";
}

/** The label of a call: of the message that holds it. Undefined for one that no message before has. */
export function callLabel(flow: FlowRun, callId: string): ContentLabel | undefined {
  const shown = flow.callLabels.get(callId);
  if (shown !== undefined) return shown;
  for (const messages of [flow.stored, flow.input]) {
    for (const message of messages.values()) {
      if (message.role === "assistant" && holdsCall(message, callId))
        return messageLabel(flow, message);
    }
  }
  return undefined;
}

/**
 * The label of whatever a handler has said in the model's place: it may have known everything that this
 * conversation holds. A call that no tracked answer has made has it, too.
 */
export function knownLabel(flow: FlowRun): ContentLabel {
  const { floor, answer, shown, results, stored, input, settings } = flow;
  const messages = [...stored.values(), ...input.values()];
  return settings.lattice.joinAll([
    floor,
    answer,
    shown,
    ...results.values(),
    ...messages.map((message) => messageLabel(flow, message)),
  ]);
}

function holdsCall({ contents }: Message, callId: string): boolean {
  return contents.some((content) => content.type === "function_call" && content.callId === callId);
}

function resultsIn({ contents }: Message): readonly FunctionResultContent[] {
  return contents.filter(
    (content): content is FunctionResultContent => content.type === "function_result",
  );
}

function read({ settings: { lattice } }: FlowRun, label: ContentLabel): ContentLabel {
  return lattice.read(label) ?? lattice.top;
}

/** What the user has written in this conversation, as trusted text. */
export function namedValuesOf(flow: FlowRun): NamedValues {
  if (flow.named !== undefined) return flow.named;
  const messages = [...flow.stored.values(), ...flow.input.values()];
  flow.named = namedValues(messages.flatMap((message) => trustedTexts(flow, message)));
  return flow.named;
}

function trustedTexts(flow: FlowRun, message: Message): readonly string[] {
  if (message.role !== "user" || messageTaints(flow, message)) return [];
  return message.contents.flatMap((content) =>
    content.type === "text" && userContentLabel(flow, content).integrity === "trusted"
      ? [content.text]
      : [],
  );
}

/** Whether the message as a whole is said to be untrusted, or the run works for an untrusted call. */
function messageTaints(flow: FlowRun, message: Message): boolean {
  const { lattice } = flow.settings;
  const written = writtenLabel(message);
  if (flow.floor.integrity === "untrusted") return true;
  return written !== undefined && (lattice.read(written) ?? lattice.top).integrity === "untrusted";
}
