import type { AutomaticDecision, VerdictContext } from "@tunic/core";

const reading: ReadonlySet<string> = new Set([
  "search_skills",
  "load_skill",
  "read_skill_resource",
]);

/**
 * For `toolApproval({ decide: readOnlyToolsAutoApprovalRule })`: skills are loaded and read without asking;
 * scripts are not run.
 */
export function readOnlyToolsAutoApprovalRule(context: VerdictContext): AutomaticDecision {
  return isOwn(context) && reading.has(context.tool.name) ? "run" : undefined;
}

/** For `toolApproval({ decide: allToolsAutoApprovalRule })`: scripts are run without asking, too. */
export function allToolsAutoApprovalRule(context: VerdictContext): AutomaticDecision {
  const { name } = context.tool;
  return isOwn(context) && (reading.has(name) || name === "run_skill_script") ? "run" : undefined;
}

/** A server's tool of the same name is another tool. */
function isOwn({ tool }: VerdictContext): boolean {
  return tool.owner === undefined && tool.trust !== "external";
}
