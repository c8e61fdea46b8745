import {
  type Content,
  type FunctionTool,
  type JsonValue,
  sameJson,
  type ToolResult,
  textContent,
} from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { CompiledTool } from "../policy/compile-policy.js";
import { hideNodes, type VisiblePart } from "../tree/hide.js";
import { unwrapped } from "../tree/labeled.js";
import { labeledState, labeledTree } from "../tree/labeled-tree.js";
import { type PathState, uniformState } from "../tree/path-pattern.js";
import { hasLostNames, jsonIn } from "../tree/text-value.js";
import { VariableLimitError } from "../variables/variable-store.js";
import { writtenLabel } from "./content-labels.js";
import { audit, type CallRecord, type FlowRun } from "./flow-run.js";
import { hideRepeats } from "./hide-repeats.js";
import { constantError, labelError } from "./label-error.js";
import { mappedState, partState, type ResultPart } from "./result-parts.js";
import { missesUntrusted, noticeShape } from "./result-shape.js";
import {
  hideValue,
  isVisible,
  type ResultTerms,
  remember,
  resultTerms,
  stamp,
} from "./result-terms.js";

/**
 * A result with its labels, and references in place of what the model is not to see: the label that
 * the policy declares for each part, joined with those of the call, its arguments, and what was written
 * to where it reads.
 */
export function labelResult(
  flow: FlowRun,
  callId: string,
  record: CallRecord,
  tool: CompiledTool,
  result: ToolResult,
): ToolResult {
  const terms = resultTerms(flow, callId, record, tool);
  try {
    return result.isError ? labelError(terms, result) : labelContents(terms, result);
  } catch (error) {
    if (!(error instanceof VariableLimitError)) throw error;
    flow.run.notice("flow_limit", error.message, error);
    return constantError(
      terms,
      result,
      "the result does not fit in what this conversation may hide.",
    );
  }
}

function labelContents(terms: ResultTerms, result: ToolResult): ToolResult {
  const { lattice } = terms.flow.settings;
  const labels: ContentLabel[] = [];
  let hidden = 0;
  const contents = result.contents.map((content) => {
    const part = labelContent(terms, content, result);
    labels.push(part.label);
    hidden += part.hidden;
    return part.content;
  });
  remember(terms, lattice.joinAll([terms.record.callLabel, ...labels]), hidden);
  return { ...result, contents };
}

interface LabelledPart {
  readonly content: Content;
  readonly label: ContentLabel;
  readonly hidden: number;
}

function labelContent(terms: ResultTerms, content: Content, { value }: ToolResult): LabelledPart {
  const { flow, tool } = terms;
  const data = content.type === "text" ? (jsonIn(content.text) ?? content.text) : undefined;
  const marked = labeledTree(value);
  const marks = marked !== undefined && sameJson(marked.value, data) ? marked.marks : undefined;
  const given = marks === undefined ? (marked?.labels ?? []) : [];
  const labelOf = (label: unknown, otherwise: ContentLabel): ContentLabel =>
    labelGiven(flow, terms.record.tool, label, otherwise);
  const withMarks = (state: PathState<ContentLabel>): PathState<ContentLabel> =>
    marks === undefined ? state : labeledState(state, marks, labelOf);
  const asOne = (): PathState<ContentLabel> =>
    withMarks(uniformState(wholeLabel(flow, tool, given, content, value)));
  if (data === undefined || !isTree(data) || given.length > 0) {
    return labelData(terms, content, data ?? (content as unknown as JsonValue), asOne());
  }
  const state = withMarks(restricted(flow, content, tool.result.root));
  if (!missesUntrusted(tool, data, state)) return labelData(terms, content, data, state);
  noticeShape(flow, tool);
  return labelData(terms, content, data, asOne());
}

/** What a content says of itself can only restrict what the policy says of it. */
function restricted(
  { settings: { lattice } }: FlowRun,
  content: Content,
  state: PathState<ContentLabel>,
): PathState<ContentLabel> {
  const written = writtenLabel(content);
  if (written === undefined) return state;
  const label = lattice.read(written) ?? lattice.top;
  return mappedState(state, (declared) => lattice.join(declared, label));
}

function isTree(data: JsonValue): boolean {
  return typeof data === "object" && data !== null;
}

