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
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

const drafts = {
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
  draft7: "http://json-schema.org/draft-07/schema#",
};

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
  for (const file of readdirSync(path).filter(
    (name) => name.endsWith(".json") && !remote.test(name),
  )) {
    const groups: readonly SuiteGroup[] = JSON.parse(readFileSync(join(path, file), "utf8"));
    for (const group of groups)
      await runGroup(`${file}: ${group.description}`, group, drafts[draft], outcome);
  }
  return outcome;
}

/** Arguments are objects, so each case is made the value of one property. */
async function runGroup(
  name: string,
  group: SuiteGroup,
  dialect: string,
  outcome: Outcome,
): Promise<void> {
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
    outcome.refused.push(`${name} | ${(error as Error).message}`);
    return;
  }
  for (const { description, data, valid } of group.tests) {
    outcome.total++;
    const checked = await checkArguments({ name: "case", parameters }, { value: data });
    // What coercion repairs was found wrong first.
    const found = checked.ok && checked.arguments["value"] === data;
    if (found !== valid)
      outcome.wrong.push(`${name}: ${description}${checked.ok ? "" : ` | ${checked.message}`}`);
  }
}

/** Where a library is known to differ, and why. */
const known = {
  ajv: [
    // ajv follows $dynamicRef only to anchors of one document; no tool schema was seen that uses it.
    /dynamicRef/i,
    // ajv leaves out a property of this name, as a guard.
    /__proto__/,
    // ajv counts items that `contains` or `if` have seen differently than the standard does.
    /unevaluatedItems (with nested items|depends on|and contains|with minContains|can see annotations from if)/,
    /unevaluatedProperties (with if\/then\/else, then not defined|can see annotations from if)/,
  ],
  interpreted: [
    // @cfworker/json-schema does not know $dynamicRef.
    /dynamicRef/i,
  ],
};

function expectOnlyKnown(outcome: Outcome, validator: keyof typeof known): void {
  // References to other documents, the meta schemas among them, are refused when a tool is made.
  for (const refused of outcome.refused) expect(refused).toMatch(/which is not in the schema/);
  const unknown = outcome.wrong.filter((name) => !known[validator].some((each) => each.test(name)));
  expect(unknown).toEqual([]);
  expect(outcome.total).toBeGreaterThan(800);
  expect(outcome.wrong.length).toBeLessThan(50);
}

describe.skipIf(folder === undefined || !existsSync(folder))(
  `the JSON Schema Test Suite (skipped when ${reason})`,
  () => {
    for (const draft of ["draft2020-12", "draft7"] as const) {
      it(`gives the right answer to each case of ${draft} with ajv`, async () => {
        expectOnlyKnown(await runSuite(draft), "ajv");
      });
    }

    describe("with the interpreted validator", () => {
      beforeAll(() => setSchemaValidator(interpretedValidator));
      afterAll(() => setSchemaValidator(undefined));
      for (const draft of ["draft2020-12", "draft7"] as const) {
        it(`gives the right answer to each case of ${draft}`, async () => {
          expectOnlyKnown(await runSuite(draft), "interpreted");
        });
      }
    });
  },
);
