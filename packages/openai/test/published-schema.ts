import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const folder = process.env["TUNIC_WIRE_SCHEMAS"];
const file = folder && join(folder, "openai.json");

/** Why request bodies are not checked against the published schema; undefined when they are. */
export const schemaMissing: string | undefined =
  file && existsSync(file)
    ? undefined
    : "TUNIC_WIRE_SCHEMAS names no folder with openai.json: bodies are not checked against it";

let validate: ValidateFunction | undefined;

/** Throws where a body is not what the vendor publishes. Does nothing without the schema. */
export function checkRequestBody(body: unknown): void {
  if (!file || schemaMissing) return;
  validate ??= compile(file);
  if (validate(body)) return;
  const problems = validate.errors?.map((error) => `${error.instancePath} ${error.message}`);
  throw new Error(`Not a chat completion request: ${problems?.join("; ")}`);
}

function compile(path: string): ValidateFunction {
  const description: unknown = JSON.parse(readFileSync(path, "utf8"), (_, value) => plain(value));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(Object(description), "openai");
  return ajv.compile({ $ref: "openai#/components/schemas/CreateChatCompletionRequest" });
}

/** OpenAPI's `nullable` in the words of JSON Schema; vendor extensions mean nothing to it. */
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).filter(([member]) => !member.startsWith("x-")),
  );
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : { ...rest };
}
