import { type ApprovalMode, checkOptionNames } from "@tunic/core";
import { names, wrong } from "./option-values.js";

/** Which of a server's tools somebody is asked about, by the server's own names. `alwaysRequire` wins. */
export interface McpApproval {
  readonly alwaysRequire?: readonly string[] | undefined;
  readonly neverRequire?: readonly string[] | undefined;
  /** Of all others. Default `never_require`. */
  readonly otherwise?: ApprovalMode | undefined;
}

const approvalNames: ReadonlySet<string> = new Set<keyof McpApproval>([
  "alwaysRequire",
  "neverRequire",
  "otherwise",
]);

/** @throws ConfigurationError `invalid_option` */
export function readApproval(
  mode: ApprovalMode | McpApproval | undefined,
): (remoteName: string) => ApprovalMode | undefined {
  if (typeof mode !== "object" || mode === null) {
    checkApproval("approvalMode", mode);
    return () => mode;
  }
  const { alwaysRequire, neverRequire, otherwise } = mode;
  checkApproval("approvalMode.otherwise", otherwise);
  checkOptionNames("mcpTools(): approvalMode", mode, approvalNames);
  const always = names("approvalMode.alwaysRequire", alwaysRequire);
  const never = names("approvalMode.neverRequire", neverRequire);
  return (name) => {
    if (always.has(name)) return "always_require";
    return never.has(name) ? "never_require" : otherwise;
  };
}

/** Of a tool that is found later, a word that does not exist would only say that it cannot be made. */
function checkApproval(option: string, mode: unknown): void {
  const isMode = mode === "always_require" || mode === "never_require";
  if (mode === undefined || isMode || typeof mode === "function") return;
  throw wrong(option, '"always_require", "never_require" or a function');
}
