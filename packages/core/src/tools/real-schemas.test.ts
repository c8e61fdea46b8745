import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretedValidator } from "../interpreted.js";
import type { JsonObject } from "../messages/json.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { tool } from "./function-tool.js";
import { checkArguments, prepareSchema } from "./validate-arguments.js";

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
  "schemas of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    const definitions = file === undefined ? [] : collect(JSON.parse(readFileSync(file, "utf8")));

    async function checkAll(): Promise<void> {
      expect(definitions.length).toBeGreaterThan(500);
      for (const { name, inputSchema } of definitions) {
        const made = tool({ name, parameters: inputSchema });
        await prepareSchema(made);
        const required = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
        const checked = await checkArguments(made, {});
        // A required property that is missing is found, unless its default stands in.
        if (checked.ok) expect(made.parameters).toHaveProperty("type", "object");
        else expect(checked.message).toContain("missing required property");
        if (required.length === 0) expect(checked.ok).toBe(true);
      }
    }

    it("B19: all can be registered, compiled and called with ajv", checkAll, 120_000);

    describe("with the interpreted validator", () => {
      beforeAll(() => setSchemaValidator(interpretedValidator));
      afterAll(() => setSchemaValidator(undefined));
      it("B19: all can be registered, compiled and called", checkAll, 120_000);
    });
  },
);
