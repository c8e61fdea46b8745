import { ConfigurationError, copyJson, isJsonObject, type JsonObject } from "@tunic/core";
import { digest } from "../audit/digest.js";
import type { ContentLabel, LabelInput } from "../labels/content-label.js";
import { createLabelLattice, defaultLattice, type LabelLattice } from "../labels/label-lattice.js";
import { type PathTable, parsePathPattern, pathTable, patternText } from "../tree/path-pattern.js";
import { checkPolicyShape, labelMembers } from "./check-policy-shape.js";
import type {
  AnswerFlow,
  ArgumentFlow,
  CallRule,
  EndorseRule,
  FlowEffect,
  FlowPolicy,
  ToolFlow,
} from "./flow-policy.js";

/** A tool as a policy sees it. */
export interface CompiledTool {
  readonly key: string;
  /** Whether the policy names it; what it does not name is taken for the worst. */
  readonly known: boolean;
  readonly effects: ReadonlySet<FlowEffect>;
  readonly rule: CallRule;
  readonly arguments: PathTable<ArgumentFlow | undefined>;
  readonly recipients: PathTable<boolean>;
  /** Index of the level that everybody may receive by it. */
  readonly clearance: number;
  readonly result: PathTable<ContentLabel>;
  /** The bits for which a part of a result counts as independent of the arguments; undefined where it does not. */
  readonly lookup: PathTable<number | undefined>;
  /** Whether all that it tells of its work is shown. */
  readonly showsProgress: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly definition: string | undefined;
}

/** A policy that was checked, ready for use. */
export interface CompiledPolicy {
  readonly source: FlowPolicy;
  /** Of the policy's JSON. */
  readonly hash: string;
  readonly lattice: LabelLattice;
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly lists: ReadonlyMap<string, ReadonlySet<unknown>>;
  readonly endorse: readonly EndorseRule[];
  readonly endorseBits: number;
  readonly answer: AnswerFlow;
}

const compiled = new WeakMap<FlowPolicy, CompiledPolicy>();

/**
 * Checks a policy and makes it ready.
 *
 * @throws ConfigurationError `flow_policy`, saying where and what to write; `label` or
 * `path_pattern` for a label or a path in it.
 */
export function compilePolicy(policy: FlowPolicy): CompiledPolicy {
  const known = isJsonObject(policy) ? compiled.get(policy) : undefined;
  if (known !== undefined) return known;
  // A policy that somebody changes later on, or that says something else when it is asked again, is not
  // the one that was checked.
  const source = copyJson(policy);
  checkPolicyShape(source);
  const lattice = source.levels ? createLabelLattice({ levels: source.levels }) : defaultLattice;
  const tools = new Map(
    Object.entries(source.tools).map(([key, flow]) => [
      key,
      compileTool(key, flow, lattice, source.endorse ?? []),
    ]),
  );
  const made: CompiledPolicy = {
    source,
    hash: digest(source as unknown as JsonObject),
    lattice,
    tools,
    lists: new Map(Object.entries(source.lists ?? {}).map(([name, list]) => [name, new Set(list)])),
    endorse: source.endorse ?? [],
    endorseBits: source.endorseBits ?? 64,
    answer: source.answer ?? {},
  };
  compiled.set(policy, made);
  return made;
}

/** What is known of a tool that the policy does not name: the worst. */
export function unknownTool(key: string, lattice: LabelLattice): CompiledTool {
  return {
    key,
    known: false,
    effects: new Set(["consequential", "egress"]),
    rule: "both",
    arguments: pathTable({ $: guarded }),
    recipients: pathTable({}, false),
    clearance: 0,
    result: pathTable({}, lattice.top),
    lookup: pathTable({}),
    showsProgress: false,
    reads: [],
    writes: [],
    definition: undefined,
  };
}

const guarded: ArgumentFlow = { integrity: "trusted" };

/** What an argument has to be that may turn out to be any of several parts. */
function strictest(
  flows: readonly (ArgumentFlow | undefined)[],
  levels: readonly string[],
): ArgumentFlow {
  const allowed = flows.flatMap((flow) => flow?.confidentiality ?? []);
  const lowest = levels.find((level) => allowed.includes(level));
  return {
    ...(flows.some((flow) => flow?.integrity === "trusted") && guarded),
    ...(lowest !== undefined && { confidentiality: lowest }),
  };
}

function dearestLookup(lookups: readonly (number | undefined)[]): number | undefined {
  const bits = lookups.filter((each) => each !== undefined);
  return bits.length < lookups.length ? undefined : Math.max(...bits);
}

