import { existsSync, readFileSync } from "node:fs";
import type { JsonObject } from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import { describe, expect, test } from "vitest";
import { toStrictForm } from "../src/strict-schema.js";
import { ToolConverter } from "../src/to-anthropic-tools.js";
import { functionTool } from "./build.js";

/** A JSON file with the `tools/list` answers of real servers; without it these tests are skipped. */
const file = process.env["TUNIC_TOOL_DEFINITIONS"];

interface Definition {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

function collect(value: unknown, found: Definition[] = []): Definition[] {
  if (typeof value !== "object" || value === null) return found;
  if ("inputSchema" in value && "name" in value) found.push(value as Definition);
  else for (const member of Object.values(value)) collect(member, found);
  return found;
}

describe.skipIf(file === undefined || !existsSync(file))(
  "tools of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    const definitions = file === undefined ? [] : collect(JSON.parse(readFileSync(file, "utf8")));

    test.each([false, true])("are taken, with strictTools %s", (strictTools) => {
      expect(definitions.length).toBeGreaterThan(500);
      const converter = new ToolConverter({ strictTools });
      const problems = definitions.flatMap(({ name, inputSchema }) => {
        const { tools } = converter.convert([functionTool(name, inputSchema)]);
        const messages = [{ role: "user", content: "hi" }];
        const body = { model: "m", max_tokens: 1, messages, tools };
        return wireProblems("anthropic", body).map((problem) => `${name}: ${problem}`);
      });
      expect(problems).toEqual([]);
    });

    test("have a strict form in which every object is closed, or a reason why not", () => {
      const open = definitions.filter(({ inputSchema }) => {
        const form = toStrictForm(inputSchema);
        return "schema" in form ? hasOpenObject(form.schema) : form.reason === "";
      });
      expect(open.map(({ name }) => name)).toEqual([]);
    });
  },
);

function hasOpenObject(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  const { type, additionalProperties } = schema as JsonObject;
  if (type === "object" && additionalProperties !== false) return true;
  return Object.values(schema).some(hasOpenObject);
}
