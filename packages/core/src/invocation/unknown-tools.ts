import { nearestName } from "../errors/configuration-error.js";
import type { Tool, ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";

/** More near names than that are not looked for: a model may call ten thousand tools that do not exist. */
const mostHints = 64;

/** The answers to calls of tools that do not exist; one for each name. */
export class UnknownTools {
  readonly #tools: ReadonlyMap<string, Tool>;
  #answers: Map<string, ToolResult> | undefined;

  constructor(tools: ReadonlyMap<string, Tool>) {
    this.#tools = tools;
  }

  answerTo(name: string): ToolResult {
    this.#answers ??= new Map();
    const known = this.#answers.get(name);
    if (known) return known;
    const names = [...this.#tools.keys()];
    const hint = this.#answers.size < mostHints ? nearestName(name, names) : undefined;
    const answer = unknownTool(name, names, hint);
    this.#answers.set(name, answer);
    return answer;
  }
}

function unknownTool(
  name: string,
  names: readonly string[],
  nearest: string | undefined,
): ToolResult {
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const listed = names.slice(0, 20).join(", ") + (names.length > 20 ? ", …" : "");
  return errorResult({
    code: "unknown_tool",
    message: `Requested function "${name}" not found.${hint} The tools are: ${listed || "none"}.`,
  });
}
