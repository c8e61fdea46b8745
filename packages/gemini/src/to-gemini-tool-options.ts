import type { Tool as WireTool } from "@google/genai";
import {
  ChatClientError,
  type ChatOptions,
  ConfigurationError,
  type JsonObject,
  type Tool,
} from "@tunic/core";
import { toGeminiTools } from "./to-gemini-tools.js";
import type { Notice } from "./to-gemini-turn.js";
import { toWireName } from "./wire-names.js";

/** For whom tools are converted. */
interface Surroundings {
  readonly generation: number;
  readonly isVertex: boolean;
  readonly notice?: Notice | undefined;
}

/** How functions may be called: what the service calls `functionCallingConfig`. */
interface Calling extends JsonObject {
  readonly mode: "AUTO" | "ANY" | "NONE" | "VALIDATED";
  readonly allowedFunctionNames?: readonly string[];
}

/** What a request says of tools. */
export interface ToolOptions {
  readonly tools?: WireTool[];
  readonly toolConfig?: JsonObject;
}

/**
 * The members of a request that speak of tools.
 *
 * @throws ChatClientError `unsupported` for what the service or a model of this generation cannot do.
 * @throws ConfigurationError for a tool or a choice that cannot be.
 */
export function toToolOptions(options: ChatOptions, surroundings: Surroundings): ToolOptions {
  const { tools = [], toolChoice, parallelToolCalls } = options;
  const offered = narrowed(tools, toolChoice, surroundings);
  if (offered.length === 0) return {};
  const functions = offered.filter((tool) => tool.type === "function");
  if (functions.length > 0 && parallelToolCalls === false) {
    throw new ChatClientError(
      "unsupported",
      "Gemini cannot be kept from making several calls at once: leave options.parallelToolCalls out. To run calls one by one, make their tools `exclusive`.",
    );
  }
  const isMixed = functions.length > 0 && functions.length < offered.length;
  if (isMixed) checkMixed(offered, surroundings);
  const calling = toCalling(toolChoice, offered, isMixed);
  const toolConfig: JsonObject = {
    ...(calling && { functionCallingConfig: calling }),
    // The service demands it, so that what its tools did comes back in the next request.
    ...(isMixed && !surroundings.isVertex && { includeServerSideToolInvocations: true }),
  };
  return {
    tools: toGeminiTools(offered, surroundings.notice).map(forSdk),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
  };
}

/** The SDK writes a schema of its own into the declarations that it is given; ours are kept. */
function forSdk(tool: WireTool): WireTool {
  const { functionDeclarations } = tool;
  if (functionDeclarations === undefined) return tool;
  return { ...tool, functionDeclarations: functionDeclarations.map((each) => ({ ...each })) };
}

/**
 * The tools that go out. A list of allowed names is for functions, and for models that know the mode
 * `VALIDATED`: tools of the service that are not in it, and for older models all others, are left out of
 * this one request.
 */
function narrowed(
  tools: readonly Tool[],
  choice: ChatOptions["toolChoice"],
  { generation }: Surroundings,
): readonly Tool[] {
  if (typeof choice !== "object" || !("allowed" in choice)) return tools;
  return tools.filter(
    (tool) => choice.allowed.includes(tool.name) || (generation >= 3 && tool.type === "function"),
  );
}

/** By https://ai.google.dev/gemini-api/docs/tool-combination; computer use brings functions itself. */
function checkMixed(offered: readonly Tool[], { generation }: Surroundings): void {
  if (generation >= 3) return;
  const [hosted] = offered.filter(
    (tool) => tool.type === "hosted" && !("computerUse" in tool.definition),
  );
  if (hosted === undefined) return;
  throw new ChatClientError(
    "unsupported",
    `Gemini models before generation 3 cannot use "${hosted.name}" beside functions in one request. Offer one kind only, or ask a newer model.`,
  );
}

function toCalling(
  choice: ChatOptions["toolChoice"],
  offered: readonly Tool[],
  isMixed: boolean,
): Calling | undefined {
  const functions = offered.filter((tool) => tool.type === "function");
  const names = functions.map(({ name }) => name);
  if (choice === "required") return { mode: "ANY", ...checkForced(names) };
  if (typeof choice === "object" && "name" in choice) {
    if (!names.includes(choice.name)) throw notAFunction(choice.name, names);
    return { mode: "ANY", allowedFunctionNames: [toWireName(choice.name)] };
  }
  // The service takes no settings of functions where there are none.
  if (names.length === 0) return undefined;
  if (choice === "none") return { mode: "NONE" };
  if (typeof choice === "object") {
    const allowed = names.filter((name) => choice.allowed.includes(name));
    if (allowed.length === 0) return { mode: "NONE" };
    if (allowed.length < names.length) {
      return { mode: "VALIDATED", allowedFunctionNames: allowed.map(toWireName) };
    }
  }
  // Beside its own tools the service takes no AUTO; and what is strict it calls strictly in this mode.
  if (isMixed || functions.some((tool) => tool.strict === true)) return { mode: "VALIDATED" };
  return choice === undefined ? undefined : { mode: "AUTO" };
}

function checkForced(names: readonly string[]): Record<never, never> {
  if (names.length > 0) return {};
  throw new ChatClientError(
    "unsupported",
    'Gemini decides itself when it uses its own tools: toolChoice "required" needs a function.',
  );
}

function notAFunction(name: string, names: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `toolChoice names "${name}"; the functions it can name are: ${names.join(", ") || "none"}.`,
  );
}
