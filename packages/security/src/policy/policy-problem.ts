/** Something about a policy that cannot be meant, or should be looked at. */
export interface PolicyProblem {
  /** `error`: it cannot be meant, and `secureAgent` refuses it. `warning`: look at it. */
  readonly severity: "error" | "warning";
  /**
   * - `unknown_argument` (error): a path names an argument that the tool does not have.
   * - `other_definition` (error): the tool does not have the hash that the policy names.
   * - `unused_tool`, `missing_tool`: the policy names a tool that is not there, or not one that is.
   * - `no_recipients`: an egress tool that goes by receivers has neither `recipients` nor `clearance`.
   * - `trusted_network`: what is read from a network is declared trusted, all of it.
   * - `hidden_part`: a part is declared trusted inside something untrusted, which is hidden whole.
   * - `unguarded`: a tool that does something goes by trust, and none of its arguments is guarded.
   * - `unguarded_recipient`: who receives data is named, but neither guarded nor asked for by the rule.
   * - `unreachable_rule`: a rule endorses into an argument that is not guarded.
   * - `unused_list`: no rule uses the list.
   */
  readonly code:
    | "unknown_argument"
    | "other_definition"
    | "unused_tool"
    | "missing_tool"
    | "no_recipients"
    | "trusted_network"
    | "hidden_part"
    | "unguarded"
    | "unguarded_recipient"
    | "unreachable_rule"
    | "unused_list";
  /** As the policy calls it. */
  readonly tool?: string;
  /** What is wrong, in a sentence for whoever writes the policy. */
  readonly message: string;
}
