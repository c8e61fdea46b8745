import {
  type CheckableTool,
  checkArguments,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolResult,
} from "@tunic/core";
import type { McpServer } from "../connection/mcp-server.js";
import { quickSchema } from "../tools/pattern-check.js";
import type { RemoteTool } from "../tools/remote-tool.js";
import { whyUncheckable } from "../tools/schema-size.js";
import { shortened } from "../transports/noise-log.js";
import { failure } from "./read-result.js";

/** By the tool, gone with it; null where its output schema cannot be checked against. */
const forms = new WeakMap<RemoteTool, CheckableTool | null>();

/** Of what the model is told: it cannot mend a server. */
const longestReason = 1000;

/** Of content that is checked: each part may be wrong, and everything that is wrong is written down first. */
const mostParts = 100_000;

/**
 * The failure of a call whose structured content is not what the tool's `outputSchema` promises; undefined where it
 * is, or nobody can tell: a schema that does not compile, or is a trap, is no reason to lose a result.
 */
export async function wrongOutput(
  server: McpServer,
  tool: RemoteTool,
  { structuredContent }: JsonObject,
): Promise<ToolResult | undefined> {
  if (!server.options.checkOutput) return undefined;
  if (structuredContent === undefined) {
    return wrong("it has no structured content, which the tool's definition promises.");
  }
  const form = formOf(server, tool);
  if (form === null) return undefined;
  if (hasMoreParts(structuredContent, mostParts)) {
    unchecked(server, tool, `its content has more than ${mostParts} parts.`);
    return undefined;
  }
  const content = { structuredContent };
  const checked = await checkArguments(form, content);
  if (!checked.ok) {
    if (checked.cause === undefined)
      return wrong(`it does not fit the tool's definition. ${checked.message}`);
    forms.set(tool, null);
    unchecked(server, tool, checked.message);
    return undefined;
  }
  // Values of a wrong type that could be read as one of the right type are repaired in arguments, of which a copy is made.
  if (checked.arguments["structuredContent"] === structuredContent) return undefined;
  return wrong("it has values of another type than the tool's definition says.");
}

function wrong(why: string): ToolResult {
  const message = `The tool has run, and its result is left out: ${why}`;
  return failure("mcp_wrong_answer", shortened(message, longestReason));
}

function formOf(server: McpServer, tool: RemoteTool): CheckableTool | null {
  const known = forms.get(tool);
  if (known !== undefined) return known;
  const { outputSchema } = tool.definition;
  const why = isJsonObject(outputSchema) ? whyUncheckable(outputSchema) : "its schema is no object";
  let form: CheckableTool | null = null;
  if (isJsonObject(outputSchema) && why === undefined) {
    const { schema, dropped } = quickSchema(outputSchema, server.patterns.isQuick);
    form = { name: tool.name, parameters: aroundContent(schema) };
    if (dropped.length > 0) unchecked(server, tool, "a pattern in it might take for ever to run");
  } else unchecked(server, tool, why ?? "");
  forms.set(tool, form);
  return form;
}

/**
 * A schema of an object whose only member is the structured content, which need be no object itself. References of
 * a server's schema begin at its own root: its address keeps them there.
 */
function aroundContent(schema: JsonObject): JsonObject {
  const { $schema, $ref, ...rest } = schema;
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: {
      structuredContent: {
        $id: "tunic-output://root/",
        ...rest,
        // Up to draft-07 an address means nothing beside a reference.
        ...($ref !== undefined && { allOf: [{ $ref }, ...listOf(rest["allOf"])] }),
      },
    },
    required: ["structuredContent"],
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function unchecked(server: McpServer, tool: RemoteTool, why: string): void {
  const shown = JSON.stringify(shortened(tool.name, 100));
  const data = `The outputSchema of ${shown} is not checked, or not all of it: ${shortened(why, 500)}`;
  server.log({ level: "warning", logger: "tools", data });
}

function hasMoreParts(value: unknown, most: number): boolean {
  let left = most;
  const count = (part: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    return typeof part === "object" && part !== null && Object.values(part).some(count);
  };
  return count(value);
}
