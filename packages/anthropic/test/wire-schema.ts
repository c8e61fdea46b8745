import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Names a folder with schemas generated from the vendor's published types. */
const folder = process.env["TUNIC_WIRE_SCHEMAS"];
const file = folder ? join(folder, "AnthropicRequest.json") : "";

/** Why bodies are not checked against the vendor's types; undefined where they are. */
export const schemaSkipReason = existsSync(file)
  ? undefined
  : "TUNIC_WIRE_SCHEMAS names no folder with AnthropicRequest.json";

/** What is wrong with the body of a request, by the vendor's own types. */
export const requestProblems: (body: unknown) => readonly string[] = schemaSkipReason
  ? () => []
  : schemaCheck(JSON.parse(readFileSync(file, "utf8")));

/** The part of the validator that is used here; it is a dependency of the core, not of this package. */
interface Validator {
  compile(schema: object): {
    (data: unknown): boolean;
    readonly errors?:
      | readonly { readonly instancePath: string; readonly message?: string }[]
      | null;
  };
}

function schemaCheck(schema: object): (body: unknown) => readonly string[] {
  const load = createRequire(new URL("../../core/package.json", import.meta.url));
  const { Ajv }: { Ajv: new (options: object) => Validator } = load("ajv");
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  return (body) =>
    validate(body)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
