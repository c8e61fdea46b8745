import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject } from "../messages/json.js";

/**
 * Checks what a tool reports, as callers that write JavaScript may get it wrong.
 *
 * @throws ConfigurationError `invalid_progress`, saying what to write.
 */
export function checkProgress(progress: unknown): void {
  if (typeof progress === "string") return;
  if (Array.isArray(progress) ? progress.every(isTyped) : isUpdate(progress)) return;
  throw new ConfigurationError(
    "invalid_progress",
    "reportProgress takes a text, a list of contents such as [textContent(…)], or { update } with an update of an inner run. Write data as text: JSON.stringify(value).",
  );
}

function isUpdate(progress: unknown): boolean {
  return isJsonObject(progress) && isTyped(progress["update"]);
}

/** Contents and updates are told apart by `type`. */
function isTyped(value: unknown): boolean {
  return isJsonObject(value) && typeof value["type"] === "string";
}
