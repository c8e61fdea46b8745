import type {
  Content,
  ContentBase,
  DataContent,
  ErrorContent,
  FunctionApprovalResponseContent,
  FunctionResultContent,
  FunctionResultError,
  TextContent,
  UriContent,
} from "./content.js";

/** Optional members of the makers below. */
export type ContentExtras = Pick<ContentBase, "providerData" | "additionalProperties">;

/**
 * What the makers made. Membership cannot be written down in JSON, so that data which merely looks
 * like a content (a web page's JSON, say) cannot pose as one and bring its own label.
 */
const made = new WeakSet<object>();

function make<Made extends Content>(content: Made): Made {
  made.add(content);
  return content;
}

/** Whether a value came out of a maker of this module; what merely looks like a content did not. */
export function isMadeContent(value: unknown): value is Content {
  return typeof value === "object" && value !== null && made.has(value);
}

/** Text. */
export function textContent(text: string, extras?: ContentExtras): TextContent {
  return make({ type: "text", text, ...extras });
}

/**
 * Bytes of a media type, such as an image: a `Uint8Array`, or text that is base64 already.
 *
 * @throws TypeError when a text is not base64.
 */
export function dataContent(
  data: Uint8Array | string,
  mediaType: string,
  extras?: ContentExtras & { readonly name?: string },
): DataContent {
  const base64 = typeof data === "string" ? checkedBase64(data) : toBase64(data);
  return make({ type: "data", data: base64, mediaType, ...extras });
}

/** A pointer to something: its address and media type. A `data:` address becomes a {@link DataContent}. */
export function uriContent(
  uri: string,
  mediaType?: string,
  extras?: ContentExtras,
): UriContent | DataContent {
  if (/^data:/i.test(uri)) return fromDataUri(uri, extras);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new TypeError(`A uri content needs an absolute address with a scheme; got "${uri}".`);
  }
  return make({ type: "uri", uri, mediaType: mediaType ?? "application/octet-stream", ...extras });
}

/** A failure as part of a message. */
export function errorContent(
  message: string,
  extras?: ContentExtras & { readonly code?: string },
): ErrorContent {
  return make({ type: "error", message, ...extras });
}

/** A caller's answer to a call of a declaration-only tool. A string becomes one text content. */
export function functionResultContent(
  callId: string,
  result: string | readonly Content[],
  extras?: ContentExtras & { readonly isError?: boolean; readonly error?: FunctionResultError },
): FunctionResultContent {
  const contents = typeof result === "string" ? [textContent(result)] : result;
  return make({ type: "function_result", callId, contents, ...extras });
}

/** The whole content of a `data:` address (RFC 2397), decoded from base64 or percent-encoding. */
function fromDataUri(uri: string, extras?: ContentExtras): DataContent {
  const comma = uri.indexOf(",");
  if (comma < 0)
    throw new TypeError("A data: address needs a comma between its type and its data.");
  const [mediaType, ...parameters] = uri.slice("data:".length, comma).split(";");
  const body = uri.slice(comma + 1);
  const type = mediaType || "text/plain";
  if (parameters.some((each) => each.trim().toLowerCase() === "base64"))
    return dataContent(body, type, extras);
  return dataContent(percentDecoded(body), type, extras);
}

/** Byte by byte: what is percent-encoded need not be UTF-8. */
function percentDecoded(text: string): Uint8Array {
  if (/%(?![0-9a-f]{2})/i.test(text)) {
    throw new TypeError('A data: address needs two hexadecimal digits after each "%".');
  }
  const bytes = new TextEncoder().encode(text);
  const decoded: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x25) decoded.push(bytes[at] ?? 0);
    else {
      decoded.push(
        Number.parseInt(String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0), 16),
      );
      at += 2;
    }
  }
  return Uint8Array.from(decoded);
}

function checkedBase64(text: string): string {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new TypeError("dataContent takes bytes or base64 text; this text is not base64.");
  }
  return text;
}

/** @internal */
export function madeDecision(
  decision: FunctionApprovalResponseContent,
): FunctionApprovalResponseContent {
  return make(decision);
}

/** Base64 of bytes, without Node's Buffer. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // In slices: String.fromCharCode takes its arguments on the stack.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** The bytes of a file that stands in a message. */
export function bytesOf({ data }: DataContent): Uint8Array {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
