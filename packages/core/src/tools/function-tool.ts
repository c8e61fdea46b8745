import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import type { Content, ToolTrust } from "../messages/content.js";
import { defined } from "../messages/defined.js";
import { isJsonObject } from "../messages/json.js";
import { lateModule } from "../run/late-module.js";
import { checkedJsonCopy } from "./json-copy.js";
import { type ArgumentsOf, type SchemaInput, toJsonSchema } from "./schema.js";
import { isStandardSchema } from "./standard-schema.js";
import type {
  ApprovalMode,
  CallDescription,
  FunctionInvocationContext,
  FunctionTool,
  HostedTool,
  InvokeOptions,
  ResourceKeys,
  StrictMode,
} from "./tool.js";

/** What {@link tool} takes. */
export interface ToolOptions<Schema extends SchemaInput | undefined, Value> {
  /** 1 to 128 characters. Services take letters, digits, `_` and `-`. */
  readonly name: string;
  /** For people. */
  readonly title?: string | undefined;
  /** For the model. Default: empty. */
  readonly description?: string | undefined;
  /** Default: no arguments. */
  readonly parameters?: Schema | undefined;
  /**
   * Whether the service is to hold the schema exactly. Default: as the client does it unasked, which is
   * `auto` at OpenAI, and `false` elsewhere; `strictTools` of a client changes it.
   */
  readonly strict?: StrictMode | undefined;
  /** The work. Left out: the tool is declaration-only, and its calls go back to the caller. */
  readonly execute?:
    | ((
        this: void,
        input: ArgumentsOf<Schema>,
        context: FunctionInvocationContext,
      ) => Value | PromiseLike<Value>)
    | undefined;
  /** Turns the function's (settled) value into what the model sees. Default: text, data as JSON. */
  readonly parseResult?: ((this: void, value: Value) => string | readonly Content[]) | undefined;
  /** How many calls may run in one run. Default: no limit. */
  readonly maxInvocations?: number | undefined;
  /** How many failures in one run are enough. Default: no limit. */
  readonly maxInvocationExceptions?: number | undefined;
  /** Whose tool it is, such as a server's name. Default: the program's own. */
  readonly owner?: string | undefined;
  /** When a person is asked. Default `never_require`. */
  readonly approvalMode?: ApprovalMode<ArgumentsOf<Schema>> | undefined;
  /** The call in words for the person who is asked; values are shown whole. */
  readonly describeCall?: CallDescription<ArgumentsOf<Schema>> | undefined;
  /** Which arguments that person may change: `true` for all, or their names. Default: none. */
  readonly editable?: boolean | readonly string[] | undefined;
  /** Changes nothing. Default: not said. */
  readonly readOnly?: boolean | undefined;
  /** Runs a shell or code that comes with the call. Default: not said. */
  readonly runsCode?: boolean | undefined;
  /** `external`: somebody else's, such as a remote server's. Default `trusted`. */
  readonly trust?: ToolTrust | undefined;
  /** Runs alone in its batch. Default false. */
  readonly exclusive?: boolean | undefined;
  /** May destroy something; `false`: writes without destroying. Default: not said. */
  readonly destructive?: boolean | undefined;
  /** Whether calls may run at the same time. Default true. */
  readonly concurrencySafe?: boolean | undefined;
  /** Keys of what the tool works on; calls that share one run one after the other. */
  readonly resources?: readonly string[] | ResourceKeys<ArgumentsOf<Schema>> | undefined;
}

const optionNames: ReadonlySet<string> = new Set([
  "name",
  "title",
  "description",
  "parameters",
  "strict",
  "execute",
  "parseResult",
  "maxInvocations",
  "maxInvocationExceptions",
  "owner",
  "approvalMode",
  "describeCall",
  "editable",
  "readOnly",
  "runsCode",
  "trust",
  "exclusive",
  "destructive",
  "concurrencySafe",
  "resources",
] satisfies (keyof ToolOptions<undefined, unknown>)[]);

const lateInvoke = lateModule(() => import("./invoke-tool.js"));

/**
 * Makes a tool. The type of the arguments follows from `parameters`: a TypeBox schema, a Standard
 * Schema (zod 4.2 and later, arktype, valibot through `toStandardJsonSchema`), or JSON Schema.
 *
 * @throws ConfigurationError `unknown_option`, `tool_name`, `tool_option`, or what
 * {@link toJsonSchema} says about `parameters`.
 */
export function tool<const Schema extends SchemaInput | undefined = undefined, Value = unknown>(
  options: ToolOptions<Schema, Value>,
): FunctionTool<ArgumentsOf<Schema>, Value> {
  checkOptions({ ...options });
  const { parameters, description = "", ...rest } = options;
  const made: FunctionTool<ArgumentsOf<Schema>, Value> = {
    ...defined(rest),
    type: "function",
    description,
    parameters: toJsonSchema(parameters, `parameters of the tool "${options.name}"`),
    ...(isStandardSchema(parameters) && { schema: parameters }),
    // Loaded by the first call from code: an agent's own calls go another way.
    invoke: (async (args: unknown, invokeOptions?: InvokeOptions) =>
      (await lateInvoke()).invokeTool(made, args, invokeOptions)) as FunctionTool<
      ArgumentsOf<Schema>,
      Value
    >["invoke"],
  };
  checkEditable(made);
  return Object.freeze(made);
}

