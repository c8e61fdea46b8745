import {
  type AgentSession,
  ConfigurationError,
  checkOptionNames,
  isJsonObject,
  type JsonObject,
} from "@tunic/core";
import type { FlowAudit } from "../audit/flow-audit.js";
import type { ConfidentialityLabel, ContentLabel } from "../labels/content-label.js";
import { compilePolicy } from "../policy/compile-policy.js";
import type { FlowPolicy } from "../policy/flow-policy.js";
import { flowMemoryIn, own, put } from "./flow-memory.js";

/** Who lowers a label, and why. Both are written down. */
export interface LoweringTerms {
  /** A name; not empty. */
  readonly by: string;
  /** The reason; not empty. */
  readonly why: string;
  /** The policy of the agent, for its levels. */
  readonly policy: FlowPolicy;
  /** The agent's audit log. Default: only the session says it. */
  readonly audit?: FlowAudit | undefined;
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number | undefined;
}

/**
 * Says that a hidden value can be trusted: somebody has looked at it. From then on it may stand where
 * only trusted values may. Beside {@link declassify} and the rules of the policy, nothing lowers a label.
 * Results that were made of the value before keep their labels.
 *
 * @param variable Its id, such as `v3`.
 * @throws ConfigurationError `unknown_variable` for one that this conversation does not hold;
 * `invalid_option` without `by` or `why`; `unknown_option` for a misspelt member.
 */
export function endorse(session: AgentSession, variable: string, terms: LoweringTerms): void {
  lower(session, variable, "endorse", terms, ({ capacity: _, ...label }) => ({
    ...label,
    integrity: "trusted",
  }));
}

/**
 * Says that more people may know a hidden value than its label allows.
 *
 * @param to Its level, its readers (absent: everybody), or both.
 * @throws ConfigurationError as {@link endorse}; `label` for a level that the policy does not have.
 */
export function declassify(
  session: AgentSession,
  variable: string,
  to: { readonly confidentiality?: ConfidentialityLabel; readonly readers?: readonly string[] },
  terms: LoweringTerms,
): void {
  if (!isJsonObject(to)) {
    throw new ConfigurationError(
      "invalid_option",
      "declassify takes what the value becomes as an object: { confidentiality, readers }.",
    );
  }
  checkOptionNames("declassify: to", to, new Set(["confidentiality", "readers"]));
  lower(session, variable, "declassify", terms, ({ readers: _, confidentiality, ...label }) => ({
    ...label,
    confidentiality: to.confidentiality ?? confidentiality,
    ...(to.readers && { readers: to.readers }),
  }));
}

const termNames: ReadonlySet<string> = new Set<keyof LoweringTerms>([
  "by",
  "why",
  "policy",
  "audit",
  "at",
]);

function lower(
  session: AgentSession,
  variable: string,
  kind: "endorse" | "declassify",
  terms: LoweringTerms,
  change: (label: ContentLabel) => ContentLabel,
): void {
  if (!isJsonObject(terms)) {
    throw new ConfigurationError(
      "invalid_option",
      `${kind} needs to know who does it and why, as its last argument: { by, why, policy }.`,
    );
  }
  checkOptionNames(kind, terms, termNames);
  const { by, why, policy, audit, at = Date.now() } = terms;
  for (const [name, text] of Object.entries({ by, why })) {
    if (typeof text === "string" && text.trim() !== "") continue;
    throw new ConfigurationError(
      "invalid_option",
      `${kind} needs \`${name}\`: it is written down.`,
    );
  }
  const { lattice } = compilePolicy(policy);
  const memory = flowMemoryIn(session);
  const stored = own(memory.variables, variable);
  if (stored === undefined) {
    throw new ConfigurationError(
      "unknown_variable",
      `The conversation holds no variable "${variable}". Its id stands in the request or the result, such as v3.`,
    );
  }
  const before = lattice.read(stored.label) ?? lattice.top;
  const label = lattice.label(change(before));
  put(memory.variables, variable, { ...stored, label });
  const details = { variable, by, why, before: { ...before }, after: { ...label } };
  memory.lowered.push({ kind, at, ...details } as unknown as JsonObject);
  audit?.append({
    at,
    session: session.id,
    run: "",
    kind,
    details: details as unknown as JsonObject,
  });
}
