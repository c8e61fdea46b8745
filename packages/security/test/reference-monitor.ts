import type { ToolFlow } from "../src/index.js";
import type { World } from "./world/flow-world.js";
import { bottom, isBelow, isTainted, joined, levels, type Tag, unbounded } from "./world/tag.js";
import {
  type Action,
  isOwn,
  keysOf,
  type Leaf,
  leavesOf,
  numbered,
  ownResult,
  shown,
  type Variables,
} from "./world/trace.js";

/** What a trace comes to. */
export interface Findings {
  /** Of each answer of the model. */
  readonly answers: readonly Tag[];
  /** Of each call: whether it may run. */
  readonly runs: Readonly<Record<string, boolean>>;
  /** Of each hidden part, by call id and path. */
  readonly hidden: Readonly<Record<string, Tag>>;
}

/**
 * Judges a trace by the specification alone: a pure function that shares nothing with the engine. All that
 * it is told is which id stands for which part of which result.
 */
export function monitor(
  world: World,
  trace: readonly (readonly Action[])[],
  ids: Variables,
): Findings {
  const answers: Tag[] = [];
  const runs: Record<string, boolean> = {};
  const hidden: Record<string, Tag> = {};
  const written: Record<string, Tag> = {};
  let context = bottom;
  for (const round of trace) {
    const from = context;
    answers.push(from);
    const known = { ...hidden };
    const judged = round.map((call) => {
      const flow = world.policy.tools[call.tool];
      const leaves = leavesOf(call, from, ids, known);
      const runsNow = isOwn(call) || (leaves !== undefined && allows(flow, from, leaves));
      const all = joined(from, ...(leaves ?? []).map(({ tag }) => tag));
      runs[call.callId] = runsNow;
      // What a batch writes is noted before any of it runs.
      for (const key of runsNow ? keysOf(flow?.writes, leaves) : []) {
        written[key] = joined(written[key] ?? bottom, all);
      }
      return { call, flow, leaves, all };
    });
    for (const { call, flow, leaves, all } of judged) {
      if (!runs[call.callId]) continue;
      const base = joined(
        unbounded(all),
        ...keysOf(flow?.reads, leaves).map((key) => unbounded(written[key] ?? bottom)),
      );
      const isVisible = (tag: Tag): boolean =>
        !(isTainted(tag) && !isTainted(from)) && (world.hide === "untrusted" || isBelow(tag, from));
      const { visible, kept } = isOwn(call)
        ? ownResult(call, from, leaves)
        : shown(call, flow, base, isVisible);
      context = joined(context, from, ...visible);
      for (const [at, tag] of numbered(call.callId, kept)) hidden[at] = tag;
    }
  }
  return { answers: [...answers, context], runs, hidden };
}

/** P-T, P-F, or what of them the rule asks for; a tool that nobody knows has to fulfil both. */
function allows(flow: ToolFlow | undefined, from: Tag, leaves: readonly Leaf[]): boolean {
  const {
    rule,
    recipients = [],
    clearance = "public",
    effects,
    arguments: guards,
  }: ToolFlow = flow ?? { rule: "both" };
  const guard = ({ path: [name = ""] }: Leaf) =>
    guards ? guards[name] : ({ integrity: "trusted" } as const);
  const most = (leaf: Leaf): number =>
    levels.indexOf(guard(leaf)?.confidentiality ?? "user_identity");
  if (leaves.some((leaf) => leaf.tag.level > most(leaf))) return false;
  const names = leaves
    .filter(
      ({ path: [name = ""], value }) =>
        recipients.includes(name) && value !== null && value !== "" && typeof value !== "object",
    )
    .map(({ value }) => String(value));
  const guarded = !leaves.some(
    (leaf) => isTainted(leaf.tag) && guard(leaf)?.integrity === "trusted",
  );
  const trusted = !isTainted(from) && guarded;
  const permitted = leaves.every(
    ({ path, value, tag: { taint, level, readers } }) =>
      (readers
        ? names.length > 0 && names.every((name) => readers.includes(name))
        : level <= levels.indexOf(clearance)) &&
      !(taint >= 0 && [...path, value].some((each) => /https?:|www\.|mailto:/i.test(String(each)))),
  );
  const onlyReads = effects?.every((effect) => effect === "read") ?? false;
  switch (rule ?? (onlyReads ? "always" : "trusted_action")) {
    case "trusted_action":
      return trusted;
    case "permitted_flow":
      return permitted;
    case "either":
      return guarded && (trusted || permitted);
    case "both":
      return trusted && permitted;
    default:
      return true;
  }
}
