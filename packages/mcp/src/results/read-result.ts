import {
  type Content,
  isJsonObject,
  type JsonObject,
  sameJson,
  type ToolResult,
  textContent,
  toolResult,
} from "@tunic/core";
import { isDeeperThan } from "../json-depth.js";
import { shortened } from "../transports/noise-log.js";
import { jsonText, readContent } from "./read-content.js";

/** Of an error's message, which stands in events and logs. The model gets all of the text. */
const longestMessage = 1000;
/** Of a result. Nobody means more. */
const mostLevels = 500;

/**
 * What a server answered a call with, as a result. What the tool itself calls a failure is one here; nothing
 * is guessed from texts. Structured content is told once: as JSON, where no text says the same.
 *
 * @param maxBytes Of all contents together.
 */
export function readResult(answer: JsonObject, maxBytes: number): ToolResult {
  if (isDeeperThan(answer, mostLevels)) {
    return failure(
      "mcp_result_too_large",
      `The tool has run, and its result is left out: it is nested deeper than ${mostLevels} levels.`,
    );
  }
  const bytes = sizeOf(answer);
  if (bytes > maxBytes) {
    return failure(
      "mcp_result_too_large",
      `The tool has run, and its result is left out: it has ${bytes} bytes, and at most ${maxBytes} are taken. Ask for less at once.`,
    );
  }
  const contents = contentsOf(answer);
  if (answer["isError"] !== true) {
    return toolResult({ contents: contents.length === 0 ? "null" : contents, value: answer });
  }
  const text = contents.map(textOf).join("\n").trim();
  const said = text === "" ? "The tool failed, and does not say why." : text;
  const message = shortened(said, longestMessage);
  return toolResult({
    contents:
      text === ""
        ? [textContent(said), ...contents.filter(({ type }) => type !== "text")]
        : contents,
    error: { code: "mcp_tool_error", message, retryable: false },
    value: answer,
  });
}

/** An error result of this package's own making, with a text for the model. */
export function failure(code: string, message: string, retryable = false): ToolResult {
  return toolResult({
    contents: `Error: ${message}`,
    error: { code, message, retryable },
  });
}

function contentsOf(answer: JsonObject): readonly Content[] {
  const { content, structuredContent, _meta, toolResult: oldest } = answer;
  const meta = isJsonObject(_meta) ? _meta : undefined;
  // Some servers write null for what they leave out.
  const given = content ?? [];
  const blocks = Array.isArray(given) ? given : [given];
  const contents = blocks.map((block) => readContent(block, meta));
  const isThere = structuredContent !== undefined && structuredContent !== null;
  if (isThere && !contents.some(says(structuredContent))) {
    contents.push(readContent({ type: "text", text: jsonText(structuredContent) }, meta));
  }
  // Revision 2024-10-07 had one value, and no blocks.
  if (contents.length === 0 && oldest !== undefined) {
    contents.push(readContent({ type: "text", text: jsonText(oldest) }, meta));
  }
  return contents;
}

/** Whether a text is this value as JSON, or all that an object with one member holds. */
function says(value: unknown): (content: Content) => boolean {
  const members = isJsonObject(value) ? Object.values(value) : [];
  const only = members.length === 1 ? members[0] : undefined;
  return (content) => {
    if (content.type !== "text") return false;
    if (content.text === only) return true;
    if (!/^\s*[[{"\-\dtfn]/.test(content.text)) return false;
    try {
      return sameJson(JSON.parse(content.text), value as never);
    } catch {
      return false;
    }
  };
}

function textOf(content: Content): string {
  return content.type === "text" ? content.text : "";
}

/** About as many bytes as it is on the wire: characters are counted, which is fast and close enough. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 4;
  let size = 2;
  for (const key in value) size += key.length + sizeOf(value[key as keyof typeof value]);
  return size;
}
