import { type FunctionTool, isJsonObject, type Tool } from "@tunic/core";
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
