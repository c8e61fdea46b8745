import { isJsonObject, type JsonValue } from "@tunic/core";

/** Something that a file leaves for a person to say. */
export interface McpInput {
  readonly id: string;
  readonly description?: string | undefined;
  /** What the file proposes. */
  readonly default?: string | undefined;
  /** What there is to choose from. */
  readonly options?: readonly string[] | undefined;
  /** Not to be shown while it is typed, nor kept in the open. */
  readonly secret: boolean;
}

/** Says what an input is; undefined: nobody knows, which is an error. */
export type AskInput = (input: McpInput) => string | undefined;

/** The answers to inputs by id, each asked for once, as the file describes it. */
export function readInputs(
  described: JsonValue | undefined,
  given: Readonly<Record<string, string>> | AskInput | undefined,
): (id: string) => string | undefined {
  const inputs = new Map<string, McpInput>();
  for (const item of Array.isArray(described) ? (described as readonly JsonValue[]) : []) {
    const input = readInput(item);
    if (input !== undefined) inputs.set(input.id, input);
  }
  const answers = new Map<string, string | undefined>();
  return (id) => {
    if (typeof given !== "function") {
      return given !== undefined && Object.hasOwn(given, id) ? given[id] : undefined;
    }
    if (!answers.has(id)) answers.set(id, given(inputs.get(id) ?? { id, secret: true }));
    return answers.get(id);
  };
}

function readInput(item: JsonValue): McpInput | undefined {
  if (!isJsonObject(item) || typeof item["id"] !== "string") return undefined;
  const { id, description, default: proposed, options, password } = item;
  return {
    id,
    ...(typeof description === "string" && { description }),
    ...(typeof proposed === "string" && { default: proposed }),
    ...(Array.isArray(options) && { options: options.filter((each) => typeof each === "string") }),
    secret: password === true,
  };
}
