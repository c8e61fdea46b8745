import {
  type ChatRequest,
  ConfigurationError,
  type JsonObject,
  type ResponseFormat,
  responseSchema,
} from "@tunic/core";
import { toStrictForm } from "./strict-schema.js";

/** How an answer of a given form is asked for. */
export type AnswerForm = "native" | "tool";

/**
 * Names of models that came before structured outputs, by the vendor's page on them, or their
 * beginnings; every later model has `output_config.format`. Other platforms put words before a name.
 */
const without = [
  "claude-2",
  "claude-3",
  "claude-instant",
  "claude-opus-4-0",
  "claude-opus-4-1",
  "claude-opus-4-2025",
  "claude-sonnet-4-0",
  "claude-sonnet-4-2025",
];

/** Formats that somebody was told of, by client: an owner here. */
const told = new WeakMap<object, WeakSet<JsonObject>>();

/**
 * Whether `output_config.format` serves a response format, or a forced tool has to. The service holds
 * a format exactly or not at all: `strict: false` and a schema without a strict form go to the tool.
 *
 * @param owner The client that asks; each is told once of a schema that has no strict form.
 * @throws ConfigurationError `invalid_option` where `strict: true` cannot be had.
 */
export function answerForm(
  format: ResponseFormat,
  model: string,
  chosen: AnswerForm | undefined,
  { run }: Pick<ChatRequest, "run">,
  owner: object,
): AnswerForm {
  const possible = chosen ?? (without.some((name) => model.includes(name)) ? "tool" : "native");
  if (format.strict === false) return "tool";
  if (possible === "tool") {
    if (format.strict !== true) return "tool";
    throw wrong(`the model "${model}" is asked through a tool, which is not strict`);
  }
  const schema = responseSchema(format);
  const form = toStrictForm(schema);
  if ("schema" in form) return "native";
  if (format.strict === true) throw wrong(`Anthropic cannot hold its schema: ${form.reason}`);
  const known = told.get(owner) ?? new WeakSet();
  told.set(owner, known);
  if (run && !known.has(schema)) {
    known.add(schema);
    run.notice(
      "format_not_strict",
      `options.responseFormat is asked for through a tool, since Anthropic cannot hold its schema: ${form.reason}.`,
    );
  }
  return "tool";
}

const formats = new WeakMap<JsonObject, JsonObject>();

/** `output_config.format`; the same object every time. */
export function wireFormat(format: ResponseFormat): JsonObject {
  const schema = responseSchema(format);
  let made = formats.get(schema);
  if (made === undefined) {
    const form = toStrictForm(schema);
    if ("reason" in form) throw wrong(`Anthropic cannot hold its schema: ${form.reason}`);
    made = { type: "json_schema", schema: form.schema };
    formats.set(schema, made);
  }
  return made;
}

function wrong(text: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `options.responseFormat: ${text}. Change the schema, or leave strict out.`,
  );
}
