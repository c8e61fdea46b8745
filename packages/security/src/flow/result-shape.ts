import type { JsonObject, JsonValue } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { CompiledTool } from "../policy/compile-policy.js";
import type { PathState } from "../tree/path-pattern.js";
import { own } from "./flow-memory.js";
import type { FlowRun } from "./flow-run.js";

/**
 * Whether a result has another form than the policy was written for: it holds text, but nothing of what
 * the policy declares untrusted. Paths that never match would let everything through.
 *
 * @param state Of the result, with what its tool has said of parts of it.
 */
export function missesUntrusted(
  { result }: CompiledTool,
  data: JsonValue,
  state: PathState<ContentLabel>,
): boolean {
  return result.values.some(isUntrusted) && holdsText(data) && !meetsUntrusted(data, state);
}

function isUntrusted({ integrity }: ContentLabel): boolean {
  return integrity === "untrusted";
}

function holdsText(node: JsonValue): boolean {
  if (typeof node === "string") return node !== "";
  return typeof node === "object" && node !== null && Object.values(node).some(holdsText);
}

function meetsUntrusted(node: JsonValue, state: PathState<ContentLabel>): boolean {
  if (isUntrusted(state.value)) return true;
  if (state.settled || typeof node !== "object" || node === null) return false;
  if (!Array.isArray(node)) {
    return Object.entries(node as JsonObject).some(([name, each]) =>
      meetsUntrusted(each, state.member(name)),
    );
  }
  // An empty list stands where its items would be: the form is as expected, there is nothing in it.
  if (node.length === 0) return !state.item(0).settled || isUntrusted(state.item(0).value);
  return node.some((item: JsonValue, at) => meetsUntrusted(item, state.item(at)));
}

/** Says once for each tool and run that its results are not as the policy describes them. */
export function noticeShape({ settings, shapes, run }: FlowRun, { key }: CompiledTool): void {
  if (shapes.has(key)) return;
  shapes.add(key);
  const { result } = own(settings.policy.source.tools, key) ?? {};
  const written = JSON.stringify(result);
  run.notice(
    "flow_result_shape",
    `A result of "${key}" has none of the parts that the policy calls untrusted, so all of it is taken as untrusted. In tools["${key}"], \`result\` is ${written}: write the paths as they stand in its results, such as { $: "trusted", "mails[*].body": "untrusted" }, or "untrusted" for all.`,
  );
}