function compileTool(
  key: string,
  flow: ToolFlow,
  lattice: LabelLattice,
  endorse: readonly EndorseRule[],
): CompiledTool {
  const effects = new Set<FlowEffect>(flow.effects ?? ["consequential", "egress"]);
  const acts = effects.has("consequential") || effects.has("egress");
  const where = `tools["${key}"]`;
  const { arguments: flows = { $: guarded }, recipients = [], result } = flow;
  return {
    key,
    known: true,
    effects,
    rule: flow.rule ?? (acts ? "trusted_action" : "always"),
    arguments: naming(`${where}.arguments`, () =>
      pathTable<ArgumentFlow | undefined>(flows, undefined, (all) =>
        strictest(all, lattice.levels),
      ),
    ),
    recipients: naming(`${where}.recipients`, () =>
      pathTable(Object.fromEntries(recipients.map((path) => [path, true])), false, (are) =>
        are.includes(true),
      ),
    ),
    clearance: flow.clearance === undefined ? 0 : lattice.levels.indexOf(flow.clearance),
    result: naming(`${where}.result`, () =>
      pathTable(
        resultLabels(result, lattice, `${where}.result`),
        lattice.label("untrusted"),
        lattice.joinAll,
      ),
    ),
    lookup: naming(`the results of endorse for "${key}"`, () =>
      pathTable<number | undefined>(lookupParts(key, !acts, endorse), undefined, dearestLookup),
    ),
    showsProgress: flow.progress === "all",
    reads: flow.reads ?? [],
    writes: flow.writes ?? [],
    definition: flow.definition,
  };
}

/** Says of an error about a label or a path where in the policy that stands. */
function naming<Value>(where: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.message.startsWith(begins)) throw error;
    throw new ConfigurationError(error.code, `${begins} ${where}: ${error.message}`);
  }
}

const begins = "Information flow policy:";

/** The parts of a tool's result that a lookup rule names, with its bits. */
function lookupParts(
  key: string,
  onlyReads: boolean,
  endorse: readonly EndorseRule[],
): Record<string, number | undefined> {
  // Without a prototype: `constructor` is a name like any other.
  const parts: Record<string, number | undefined> = Object.create(null);
  for (const rule of endorse) {
    if (rule.type !== "lookup") continue;
    for (const result of rule.results) {
      const path = result === "*" && onlyReads ? "$" : pathIn(result, key);
      if (path !== undefined) addPart(parts, path, rule.bits ?? 4);
    }
  }
  return parts;
}

/** The path behind a tool's key in a text such as `create_file.id`; undefined for that of another tool. */
function pathIn(result: string, key: string): string | undefined {
  if (!result.startsWith(key)) return undefined;
  const rest = result.slice(key.length);
  if (rest === "") return "$";
  if (rest.startsWith("[")) return rest;
  return rest.startsWith(".") ? rest.slice(1) : undefined;
}

/** A part inside a result: what is around it shows its form, and nothing else that is in it. */
function addPart(parts: Record<string, number | undefined>, path: string, bits: number): void {
  let around = "";
  for (const segment of parsePathPattern(path).segments) {
    parts[around || "$"] ??= 0;
    for (const other of [`${around}${around && "."}*`, `${around}[*]`]) parts[other] ??= undefined;
    around = `${around}${patternText(segment, around === "")}`;
  }
  parts[around || "$"] = bits;
}

/** What does not say that it is trusted is not. */
function resultLabels(
  result: ToolFlow["result"],
  lattice: LabelLattice,
  where: string,
): Record<string, ContentLabel> {
  const read = (input: LabelInput, at: string): ContentLabel =>
    naming(at, () =>
      lattice.label(isJsonObject(input) ? { integrity: "untrusted", ...input } : input),
    );
  if (result === undefined) return {};
  if (isLabelInput(result)) return { $: read(result, where) };
  const labels = Object.entries(result).map(
    ([path, label]) => [path, read(label, `${where}["${path}"]`)] as const,
  );
  return Object.fromEntries(labels);
}

/** A label, or labels by path? No path of one of these names has a text for a label's member. */
export function isLabelInput(
  result: LabelInput | Readonly<Record<string, LabelInput>>,
): result is LabelInput {
  if (typeof result === "string") return true;
  const keys = Object.keys(result);
  return keys.length > 0 && keys.every((key) => labelMembers.includes(key));
}
