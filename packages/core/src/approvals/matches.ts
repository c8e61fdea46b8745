import type { JsonObject } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";

/** Whether every member of a pattern is equal in some arguments. */
export function matches(pattern: JsonObject, args: JsonObject): boolean {
  return Object.keys(pattern).every((name) => matchesMember(pattern, args, name));
}

export function matchesMember(pattern: JsonObject, args: JsonObject, name: string): boolean {
  return Object.hasOwn(args, name) && sameJson(pattern[name], args[name]);
}