/**
 * A tool that the model service runs itself, such as its own web search.
 *
 * @throws ConfigurationError `unknown_option`, `tool_name`, `tool_option` or, for a `definition`
 * that is no plain JSON object, `schema_not_json`.
 */
export function hostedTool(options: Omit<HostedTool, "type">): HostedTool {
  const { provider, name } = options;
  checkOptionNames("hostedTool()", options, new Set(["provider", "name", "definition"]));
  checkName(name);
  if (typeof provider !== "string" || provider === "") {
    throw wrongOption(name, "provider", 'the name of a service, such as "openai"');
  }
  const definition = checkedJsonCopy(options.definition, `definition of the hosted tool "${name}"`);
  if (!isJsonObject(definition)) throw wrongOption(name, "definition", "a JSON object");
  return Object.freeze({ type: "hosted", provider, name, definition });
}

/** What each option has to be, where it is given. */
const optionKinds: Readonly<Record<string, { readonly type: string; readonly words: string }>> = {
  title: { type: "string", words: "a string" },
  description: { type: "string", words: "a string" },
  execute: { type: "function", words: "a function" },
  parseResult: { type: "function", words: "a function" },
  owner: { type: "string", words: "a string" },
  describeCall: { type: "function", words: "a function" },
  readOnly: { type: "boolean", words: "true or false" },
  runsCode: { type: "boolean", words: "true or false" },
  exclusive: { type: "boolean", words: "true or false" },
  destructive: { type: "boolean", words: "true or false" },
  concurrencySafe: { type: "boolean", words: "true or false" },
};

// Seen from outside its types, for callers that write JavaScript.
function checkOptions(options: Readonly<Record<string, unknown>>): void {
  checkOptionNames("tool()", options, optionNames);
  const name = checkName(options["name"]);
  for (const [option, { type, words }] of Object.entries(optionKinds)) {
    if (!isAbsentOr(options[option], type)) throw wrongOption(name, option, words);
  }
  for (const option of ["maxInvocations", "maxInvocationExceptions"]) {
    const limit = options[option];
    if (limit === undefined || (Number.isSafeInteger(limit) && Number(limit) >= 1)) continue;
    throw wrongOption(name, option, "a whole number of at least 1; leave it out for no limit");
  }
  const { strict } = options;
  if (strict !== "auto" && !isAbsentOr(strict, "boolean")) {
    throw wrongOption(name, "strict", 'true, false or "auto"');
  }
  checkApproval(name, options);
  const resources = options["resources"];
  const isList = Array.isArray(resources) && resources.every((key) => typeof key === "string");
  if (!isList && !isAbsentOr(resources, "function")) {
    throw wrongOption(name, "resources", "a list of strings, or a function of the arguments");
  }
}

function checkApproval(name: string, options: Readonly<Record<string, unknown>>): void {
  const { approvalMode, editable, trust, readOnly, destructive, runsCode } = options;
  const named = approvalMode === "never_require" || approvalMode === "always_require";
  if (!named && !isAbsentOr(approvalMode, "function")) {
    throw wrongOption(
      name,
      "approvalMode",
      '"never_require", "always_require", or a function of the arguments',
    );
  }
  const fields = Array.isArray(editable) && editable.every((field) => typeof field === "string");
  if (!fields && !isAbsentOr(editable, "boolean")) {
    throw wrongOption(name, "editable", "true, false, or a list of names of arguments");
  }
  if (approvalMode !== undefined && approvalMode !== "never_require" && !options["execute"]) {
    throw wrongOption(
      name,
      "approvalMode",
      "left out: the tool has no `execute`, so its calls go back to the caller, who may ask",
    );
  }
  if (trust !== undefined && trust !== "trusted" && trust !== "external") {
    throw wrongOption(name, "trust", '"trusted" or "external"');
  }
  if (readOnly === true && (destructive === true || runsCode === true)) {
    const other = destructive === true ? "destructive" : "runsCode";
    throw wrongOption(
      name,
      "readOnly",
      `left out or false: the tool says that it is ${other}, too`,
    );
  }
}

/** A misspelt name would be a field that nobody can edit. Only where the schema lists all names. */
function checkEditable({ name, editable, parameters }: FunctionTool): void {
  if (!Array.isArray(editable)) return;
  const { properties, additionalProperties } = parameters;
  if (!isJsonObject(properties) || additionalProperties !== false) return;
  const unknown = editable.find((field) => !Object.hasOwn(properties, field));
  if (unknown === undefined) return;
  throw wrongOption(
    name,
    "editable",
    `names of its arguments; there is no "${unknown}", only: ${Object.keys(properties).join(", ")}`,
  );
}

function checkName(name: unknown): string {
  const reason = whyNoName(name);
  if (reason === undefined && typeof name === "string") return name;
  throw new ConfigurationError(
    "tool_name",
    `A tool's name ${reason}; got ${JSON.stringify(name)}.`,
  );
}

function whyNoName(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "must be a non-empty string";
  if (name.trim() !== name) return "must not begin or end with blanks";
  if (name.length > 128) return "must have at most 128 characters";
  return /\p{Cc}/u.test(name) ? "must not hold control characters" : undefined;
}

function wrongOption(name: string, option: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    "tool_option",
    `${option} of the tool "${name}" must be ${expected}.`,
  );
}

function isAbsentOr(value: unknown, type: string): boolean {
  return value === undefined || typeof value === type;
}
