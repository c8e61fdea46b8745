import type { Content, ContentBase, JsonObject, JsonValue } from "@tunic/core";
import { isJsonObject } from "@tunic/core";

/** A part's members beside the one that says what it is: signatures, and what is not known here. */
export function ownData(beside: JsonObject): Pick<ContentBase, "providerData"> {
  return Object.keys(beside).length > 0 ? { providerData: { gemini: beside } } : {};
}

/** A part of text, a thought or not; undefined where it says nothing at all. */
export function textContentOf(part: JsonObject): Content | undefined {
  const { text, thought, ...beside } = part;
  if (typeof text !== "string") return undefined;
  if (text === "" && Object.keys(beside).length === 0) return undefined;
  const type = thought === true ? "text_reasoning" : "text";
  return { type, text, ...ownData(beside) };
}

/** Bytes or an address that the model gives as its answer. */
export function mediaContentOf(part: JsonObject): Content | undefined {
  const { inlineData, fileData, thought: _, ...beside } = part;
  if (isJsonObject(inlineData)) {
    const { data, mimeType } = inlineData;
    return {
      type: "data",
      data: textOf(data),
      mediaType: textOf(mimeType) || "application/octet-stream",
      ...ownData(beside),
    };
  }
  if (!isJsonObject(fileData)) return undefined;
  const { fileUri, mimeType } = fileData;
  return {
    type: "uri",
    uri: textOf(fileUri),
    mediaType: textOf(mimeType) || "application/octet-stream",
    ...ownData(beside),
  };
}

/** A part of a kind that is not known here: it goes back as it is. */
export function unknownContentOf(part: JsonObject): Content {
  const kept: { readonly type: string } & ContentBase = {
    type: "gemini_part",
    providerData: { gemini: { part } },
  };
  return kept as Content;
}

const callFields = ["executableCode", "toolCall"] as const;
const resultFields = ["codeExecutionResult", "toolResponse"] as const;

/**
 * What the service's own tools did. A result without an id belongs to the call before it.
 *
 * @param callIdOf Gives the id of a call that begins, by the service's own.
 */
export class HostedParts {
  readonly #callIdOf: (id: string) => string;
  readonly #callIds = new Map<string, string>();
  #last = "";
  #name = "";

  constructor(callIdOf: (id: string) => string) {
    this.#callIdOf = callIdOf;
  }

  /** The content of a part; undefined where it is none of such. */
  contentOf(part: JsonObject): Content | undefined {
    const call = callFields.find((field) => isJsonObject(part[field]));
    if (call !== undefined) return this.#call(call, part);
    const result = resultFields.find((field) => isJsonObject(part[field]));
    return result === undefined ? undefined : this.#result(result, part);
  }

  #call(field: string, part: JsonObject): Content {
    const { id, input, own } = taken(field, part);
    const callId = this.#callIdOf(id);
    if (id !== "") this.#callIds.set(id, callId);
    this.#last = callId;
    const name = field === "toolCall" ? textOf(input["toolType"]) : "code_execution";
    this.#name = name;
    return { type: "hosted_tool_call", callId, name, input, ...ownData(own) };
  }

  #result(field: string, part: JsonObject): Content {
    const { id, input: output, own } = taken(field, part);
    const callId = this.#callIds.get(id) ?? (this.#last || this.#callIdOf(id));
    const name = textOf(output["toolType"]) || this.#name;
    return {
      type: "hosted_tool_result",
      callId,
      ...(name !== "" && { name }),
      output,
      ...ownData(own),
    };
  }
}

function taken(field: string, part: JsonObject) {
  const { [field]: value, ...beside } = part;
  const { id, ...input } = isJsonObject(value) ? value : {};
  const own: JsonObject = { ...beside, field, ...(id !== undefined && { id }) };
  return { id: textOf(id), input, own };
}

/** A text, or nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
