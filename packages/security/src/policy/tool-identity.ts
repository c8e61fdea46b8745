import {
  type FunctionTool,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Tool,
} from "@tunic/core";
import { digest } from "../audit/digest.js";

/**
 * What a policy calls a tool: `name`, `owner/name` where it has an owner, `provider/name` for a hosted one.
 * Privileges belong to this and the definition, never to the name that a model reads.
 */
export function toolKey(tool: Tool): string {
  const name = keyPart(tool.name);
  const owner = tool.type === "hosted" ? tool.provider : tool.owner;
  return owner === undefined ? name : `${keyPart(owner)}/${name}`;
}

/** A slash in a name parts nothing: a tool called `a/b` is not the tool `b` of `a`. */
function keyPart(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}

const hashes = new WeakMap<Tool, string>();

/**
 * The hash of what a tool says of itself: owner, name, description and parameters (of a hosted one: provider,
 * name and definition), for `definition` in a policy. SHA-256 of canonical JSON, in base64url.
 */
export function toolHash(tool: Tool): string {
  const known = hashes.get(tool);
  if (known !== undefined) return known;
  const made = digest(definitionOf(tool));
  hashes.set(tool, made);
  return made;
}

function definitionOf(tool: Tool) {
  if (tool.type === "hosted") {
    const { provider, name, definition } = tool;
    return { provider, name, definition };
  }
  const { owner = null, name, description, parameters } = tool;
  return { owner, name, description, parameters };
}

/** The names of a tool's arguments; undefined where its schema takes any. */
export function argumentNames({ parameters }: FunctionTool): readonly string[] | undefined {
  const { properties, additionalProperties } = parameters;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return additionalProperties === false || names.length > 0 ? names : undefined;
}

const namesBySchema = new WeakMap<JsonObject, ReadonlySet<string>>();

/** All names of members that a tool's schema has anywhere: others are up to whoever makes the call. */
export function definedNames({ parameters }: FunctionTool): ReadonlySet<string> {
  const known = namesBySchema.get(parameters);
  if (known !== undefined) return known;
  const names = new Set<string>();
  const parts: JsonValue[] = [parameters];
  // Grows while it is walked.
  for (const part of parts) {
    if (typeof part !== "object" || part === null) continue;
    parts.push(...(Array.isArray(part) ? part : Object.values(part)));
    const { properties } = part as JsonObject;
    if (isJsonObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  }
  namesBySchema.set(parameters, names);
  return names;
}
