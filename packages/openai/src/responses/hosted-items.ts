import {
  type Content,
  type ContentBase,
  foreignType,
  type JsonObject,
  type JsonValue,
  parseArguments,
} from "@tunic/core";
import { textAt, type WireRecord } from "../wire-values.js";
import type { asProviderData } from "./item-data.js";

/** `providerData` of a content of the item at hand, with further members. */
type DataOf = (own: Readonly<Record<string, unknown>>) => ReturnType<typeof asProviderData>;

/** What a tool that the service runs is called here, and where its item holds what. */
interface HostedKind {
  readonly name: string;
  readonly input: readonly string[];
  /** The members that hold what came out; the first that is there counts. */
  readonly output: readonly string[];
}

const kinds: ReadonlyMap<string, HostedKind> = new Map(
  Object.entries({
    web_search_call: { name: "web_search", input: ["action"], output: ["results"] },
    file_search_call: { name: "file_search", input: ["queries"], output: ["results"] },
    code_interpreter_call: {
      name: "code_interpreter",
      input: ["code", "container_id"],
      output: ["outputs"],
    },
    mcp_call: { name: "", input: ["arguments"], output: ["output", "error"] },
  }),
);

/** An item that comes whole: what the service's own tools did or ask, and what is not known here. */
export function hostedContents(item: WireRecord, dataOf: DataOf): Content[] {
  // What came out of JSON is JSON.
  const own = item as JsonObject;
  const type = textAt(item, "type");
  if (type === "image_generation_call") return imageContents(own, dataOf);
  if (type === "mcp_approval_request") return [question(own, dataOf)];
  const kind = kinds.get(type);
  return kind ? calledContents(own, kind, dataOf) : [unknownContent(own, dataOf)];
}

function calledContents(item: JsonObject, kind: HostedKind, dataOf: DataOf): Content[] {
  const member = kind.output.find((name) => item[name] !== undefined && item[name] !== null);
  const { [member ?? ""]: output, ...rest } = item;
  const callId = textAt(item, "id");
  const name = kind.name || textAt(item, "name");
  const input = inputOf(item, kind);
  const call: Content = {
    type: "hosted_tool_call",
    callId,
    name,
    ...(input !== undefined && { input }),
    ...dataOf({ item: rest }),
  };
  if (member === undefined || output === undefined) return [call];
  return [call, { type: "hosted_tool_result", callId, name, output, ...dataOf({ member }) }];
}

function inputOf(item: JsonObject, { input }: HostedKind): JsonValue | undefined {
  const [only] = input;
  if (only === "arguments") {
    const parsed = parseArguments(textAt(item, only));
    return "arguments" in parsed ? parsed.arguments : parsed.argumentsText;
  }
  if (only === "action") return item["action"];
  const given = input.flatMap((name): [string, JsonValue][] => {
    const value = item[name];
    return value === undefined || value === null ? [] : [[name, value]];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** The picture is a file of the message, and goes back inside its item. */
function imageContents(item: JsonObject, dataOf: DataOf): Content[] {
  const { result, ...rest } = item;
  const callId = textAt(item, "id");
  const prompt = item["revised_prompt"];
  const call: Content = {
    type: "hosted_tool_call",
    callId,
    name: "image_generation",
    ...(typeof prompt === "string" && { input: { revised_prompt: prompt } }),
    ...dataOf({ item: rest }),
  };
  if (typeof result !== "string" || result === "") return [call];
  const mediaType = `image/${textAt(item, "output_format") || formatOf(result)}`;
  return [call, { type: "data", data: result, mediaType, ...dataOf({ member: "result" }) }];
}

/** By the first bytes, as base64 writes them. */
function formatOf(base64: string): string {
  if (base64.startsWith("/9j/")) return "jpeg";
  return base64.startsWith("UklGR") ? "webp" : "png";
}

/** The service asks before it calls a remote server; the answer goes back to it. */
function question(item: JsonObject, dataOf: DataOf): Content {
  const id = textAt(item, "id");
  const call = { type: "function_call", callId: id, name: textAt(item, "name") } as const;
  const server = textAt(item, "server_label");
  return {
    type: "function_approval_request",
    requestId: id,
    call: { ...call, ...parseArguments(textAt(item, "arguments")) },
    provider: "openai",
    ...(server !== "" && { reason: `The tool belongs to the MCP server "${server}".` }),
    ...dataOf({ item }),
  };
}

function unknownContent(item: JsonObject, dataOf: DataOf): Content {
  const type = textAt(item, "type");
  // Under the vendor's key, not spread: members of an item must not pose as members of a content.
  const kept: { readonly type: string } & ContentBase = {
    type: foreignType(type, "openai"),
    ...dataOf({ item }),
  };
  return kept as Content;
}
