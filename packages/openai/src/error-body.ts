import { isJsonObject } from "@tunic/core";
import { shownJson, textAt } from "./wire-values.js";

/**
 * `fetch` for SDK instances that are made here. The SDK reads of a failure what stands under `error`, and
 * says "no body" of all the rest; other servers have a list there (Gemini), or `detail` (FastAPI), or the
 * error itself (Mistral).
 */
export async function fetchWithErrors(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok || response.body === null) return response;
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    text = String(error);
  }
  const headers = new Headers(response.headers);
  // Of the body as it was on its way.
  for (const name of ["content-length", "content-encoding"]) headers.delete(name);
  const { status, statusText } = response;
  return new Response(toErrorBody(text), { status, statusText, headers });
}

/** A body in which the SDK finds what went wrong. */
function toErrorBody(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (typeof first === "string") return asError({ message: first }, text);
  if (!isJsonObject(first)) return text;
  const { error, ...rest } = first;
  if (error) return asError(error, text);
  if (Object.keys(rest).length === 0) return text;
  const { detail } = rest;
  const said = textAt(rest, "message") || (typeof detail === "string" ? detail : "");
  const message = said || shownJson(detail ?? rest, longestMessage);
  return asError({ ...rest, message }, text);
}

function asError(error: unknown, text: string): string {
  try {
    return JSON.stringify({ error });
  } catch {
    // Nested too deeply to be written, which the SDK would have to do.
    return JSON.stringify({ error: { message: text.slice(0, longestMessage) } });
  }
}

const longestMessage = 1000;
