import type { JsonObject } from "@tunic/core";
import type { ConfidentialityLabel, LabelInput } from "../labels/content-label.js";

/**
 * What a call of a tool can do. `read`: nothing but bring data. `consequential`: changes something.
 * `egress`: carries its arguments to somebody else; a network read does, with its address.
 */
export type FlowEffect = "read" | "consequential" | "egress";

/**
 * When a call may run: the policies of FIDES (arXiv 2505.23643, section 4; the combinations as in its
 * table 3).
 * - `trusted_action` (P-T): whoever decided on it, and its guarded arguments, are trusted.
 * - `permitted_flow` (P-F): whoever receives its data may read it, and no untrusted link goes along.
 * - `both`: both of them. `either`: guarded arguments are trusted, and so is whoever decided, or whoever receives
 *   the data may read it.
 * - `always`: no rule.
 */
export type CallRule = "trusted_action" | "permitted_flow" | "either" | "both" | "always";

/**
 * What one argument has to be. FIDES allows for it (a policy label for each argument, section 4); its
 * evaluation did not use it, so that a bill could say where it is paid to.
 */
export interface ArgumentFlow {
  /** `trusted`: guarded; nothing untrusted may get in. Default: anything. */
  readonly integrity?: "trusted";
  /** The highest level that may get in, whoever receives it. Default: any. */
  readonly confidentiality?: ConfidentialityLabel;
}

/** How data flows through one tool. */
export interface ToolFlow {
  /** Default: `consequential` and `egress`. */
  readonly effects?: readonly FlowEffect[];
  /** Default: `always` for a tool that only reads, else `trusted_action`. */
  readonly rule?: CallRule;
  /**
   * By path, such as `recipients` or `items[*].to`. Default: every argument is guarded, where the
   * rule is about trust.
   */
  readonly arguments?: Readonly<Record<string, ArgumentFlow>>;
  /** Paths of the arguments that say who receives the data of the call. */
  readonly recipients?: readonly string[];
  /** The highest level that everybody may receive by this tool. Default: the lowest. */
  readonly clearance?: ConfidentialityLabel;
  /**
   * Labels of the result, one for all or by path: `{ $: "trusted", "[*].body": "untrusted" }`. A
   * label without an integrity is untrusted. Default: untrusted.
   */
  readonly result?: LabelInput | Readonly<Record<string, LabelInput>>;
  /**
   * Whether people who watch see how the tool's work goes, `all` of it. Default: only while everything
   * that it may tell is trusted; the rest is left out.
   */
  readonly progress?: "all";
  /** Keys of what a call reads from, such as `notes` or `file:{file_id}`: what was written there keeps its label. */
  readonly reads?: readonly string[];
  /** Keys of what a call writes to. */
  readonly writes?: readonly string[];
  /** Hash of the definition that was looked at ({@link toolHash}); another definition is an unknown tool. */
  readonly definition?: string;
}

/**
 * When something untrusted counts as trusted all the same. Each use costs bits of the session's
 * budget, and is audited.
 * - `selection`: a value from a list that no attacker writes: the values of `lists` under that name, or
 *   `user`: words that the user has written. With `untrustedContext`, a call that an untrusted context
 *   decided on may run, when every argument is such a value or too small to say anything.
 * - `value`: what the quarantine made (FIDES, section 5.2: types as labels of capacity), where it can hold at most `maxBits`: a boolean, a choice, a number of a range.
 * - `lookup`: what a tool brings out of its own store, whatever untrusted arguments have chosen it: users of
 *   a channel, the id of a new file. Parts that repeat an argument are never meant.
 */
