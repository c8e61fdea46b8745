import { type FunctionTool, textContent, tool, toolResult } from "@tunic/core";
import { withLabel } from "@tunic/security";
import { foundTools } from "./found-tools.js";
import type { FindTools } from "./tool-index.js";

const fewResults = 5;
const mostResults = 20;
/** The whole description comes with the tool itself. */
const mostDescription = 400;

/** The one tool that a model has instead of those that it has not found yet. */
export function searchTool(find: (tools: readonly FunctionTool[]) => FindTools): FunctionTool {
  return tool({
    name: "search_tools",
    description:
      "Finds tools that are not in your list. Search before you say that something cannot be done. From your next step on you can call what was found.",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "A few words that say what the tool is to do, or its name.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          description: `How many tools at most. Default ${fewResults}; more than ${mostResults} are never given.`,
        },
      },
      required: ["query"],
      additionalProperties: false,
    },
    readOnly: true,
    execute({ query, limit: wanted = fewResults }, { run }) {
      const limit = Math.min(wanted, mostResults);
      const found = foundTools(run);
      if (found?.searchable === undefined) {
        found?.early.push({ query, limit });
        return { tools: [], hint: "What matches is in your list of tools from now on." };
      }
      const tools = find(found.searchable)(query, limit);
      found.add(tools.map(({ name }) => name));
      return answer(query, tools);
    },
  });
}

function answer(query: string, tools: readonly FunctionTool[]) {
  const value = {
    tools: tools.map(({ name, description }) => ({ name, description: shortened(description) })),
    ...(tools.length === 0 && { hint: hintFor(query) }),
  };
  const text = JSON.stringify(value);
  // Other people's words stay such, also when the tool that they describe has gone.
  const { additionalProperties } = withLabel(textContent(text), "untrusted");
  const foreign = tools.some(({ trust }) => trust === "external") && additionalProperties;
  return toolResult({
    contents: [textContent(text, foreign ? { additionalProperties } : {})],
    value,
  });
}

function hintFor(query: string): string {
  return query.trim() === ""
    ? "Say in a few words what the tool is to do."
    : "No tool matches. Try other words: names and descriptions of tools are searched.";
}

function shortened(description: string): string {
  const points = [...description.slice(0, 2 * mostDescription)];
  if (points.length <= mostDescription) return description;
  return `${points.slice(0, mostDescription).join("")}…`;
}
