import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretedValidator } from "../interpreted.js";
import type { JsonObject, JsonValue } from "../messages/json.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { toJsonSchema } from "./schema.js";
import { checkArguments } from "./validate-arguments.js";

/** A checkout of JSON-Schema-Test-Suite's `tests` folder; without it these tests are skipped. */
const folder = process.env["TUNIC_SCHEMA_SUITE"];
const reason = "TUNIC_SCHEMA_SUITE does not name the folder of the JSON Schema Test Suite";

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

const drafts = { "draft2020-12": "https://json-schema.org/draft/2020-12/schema", draft7: "http://json-schema.org/draft-07/schema#" };

/** Files and groups that ask for other documents: nothing is loaded from elsewhere, by design. */
const remote = /refRemote|vocabulary\.json/;

interface Outcome {
  total: number;
  refused: string[];
  wrong: string[];
}

async function runSuite(draft: keyof typeof drafts): Promise<Outcome> {
  const outcome: Outcome = { total: 0, refused: [], wrong: [] };
  const path = join(folder ?? "", draft);
  for (const file of readdirSync(path).filter((name) => name.endsWith(".json") && !remote.test(name))) {
    const groups: readonly SuiteGroup[] = JSON.parse(readFileSync(join(path, file), "utf8"));
    for (const group of groups) await runGroup(`${file}: ${group.description}`, group, drafts[draft], outcome);
  }
  return outcome;
}

/** Arguments are objects, so each case is made the value of one property. */
async function runGroup(name: string, group: SuiteGroup, dialect: string, outcome: Outcome): Promise<void> {
  const value =
    typeof group.schema === "object" && !("$id" in (group.schema as object))
      ? { $id: "https://example.com/case", ...(group.schema as JsonObject) }
      : group.schema;
  let parameters: JsonObject;
  try {
    parameters = toJsonSchema(
      { $schema: dialect, type: "object", properties: { value }, required: ["value"] },
      "case",
    );
  } catch (error) {
    outcome.refused.push(`${name} | ${(error as Error).message.slice(0, 90)}`);
    return;
  }
  for (const { description, data, valid } of group.tests) {
    outcome.total++;
    const checked = await checkArguments({ name: "case", parameters }, { value: data });
    // What coercion repairs was found wrong first.
    const found = checked.ok && checked.arguments["value"] === data;
    if (found !== valid) outcome.wrong.push(`${name}: ${description}${checked.ok ? "" : ` | ${checked.message}`}`);
  }
}

describe.skipIf(folder === undefined || !existsSync(folder ?? ""))(
  `the JSON Schema Test Suite (skipped when ${reason})`,
  () => {
    for (const draft of ["draft2020-12", "draft7"] as const) {
      it(`${draft}, ajv`, async () => {
        const outcome = await runSuite(draft);
        console.log(draft, "ajv", outcome.total, outcome.refused, outcome.wrong);
      });
    }
    describe("interpreted", () => {
      beforeAll(() => setSchemaValidator(interpretedValidator));
      afterAll(() => setSchemaValidator(undefined));
      for (const draft of ["draft2020-12", "draft7"] as const) {
        it(`${draft}, interpreted`, async () => {
          const outcome = await runSuite(draft);
          console.log(draft, "interpreted", outcome.total, outcome.refused, outcome.wrong);
        });
      }
    });
  },
);
