import type { JsonObject, JsonValue } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";
import type { VerdictParts } from "./verdict.js";

/** Whether all that is stated is as a person was told. */
export async function isAsTold(
  { facts }: VerdictParts,
  told: JsonObject | undefined,
): Promise<boolean> {
  for (const [key, fact] of facts ?? []) {
    if (!sameJson((await fact()) ?? null, told?.[key] ?? null)) return false;
  }
  return true;
}

/** What is stated of a call, by key. */
export async function statedFacts({ facts }: VerdictParts): Promise<JsonObject> {
  const stated: Record<string, JsonValue> = {};
  for (const [key, fact] of facts ?? []) {
    const value = await fact();
    if (value !== undefined) stated[key] = value;
  }
  return stated;
}
