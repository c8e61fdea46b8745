import { isJsonObject, type JsonObject } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import { plainText } from "../plain-text.js";
import { shortened } from "../transports/noise-log.js";
import { readFormSchema } from "./form-schema.js";

/** What a server wants to know from a person. All texts in it are the server's. */
export type McpElicitation = McpFormElicitation | McpUrlElicitation;

/** Fields to be filled in. */
export interface McpFormElicitation {
  readonly mode: "form";
  /** The label of the server that asks. */
  readonly server: string;
  readonly message: string;
  /** A JSON Schema: an object of texts, numbers, booleans and choices. */
  readonly requestedSchema: JsonObject;
}

/** A page to be opened, such as one to sign in: what is entered there, nobody here sees. */
export interface McpUrlElicitation {
  readonly mode: "url";
  /** The label of the server that asks. */
  readonly server: string;
  readonly message: string;
  /** With http or https. Show where it leads before anybody opens it. */
  readonly url: string;
  /** The server's own id of it, which it names again when it is done. */
  readonly elicitationId?: string;
}

/** The answer to a server. `content` fills in a form. */
export type McpElicitationAnswer =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" | "cancel" };

const longestMessage = 4000;
const longestUrl = 4096;

/**
 * Reads the parameters of an `elicitation/create`.
 *
 * @throws McpError with rpcCode -32602.
 */
export function readElicitation(
  params: unknown,
  server: string,
  maxSchemaBytes: number,
): McpElicitation {
  const { mode = "form", message, requestedSchema, url, elicitationId } = asObject(params);
  const common = { server, message: shortened(asText(message), longestMessage) };
  if (mode === "form") {
    return {
      mode,
      ...common,
      requestedSchema: readFormSchema(requestedSchema, maxSchemaBytes),
    };
  }
  if (mode !== "url")
    throw invalid(`The mode ${shortened(JSON.stringify(mode), 100)} is not known.`);
  return {
    mode,
    ...common,
    url: readUrl(url),
    ...(typeof elicitationId === "string" && { elicitationId: shortened(elicitationId, 200) }),
  };
}

/** Where a person may be sent: nothing that a page would run, and no file of theirs. */
function readUrl(url: unknown): string {
  if (typeof url === "string" && url.length <= longestUrl && URL.canParse(url)) {
    const { protocol, username, password, href } = new URL(url);
    // With a name before the host, it is the name that people take for the host.
    const isOpen = username === "" && password === "";
    if (isOpen && (protocol === "https:" || protocol === "http:")) return href;
  }
  throw invalid(
    "url must be an absolute address with http or https, without a name and a password.",
  );
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asText(value: unknown): string {
  const text = typeof value === "string" ? plainText(value) : "";
  if (text.trim() !== "") return text;
  throw invalid("message must be a text.");
}

function invalid(message: string): McpError {
  return new McpError("mcp_wrong_answer", message, { rpcCode: -32602 });
}
