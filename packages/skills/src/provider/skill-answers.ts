import {
  type Content,
  dataContent,
  type JsonObject,
  ToolError,
  type ToolResult,
  textContent,
  toolResult,
  uriContent,
} from "@tunic/core";
import { withLabel } from "@tunic/security";
import { argvSchema } from "../argv-schema.js";
import type { Skill } from "../skill.js";
import { escaped } from "./skills-prompt.js";

/** Of what exists, in an error. */
const mostNamed = 30;

const argvNote = `Scripts without arguments here take {"argv":["--name","value"]}, the words of a command line.`;

/** The arguments of a script that takes none. */
export const noArguments = {
  type: "object",
  properties: {},
  additionalProperties: false,
} as const;

/** What could be taken for the end of the frame, with characters in it that nobody sees, too. */
const frameEnd = new RegExp(
  `[<＜](?=${["[/／]", ..."skill_content"].map((each) => `[\\s\\p{Cf}\\p{DI}]*${each}`).join("")})`,
  "giu",
);

/**
 * Instructions with what belongs to them. They cannot end the frame around them.
 *
 * @param allowed The only tools that may run from now on; undefined: all.
 */
export function loadedText(
  { frontmatter, resources, scripts }: Skill,
  body: string,
  allowed: string | undefined,
): string {
  const parts = [
    `<skill_content name="${escaped(frontmatter.name)}">`,
    body.trim().replace(frameEnd, "&lt;"),
  ];
  if (allowed !== undefined) {
    const tools = allowed === "" ? "" : `${escaped(allowed)} and `;
    parts.push(`<allowed_tools>Now only ${tools}the tools for skills may run.</allowed_tools>`);
  }
  if (resources.length > 0) {
    const lines = resources.map((each) => `<resource>${nameAndDescription(each)}</resource>`);
    parts.push("<skill_resources>", ...lines, "</skill_resources>");
  }
  if (scripts.length > 0) {
    const lines = scripts.map((each) => {
      return `<script>${nameAndDescription(each)}${argumentsOf(each.parameters)}</script>`;
    });
    const note = scripts.some(({ parameters }) => parameters === argvSchema) ? [argvNote] : [];
    parts.push("<skill_scripts>", ...note, ...lines, "</skill_scripts>");
  }
  return [...parts, "</skill_content>"].join("\n");
}

/** What files take stands above the list, once. */
function argumentsOf(parameters: JsonObject = noArguments): string {
  if (parameters === argvSchema) return "";
  const { $schema: _, ...schema } = parameters;
  // Nothing in it can end the element; more of XML would only make it longer.
  const text = JSON.stringify(schema).replaceAll("<", "\\u003c");
  return `<arguments>${text}</arguments>`;
}

/** What a skill gave. What others may have written says so, for information flow. */
export function answerOf(trust: Skill["trust"], given: string | Content): ToolResult {
  // Of an empty text the loop would make one of its own, which says nothing of whose it is.
  const content = typeof given === "string" ? textContent(given || "(empty text)") : given;
  return toolResult({ contents: [trust === "trusted" ? content : untrusted(content)] });
}

/** An error that names what exists. */
export function unknown(
  what: "skill" | "resource" | "script",
  name: string,
  existing: readonly string[],
  trust: Skill["trust"],
): ToolResult {
  const shown = existing.slice(0, mostNamed).map((each) => JSON.stringify(each));
  const more = existing.length > mostNamed ? ` and ${existing.length - mostNamed} more` : "";
  const list = shown.length === 0 ? "There is none." : `There is: ${shown.join(", ")}${more}.`;
  const message = `There is no ${what} ${JSON.stringify(name.slice(0, 100))}. ${list}`;
  return failed(`unknown_${what}`, message, trust);
}

export function failed(code: string, message: string, trust: Skill["trust"]): ToolResult {
  const { contents } = answerOf(trust, `Error: ${message}`);
  return toolResult({ contents, error: { code, retryable: false, message } });
}

/** Made anew: a tool may return only what a maker made, and the content given is not ours to change. */
function untrusted(content: Content): Content {
  const extras = withLabel(content, "untrusted");
  switch (content.type) {
    case "text":
      return textContent(content.text, extrasOf(extras));
    case "data":
      return dataContent(content.data, content.mediaType, {
        ...extrasOf(extras),
        ...(content.name !== undefined && { name: content.name }),
      });
    case "uri":
      return uriContent(content.uri, content.mediaType, extrasOf(extras));
    default:
      return untrusted(textContent(JSON.stringify(content)));
  }
}

/** What a script gave or threw. What is told of an error to the model is the script's own words as well. */
export async function scriptAnswer(
  trust: Skill["trust"],
  run: () => Promise<unknown> | unknown,
): Promise<unknown> {
  if (trust === "trusted") return await run();
  let value: unknown;
  try {
    value = await run();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    value = error;
  }
  if (value instanceof Error) {
    const { code, fix = undefined } = value instanceof ToolError ? value : { code: "tool_error" };
    return failed(code, fix === undefined ? value.message : `${value.message} ${fix}`, trust);
  }
  return answerOf(trust, typeof value === "string" ? value : jsonOf(value));
}

/** The script has run: that what it gives is no JSON must not look as if it had failed. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "(It gave something that cannot be shown.)";
  }
}

/** What is wrong with the arguments of a script, with an example where it has one. */
export function unfitArguments(
  message: string,
  parameters: JsonObject,
  trust: Skill["trust"],
): ToolResult {
  const examples = parameters["examples"];
  const example = Array.isArray(examples) ? examples[0] : undefined;
  const hint =
    example === undefined ? "" : ` Write \`arguments\` in the form of ${JSON.stringify(example)}.`;
  return failed("invalid_arguments", `Argument parsing failed. ${message}.${hint}`, trust);
}

function extrasOf({ providerData, additionalProperties }: Content) {
  return {
    ...(providerData !== undefined && { providerData }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

function nameAndDescription(part: {
  readonly name: string;
  readonly description?: string;
}): string {
  const description =
    part.description === undefined ? "" : `<description>${escaped(part.description)}</description>`;
  return `<name>${escaped(part.name)}</name>${description}`;
}
