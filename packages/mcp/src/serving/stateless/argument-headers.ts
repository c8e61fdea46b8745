import type { IncomingHttpHeaders } from "node:http";
import { type FunctionTool, isJsonObject, type JsonObject } from "@tunic/core";
import { ProtocolError } from "../protocol-error.js";
import { decodeHeader } from "./header-value.js";
import { headerMismatch } from "./revision.js";

/** An argument that is sent as a header, too. */
interface Mirrored {
  readonly path: readonly string[];
  /** In lower case. */
  readonly header: string;
}

const known = new WeakMap<FunctionTool, readonly Mirrored[]>();

/**
 * Checks that what a tool wants as headers (`x-mcp-header` in its schema) is what its arguments say: a proxy in front
 * has judged the call by the headers.
 *
 * @throws ProtocolError -32020
 */
export function checkArgumentHeaders(
  tool: FunctionTool,
  args: unknown,
  headers: IncomingHttpHeaders,
): void {
  let mirrored = known.get(tool);
  if (mirrored === undefined) {
    mirrored = mirroredIn(tool.parameters, []);
    known.set(tool, mirrored);
  }
  for (const { path, header } of mirrored) {
    if (!isRight(args, path, headers[header])) {
      throw new ProtocolError(
        headerMismatch,
        `Bad Request: the header ${header} does not say what the argument ${path.join(".")} does`,
      );
    }
  }
}

function isRight(
  args: unknown,
  path: readonly string[],
  sent: string | string[] | undefined,
): boolean {
  let value = args;
  for (const key of path) {
    // A text that stands for an object is read as one later on: what is in it would be in no header.
    if (value !== undefined && value !== null && !isJsonObject(value)) return false;
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  // A header without its argument says something, too, and what the tool does instead may be something else.
  return isPlain(value) ? isSaid(sent, value) : sent === undefined;
}

function mirroredIn(schema: JsonObject, path: readonly string[]): readonly Mirrored[] {
  const { "x-mcp-header": name, properties } = schema;
  const own =
    typeof name === "string" && path.length > 0
      ? [{ path, header: `mcp-param-${name.toLowerCase()}` }]
      : [];
  if (!isJsonObject(properties)) return own;
  const inside = Object.entries(properties).flatMap(([key, value]) =>
    isJsonObject(value) ? mirroredIn(value, [...path, key]) : [],
  );
  return [...own, ...inside];
}

type Plain = string | number | boolean;

function isPlain(value: unknown): value is Plain {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isSaid(sent: string | string[] | undefined, value: Plain): boolean {
  const decoded = typeof sent === "string" ? decodeHeader(sent) : undefined;
  return decoded !== undefined && isSame(decoded, value);
}

/** Numbers may be written in several ways. */
function isSame(decoded: string, value: Plain): boolean {
  if (decoded === String(value)) return true;
  return typeof value === "number" && /^-?\d+(\.\d+)?$/.test(decoded) && Number(decoded) === value;
}
