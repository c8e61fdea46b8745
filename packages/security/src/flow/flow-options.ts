import { ConfigurationError, checkOptionNames, isJsonObject } from "@tunic/core";
import type { FlowAudit } from "../audit/flow-audit.js";
import type { ContentLabel, LabelInput } from "../labels/content-label.js";
import { type LabelSecret, readLabelKeys } from "../labels/label-keys.js";
import type { LabelLattice } from "../labels/label-lattice.js";
import { type CompiledPolicy, compilePolicy } from "../policy/compile-policy.js";
import type { FlowPolicy } from "../policy/flow-policy.js";
import type { VariableLimits } from "../variables/variable-store.js";

/**
 * What is done about a call that breaks a rule.
 * - `enforce`: it is denied, the model is told why, and the run goes on.
 * - `approve`: a person is asked.
 * - `shadow`: it runs; what would have been denied is in the decisions and the audit log.
 * - `strict`: like `enforce`, and which calls are made must not tell of confidential data either.
 */
export type FlowMode = "enforce" | "approve" | "shadow" | "strict";

/**
 * Which parts of results the model does not get to see, but only a reference to.
 * - `untrusted`: what is untrusted, as long as the model that made the call had read nothing untrusted.
 * - `above`: also what is more confidential than what that model had read (HIDE of FIDES, arXiv 2505.23643).
 * - `nothing`: the context takes the label of what comes in.
 */
export type HideMode = "untrusted" | "above" | "nothing";

/** Labels of what does not come from tools. */
export interface SourceLabels {
  /** Of instructions, and of messages with the role `system`. Default trusted. */
  readonly instructions?: LabelInput | undefined;
  /** Of the user's text. Default trusted. */
  readonly user?: LabelInput | undefined;
  /** Of files and addresses that come with the user's messages. Default untrusted. */
  readonly attachments?: LabelInput | undefined;
  /** Of what context providers bring in each run, by the provider's name. Default untrusted and most confidential. */
  readonly providers?: Readonly<Record<string, LabelInput>> | undefined;
  /**
   * Of what a service holds and a request only points to, by its id: a file, a store, a cache that was made
   * elsewhere. Default untrusted and most confidential.
   */
  readonly held?: Readonly<Record<string, LabelInput>> | undefined;
}

/** What both middlewares of information flow control are made with: one object for the two. */
export interface FlowOptions {
  /** What may flow where. Copied: a later change of the object has no effect. */
  readonly policy: FlowPolicy;
  /** Default `enforce`. */
  readonly mode?: FlowMode | undefined;
  /** Default `untrusted`. */
  readonly hide?: HideMode | undefined;
  /** Of what does not come from tools. Default: see {@link SourceLabels}. */
  readonly labels?: SourceLabels | undefined;
  /**
   * Seals labels, so that a history that was away (in a browser, say) can bring them back. Labels in a
   * session need their seals then, too. Default: none; labels in a session are believed, all others are not.
   */
  readonly labelSecret?: LabelSecret | undefined;
  /** How much may be hidden in one session. Default: 10,000 values, 32 MiB. */
  readonly limits?: VariableLimits | undefined;
  /** Gets an entry for everything that is decided, without contents. What it throws is a notice. Default: none. */
  readonly audit?: FlowAudit | undefined;
}

/** Options that were checked. */
export interface FlowSettings {
  readonly policy: CompiledPolicy;
  readonly lattice: LabelLattice;
  readonly mode: FlowMode;
  readonly hide: HideMode;
  readonly labels: {
    readonly [Source in Exclude<keyof SourceLabels, "providers" | "held">]-?: ContentLabel;
  };
  readonly providers: ReadonlyMap<string, ContentLabel>;
  readonly held: ReadonlyMap<string, ContentLabel>;
  readonly labelSecret: LabelSecret | undefined;
  readonly limits: VariableLimits;
  readonly audit: FlowAudit | undefined;
  /** Hashes of the tools that the policy was checked against, by key: what the policy says is said of these. */
  readonly pins: Map<string, string>;
}

export const flowOptionNames = [
  "policy",
  "mode",
  "hide",
  "labels",
  "labelSecret",
  "limits",
  "audit",
] as const satisfies readonly (keyof FlowOptions)[];

const known = new WeakMap<FlowOptions, FlowSettings>();

/**
 * Checks options once; whoever gives the same object gets the same settings.
 *
 * @throws ConfigurationError `invalid_option` or `unknown_option`, or what the policy is wrong about.
 */
export function flowSettings(
  options: FlowOptions,
  what: string,
  names: ReadonlySet<string> = new Set(flowOptionNames),
): FlowSettings {
  if (!isJsonObject(options)) throw wrong(what, "takes an object: { policy }");
  const before = known.get(options);
  if (before !== undefined) return before;
  checkOptionNames(what, options, names);
  const {
    mode = "enforce",
    hide = "untrusted",
    labels = {},
    labelSecret,
    limits = {},
    audit,
  } = options;
  oneOf(what, "mode", mode, ["enforce", "approve", "shadow", "strict"]);
  oneOf(what, "hide", hide, ["untrusted", "above", "nothing"]);
  checkOptionNames(
    `${what}: labels`,
    labels,
    new Set(["instructions", "user", "attachments", "providers", "held"]),
  );
  checkLimits(what, limits);
  if (labelSecret !== undefined) readLabelKeys(labelSecret);
  if (audit !== undefined && typeof audit?.append !== "function") {
    throw wrong(what, "needs an `audit` with a method append, such as memoryFlowAudit()");
  }
  if (options.policy === undefined)
    throw wrong(what, "needs a `policy`: { version: 1, tools: { … } }");
  const policy = compilePolicy(options.policy);
  const { lattice } = policy;
  const settings: FlowSettings = {
    policy,
    lattice,
    mode,
    hide,
    labels: {
      instructions: lattice.label(labels.instructions ?? "trusted"),
      user: lattice.label(labels.user ?? "trusted"),
      attachments: lattice.label(labels.attachments ?? "untrusted"),
    },
    providers: labelsByName(lattice, labels.providers),
    held: labelsByName(lattice, labels.held),
    labelSecret,
    limits,
    audit,
    pins: new Map(),
  };
  known.set(options, settings);
  return settings;
}

function labelsByName(
  lattice: LabelLattice,
  labels: Readonly<Record<string, LabelInput>> = {},
): ReadonlyMap<string, ContentLabel> {
  return new Map(Object.entries(labels).map(([name, label]) => [name, lattice.label(label)]));
}

function checkLimits(what: string, limits: VariableLimits): void {
  checkOptionNames(`${what}: limits`, limits, new Set(["variables", "bytes"]));
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || (typeof limit === "number" && limit >= 0)) continue;
    throw wrong(what, `needs a number for limits.${name}`);
  }
}

function oneOf(what: string, name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  throw wrong(what, `takes as \`${name}\` one of ${words.map((word) => `"${word}"`).join(", ")}`);
}

function wrong(what: string, problem: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `${what} ${problem}.`);
}
