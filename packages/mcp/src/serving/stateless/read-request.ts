import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, type JsonObject } from "@tunic/core";
import { invalidParams, invalidRequest, ProtocolError } from "../protocol-error.js";
import { decodeHeader } from "./header-value.js";
import {
  handshakeRevisions,
  headerMismatch,
  metaKeys,
  type RequestId,
  type StatelessRequest,
  statelessRevision,
  unsupportedVersion,
} from "./revision.js";

/** Whether a request without a session is one of the revision that has none, or means to be. */
export function isStateless(headers: IncomingHttpHeaders, body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  if (metaOf(body)?.[metaKeys.version] !== undefined) return true;
  const version = headers["mcp-protocol-version"];
  if (body["method"] === "initialize" || typeof version !== "string") return false;
  return !handshakeRevisions.has(version);
}

/** The id of what may be a request. */
export function idOf(body: JsonObject): RequestId {
  const { id } = body;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Whether nobody waits for an answer. */
export function isNotification(body: JsonObject): boolean {
  return body["jsonrpc"] === "2.0" && typeof body["method"] === "string" && !("id" in body);
}

/**
 * Reads a request, and checks that its headers say what it says: what stands in front has judged it by them.
 *
 * @throws ProtocolError for what is none.
 */
export function readRequest(headers: IncomingHttpHeaders, body: JsonObject): StatelessRequest {
  const { jsonrpc, method, params = {} } = body;
  const id = idOf(body);
  if (jsonrpc !== "2.0" || typeof method !== "string" || id === null || !isJsonObject(params)) {
    throw new ProtocolError(invalidRequest, "Invalid Request");
  }
  const capabilities = checkMeta(headers, metaOf(body));
  checkHeader(headers, "mcp-method", method);
  const { name } = params;
  if (method === "tools/call" && typeof name === "string") checkHeader(headers, "mcp-name", name);
  return { id, method, params, capabilities };
}

/** Returns what the client says that it can do. */
function checkMeta(headers: IncomingHttpHeaders, meta: JsonObject | undefined): JsonObject {
  const version = meta?.[metaKeys.version];
  const capabilities = meta?.[metaKeys.capabilities];
  const client = meta?.[metaKeys.client];
  if (typeof version !== "string") throw lacks(metaKeys.version);
  if (!isJsonObject(capabilities)) throw lacks(metaKeys.capabilities);
  if (client !== undefined && !isJsonObject(client)) throw lacks(metaKeys.client);
  checkHeader(headers, "mcp-protocol-version", version);
  if (version !== statelessRevision) {
    throw new ProtocolError(unsupportedVersion, `Unsupported protocol version: ${version}`, {
      supported: [statelessRevision],
      requested: version,
    });
  }
  return capabilities;
}

function checkHeader(headers: IncomingHttpHeaders, name: string, value: string): void {
  const sent = headers[name];
  if (typeof sent === "string" && decodeHeader(sent) === value) return;
  const what = sent === undefined ? "is missing" : "does not say what the body says";
  throw new ProtocolError(headerMismatch, `Bad Request: the header ${name} ${what}`);
}

function lacks(key: string): ProtocolError {
  return new ProtocolError(invalidParams, `Invalid params: _meta lacks a fitting ${key}`);
}

function metaOf({ params }: JsonObject): JsonObject | undefined {
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta : undefined;
}