function labelData(
  terms: ResultTerms,
  content: Content,
  data: JsonValue,
  state: PathState<ContentLabel>,
): LabelledPart {
  const { lattice } = terms.flow.settings;
  const { callLabel } = terms.record;
  const part = hideNodes(
    data,
    partState(state, terms.tool.lookup.root),
    (each) => isVisible(terms, labelOfPart(terms, each)),
    ({ value, labels, path }) => {
      // What is only looked up is counted where it is shown: hidden, it is as untrusted as what has chosen it.
      const label = lattice.joinAll([terms.base, ...labels.map((each) => each.label)]);
      return hideValue(terms, value, label, path());
    },
  );
  const visible = endorsedPart(terms, part);
  // What is hidden says nothing; what is left says what all of the result does.
  const label = lattice.joinAll([
    callLabel,
    ...part.labels.map((each) => labelOfPart(terms, each)),
  ]);
  // Of members of one name only the last was looked at: where they differ, the text is written anew.
  const isAsRead =
    visible === data &&
    (state.settled || content.type !== "text" || !hasLostNames(content.text, data));
  if (isAsRead) return { content: stamp(terms.flow, content, label, {}), label, hidden: 0 };
  const text = textContent(JSON.stringify(visible));
  return { content: stamp(terms.flow, text, label, {}), label, hidden: part.hidden };
}

/** With everything that holds for the result; what was only looked up is as trusted as where it was. */
function labelOfPart({ flow, base, lookedUp }: ResultTerms, part: ResultPart): ContentLabel {
  return flow.settings.lattice.join(part.lookup === undefined ? base : lookedUp, part.label);
}

/** Counts what untrusted arguments have looked up, and hides what only repeats them. */
function endorsedPart(terms: ResultTerms, { visible, labels }: VisiblePart<ResultPart>): JsonValue {
  const { flow, record, tool, callId } = terms;
  if (terms.base === terms.lookedUp) return visible;
  const bits = Math.max(0, ...labels.map(({ lookup = 0 }) => lookup));
  if (!labels.some(({ lookup }) => lookup !== undefined)) return visible;
  if (flow.ledger.bits + bits > flow.settings.policy.endorseBits) {
    return hideValue(terms, visible, terms.base, "$");
  }
  flow.ledger.bits += bits;
  audit(flow, "endorse", { callId, at: "result", bits, rule: { type: "lookup", tool: tool.key } });
  return hideRepeats(visible, record.untrustedArguments, (value) =>
    hideValue(terms, value, terms.base, "$"),
  );
}

/** A text or file as one thing: where the policy tells parts apart, the worst of them. */
function wholeLabel(
  flow: FlowRun,
  tool: CompiledTool,
  given: readonly unknown[],
  content: Content,
  value: unknown,
): ContentLabel {
  const { lattice } = flow.settings;
  const declared = isScalar(content, value) ? [tool.result.root.value] : tool.result.values;
  const written = writtenLabel(content);
  const restricting = written === undefined ? [] : [lattice.read(written) ?? lattice.top];
  return lattice.joinAll([
    ...declared,
    ...given.map((label) => readLabel(flow, label)),
    ...restricting,
  ]);
}

/** What holds no parts: a number, a switch, nothing. A text of digits is a text. */
function isScalar(content: Content, value: unknown): boolean {
  if (content.type !== "text" || typeof unwrapped(value) === "string") return false;
  return content.text.length <= longestScalar && scalar.test(content.text);
}

/** Of a number of doubles, with sign and exponent. */
const longestScalar = 25;

const scalar = /^(?:null|true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Code of ours says what holds for a part; that of foreign tools can only restrict. */
function labelGiven(
  flow: FlowRun,
  tool: FunctionTool,
  given: unknown,
  otherwise: ContentLabel,
): ContentLabel {
  const label = readLabel(flow, given);
  return tool.trust === "external" ? flow.settings.lattice.join(otherwise, label) : label;
}

/** A label that a tool's own code has given: one that is none counts as the worst. */
function readLabel({ settings: { lattice } }: FlowRun, label: unknown): ContentLabel {
  try {
    return lattice.label(label as ContentLabel);
  } catch {
    return lattice.top;
  }
}
