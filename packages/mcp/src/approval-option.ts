import { type ApprovalMode, checkOptionNames } from "@tunic/core";
import { names, wrong } from "./option-values.js";

/** Which of a server's tools somebody is asked about, by the server's own names. `alwaysRequire` wins. */
export interface McpApproval {
  /** What the server does not have is an error (`unknown_tool`), unless all others are asked about as well. */
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

/** The option with its lists as sets. */
export interface ReadApproval {
  readonly always: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly otherwise: ApprovalMode | undefined;
}

/** @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write. */
export function readApproval(mode: ApprovalMode | McpApproval | undefined): ReadApproval {
  if (typeof mode !== "object" || mode === null) {
    const otherwise = checkedMode("approvalMode", mode, modesOrObject);
    return { always: new Set(), never: new Set(), otherwise };
  }
  if (Array.isArray(mode)) throw wrong("approvalMode", modesOrObject);
  checkOptionNames("mcpTools(): approvalMode", mode, approvalNames);
  return {
    always: names("approvalMode.alwaysRequire", mode.alwaysRequire),
    never: names("approvalMode.neverRequire", mode.neverRequire),
    otherwise: checkedMode("approvalMode.otherwise", mode.otherwise, modes),
  };
}

const modes = '"always_require", "never_require" or a function of a call';
const modesOrObject = `${modes}, or { alwaysRequire, neverRequire, otherwise }`;

/** Code that is not type-checked may have written anything. */
function checkedMode(
  option: string,
  mode: ApprovalMode | undefined,
  expected: string,
): ApprovalMode | undefined {
  const isMode = mode === "always_require" || mode === "never_require";
  if (isMode || mode === undefined || typeof mode === "function") return mode;
  throw wrong(option, expected);
}

export function approvalOf(
  { always, never, otherwise }: ReadApproval,
  remoteName: string,
): ApprovalMode | undefined {
  if (always.has(remoteName)) return "always_require";
  return never.has(remoteName) ? "never_require" : otherwise;
}
