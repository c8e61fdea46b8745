import {
  ChatClientError,
  type Content,
  type DataContent,
  type FunctionResultContent,
  type UriContent,
} from "@tunic/core";
import type { ResponseInputContent, ResponseInputItem } from "openai/resources/responses/responses";
import { toContentPart } from "../to-openai-content.js";
import { toWireCallId } from "../wire-call.js";

/** The id of a call as it is sent: here ids may be longer than in chat completions. */
export function toCallId(callId: string): string {
  return callId !== "" && callId.length <= 64
    ? callId
    : toWireCallId(callId || "unnamed".repeat(6));
}

/**
 * A part of what the model is given; undefined for a content of another kind.
 *
 * @throws ChatClientError `unsupported` for a file that the service cannot take.
 */
export function toInputPart(content: Content): ResponseInputContent | undefined {
  if (content.type === "text") return { type: "input_text", text: content.text };
  if (content.type === "error") return { type: "input_text", text: `Error: ${content.message}` };
  if (content.type !== "data" && content.type !== "uri") return undefined;
  const part = toFilePart(content);
  if (part) return part;
  const what = content.type === "uri" ? `the address ${content.uri} of type` : "a file of type";
  throw new ChatClientError(
    "unsupported",
    `The Responses API takes no ${content.mediaType} here: ${what} ${content.mediaType} cannot be ` +
      `sent. Send images and PDF (as data or by http address with their media type), or text.`,
  );
}

/** The result of a call. A file that cannot be shown must not end the run: it is told in words. */
export function toOutput(result: FunctionResultContent): ResponseInputItem.FunctionCallOutput {
  const parts = result.contents.map(toOutputPart).filter((part) => part !== undefined);
  const said = parts.filter((part) => part.type !== "input_text" || part.text !== "");
  return {
    type: "function_call_output",
    call_id: toCallId(result.callId),
    output: said.every((part) => part.type === "input_text")
      ? said.map((part) => part.text).join("\n") || wordless(result)
      : said,
  };
}

function toOutputPart(content: Content): ResponseInputContent | undefined {
  if (content.type !== "data" && content.type !== "uri") return toInputPart(content);
  const part = toFilePart(content);
  if (part) return part;
  const text =
    content.type === "uri"
      ? `${content.uri} (${content.mediaType})`
      : `[A file of type ${content.mediaType}, which cannot be shown to this model.]`;
  return { type: "input_text", text };
}

/** Chat completions take the same files, but for two things: no PDF by address there, no sound here. */
function toFilePart(content: DataContent | UriContent): ResponseInputContent | undefined {
  if (content.type === "uri" && /^application\/pdf\b/i.test(content.mediaType)) {
    if (!/^https?:/i.test(content.uri)) return undefined;
    return { type: "input_file", file_url: content.uri };
  }
  const part = toContentPart(content);
  switch (part?.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image_url":
      return { type: "input_image", image_url: part.image_url.url, detail: "auto" };
    case "file": {
      const { filename, file_data } = part.file;
      return {
        type: "input_file",
        ...(filename !== undefined && { filename }),
        ...(file_data !== undefined && { file_data }),
      };
    }
    default:
      return undefined;
  }
}

/** A model misreads an empty result. */
function wordless({ isError, error }: FunctionResultContent): string {
  return isError ? `Error: ${error?.message || "the call failed."}` : "Done; there is no output.";
}