export type EndorseRule =
  | {
      readonly type: "selection";
      /** A name of `lists`, or `user`. */
      readonly from: string;
      /** `tool.argument` patterns; `*` stands for all. Default: `["*"]`. */
      readonly into?: readonly string[];
      /** Only with `user`. Default false. */
      readonly untrustedContext?: boolean;
    }
  | {
      readonly type: "value";
      /** The largest capacity that is let through, in bits. */
      readonly maxBits: number;
      /** As above. With the default, the model sees the value at once. */
      readonly into?: readonly string[];
    }
  | {
      readonly type: "lookup";
      /** Tools, or parts of their results such as `create_file.id`; `*` stands for all tools that only read. */
      readonly results: readonly string[];
      /** What choosing among the entries of the store can say. Default 4. */
      readonly bits?: number;
    };

/** What the answer to the user may hold. */
export interface AnswerFlow {
  /** Links that nobody trusted has written: taken out, or left. Default `remove`. */
  readonly links?: "remove" | "allow";
  /** Who reads the answers; data that they may not read is withheld. Default: whoever runs the agent may read all. */
  readonly readers?: readonly string[];
}

/** A policy: plain JSON. Tools that it does not name are taken for the worst. */
export interface FlowPolicy {
  /** Of the form of policies. */
  readonly version: 1;
  /** Levels of confidentiality, the lowest first. Default: `public`, `private`, `user_identity`. */
  readonly levels?: readonly ConfidentialityLabel[];
  /** By name; tools of an owner, such as a server, by `owner/name`; hosted tools by `provider/name`: see `toolKey`. */
  readonly tools: Readonly<Record<string, ToolFlow>>;
  /** Values that no attacker writes, by name: contacts, accounts, places. Default: none. */
  readonly lists?: Readonly<Record<string, readonly (string | number)[]>>;
  /** Tried in this order; the first that fits counts. Default: none. */
  readonly endorse?: readonly EndorseRule[];
  /**
   * How many bits endorsements may let through in one session. Default 64. That a call failed or was denied
   * costs one where it depended on untrusted values: with 0, such a call leaves the context untrusted.
   */
  readonly endorseBits?: number;
  /** Default: untrusted links are taken out, and nothing is withheld. */
  readonly answer?: AnswerFlow;
}

/**
 * A rule that a call breaks.
 * - `trusted_call`: the model had read something untrusted when it decided on the call.
 * - `trusted_argument`: a guarded argument holds something untrusted.
 * - `permitted_flow`: somebody who receives an argument may not read it.
 * - `argument_level`: an argument is more confidential than the policy lets it be.
 * - `untrusted_link`: a link goes along that nobody trusted has written.
 * - `confidential_context`: in mode `strict`, somebody who learns of the call may not know what the model had read.
 * - `unknown_tool`: beside others, the policy does not name the tool, or names another definition.
 * - `unknown_reference`: a reference stands for nothing in this conversation.
 */
export type FlowRule =
  | "trusted_call"
  | "trusted_argument"
  | "permitted_flow"
  | "argument_level"
  | "untrusted_link"
  | "confidential_context"
  | "unknown_tool"
  | "unknown_reference";

/** Where a value came from. */
export interface ValueOrigin {
  /** The variable that held it. */
  readonly variable?: string;
  /** The call whose result it was part of. */
  readonly callId?: string;
  /** As the policy calls it. */
  readonly tool?: string;
  /** Where in the result of that call. */
  readonly path?: string;
  /** What `quarantined_llm` was given to make it of, at most 20 values. */
  readonly of?: readonly ValueOrigin[];
}

/** One thing that is wrong with a call. */
export interface FlowViolation {
  readonly rule: FlowRule;
  /** Path of the argument, where it is about one. */
  readonly argument?: string;
  /** The label that was found. */
  readonly label?: JsonObject;
  /** Absent where the model has written the value itself. */
  readonly origin?: ValueOrigin;
}

/**
 * What could be done instead: pass a reference as it stands in a result; have a small value extracted by
 * the quarantine; endorse it, by a rule or by hand; ask a person.
 */
export type FlowRemedy = "pass_reference" | "extract" | "endorse" | "ask";
