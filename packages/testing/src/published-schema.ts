import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { asRecord } from "./wire/wire-values.js";

/** A request body for which a vendor publishes a schema. */
export type PublishedSchema = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** As many problems are told of one body; a wrong union alone has one for each of its branches. */
const mostProblems = 8;

const options = { strict: false, validateFormats: false, allErrors: true, verbose: true } as const;

const compilers: Readonly<Record<PublishedSchema, () => ValidateFunction>> = {
  "openai-chat": () => openaiSchema("CreateChatCompletionRequest"),
  "openai-responses": () => openaiSchema("CreateResponse"),
  anthropic: () => new Ajv(options).compile(read("anthropic-request.json")),
  gemini: () => new Ajv(options).compile(read("gemini-request.json", asOnTheWire)),
};

/** Compiled when a body of theirs is first checked, each once. */
const compiled = new Map<PublishedSchema, ValidateFunction>();

/** Where a body is not what its vendor publishes: path and what, the most telling ones first. */
export function schemaProblems(name: PublishedSchema, body: unknown): readonly string[] {
  let validate = compiled.get(name);
  if (validate === undefined) {
    validate = compilers[name]();
    compiled.set(name, validate);
  }
  return validate(body) ? [] : readable(validate.errors ?? []);
}

type Reviver = (this: unknown, member: string, value: unknown) => unknown;

/** This file and what is built of it both stand one folder below the package's own. */
function read(file: string, reviver?: Reviver): Record<string, unknown> {
  const path = new URL(`../wire-schemas/${file}`, import.meta.url);
  const schema: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"), reviver);
  return schema;
}

let openai: Ajv2020 | undefined;

function openaiSchema(name: string): ValidateFunction {
  if (openai === undefined) {
    openai = new Ajv2020(options);
    openai.addSchema(read("openai.json", asJsonSchema), "openai");
  }
  return openai.compile({ $ref: `openai#/components/schemas/${name}` });
}

/**
 * OpenAPI in the words of JSON Schema: `nullable`, no vendor extensions. Branches of a union overlap
 * (a plain message is an "easy" one, too), so one of them is enough; and an object cannot require
 * what it does not describe, as the published answer to an MCP approval does.
 */
function asJsonSchema(this: unknown, member: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // What is below `properties` is named by the API, not by JSON Schema.
  if (member === "properties") return value;
  const { nullable, oneOf, ...rest }: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).filter(([name]) => !name.startsWith("x-")),
  );
  const schema = { ...rest, ...(oneOf !== undefined && { anyOf: oneOf }) };
  const { required, properties } = rest;
  if (Array.isArray(required) && typeof properties === "object" && properties !== null) {
    Object.assign(schema, { required: required.filter((name) => name in properties) });
  }
  return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

/** Members of a request that the SDK (2.32.0) takes from `config` and sends beside `contents`. */
const besideContents = {
  cachedContent: { type: "string" },
  labels: { type: "object", additionalProperties: { type: "string" } },
  serviceTier: { type: "string" },
  store: { type: "boolean" },
};

/** 64-bit integers: the SDK types them as text, and JSON for protocol buffers takes both. */
const wholeNumbers: ReadonlySet<string> = new Set(
  ["Items", "Length", "Properties"].flatMap((what) => [`min${what}`, `max${what}`]),
);

function asOnTheWire(this: unknown, member: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (wholeNumbers.has(member)) return { ...value, type: ["string", "integer"] };
  if (member !== "GRequest" || !("properties" in value)) return value;
  return { ...value, properties: { ...asRecord(value.properties), ...besideContents } };
}

/** What got furthest into the body says most: it is about the branch of a union that was meant. */
function readable(errors: readonly ErrorObject[]): readonly string[] {
  const otherKinds = new Set(errors.filter(isOtherKind).map(({ parentSchema }) => parentSchema));
  const telling = errors.filter(
    (error) => !isUnion(error) && !isOtherKind(error) && !isOfKind(error, otherKinds),
  );
  const told = telling.length > 0 ? telling : errors;
  const sorted = [...told].sort((a, b) => depthOf(b) - depthOf(a));
  return [...new Set(sorted.map(inWords))].slice(0, mostProblems);
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/** Says that a branch of a union is about another kind of part. */
function isOtherKind({ keyword, instancePath }: ErrorObject): boolean {
  return (keyword === "enum" || keyword === "const") && /\/(type|role)$/.test(instancePath);
}

/** Whether an error is of a branch whose `type` or `role` is one of these schemas. */
function isOfKind({ parentSchema }: ErrorObject, kinds: ReadonlySet<unknown>): boolean {
  const { type, role } = asRecord(parentSchema?.["properties"]);
  return (type !== undefined && kinds.has(type)) || (role !== undefined && kinds.has(role));
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split("/").length;
}

function inWords({ instancePath, message, keyword, params }: ErrorObject): string {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join("")
    .replace(/^\./, "");
  const which: unknown =
    keyword === "additionalProperties"
      ? params["additionalProperty"]
      : (params["allowedValues"] ?? params["allowedValue"]);
  const detail = which === undefined ? "" : ` (${JSON.stringify(which).slice(0, 120)})`;
  return `${path || "the body"}: ${message}${detail}`;
}
