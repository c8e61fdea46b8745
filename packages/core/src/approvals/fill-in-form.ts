// Loaded once a form is to be filled in: pages have their own.

import type { JsonObject, JsonValue } from "../messages/json.js";
import { sameJson } from "../messages/same-json.js";
import { areNumbered, choiceText, fieldTerms, fieldTitle } from "./describe-input.js";
import type { FieldChoice, FormField, RequestedForm } from "./requested-input.js";
import type { Terminal } from "./terminal.js";
import { quoted } from "./visible-text.js";

/**
 * Asks for each field in turn, until what is typed fits. An empty line takes the default, or leaves the field out.
 *
 * @returns All arguments; in words why there are none, where a field is required and left empty.
 */
export async function fillInForm(
  { fields, rest }: RequestedForm,
  terminal: Terminal,
): Promise<JsonObject | string> {
  const filled: (readonly [string, JsonValue])[] = [];
  for (const field of fields) {
    const value = field.secret ? valueOfNothing(field) : await valueFor(field, terminal);
    if (value !== undefined) filled.push([field.name, value]);
    else if (field.required) {
      const why = field.secret ? "is a secret, which is not asked for here" : "is required";
      return `${fieldTitle(field)} ${why}.`;
    }
  }
  return Object.fromEntries([...Object.entries(rest), ...filled]);
}

async function valueFor(field: FormField, terminal: Terminal): Promise<JsonValue | undefined> {
  const question = questionAbout(field);
  let text = `  ${question}`;
  for (;;) {
    const line = (await terminal.question(text)).trim();
    if (line === "") return valueOfNothing(field);
    const value = readers[field.kind](line, field);
    if (value !== undefined && fits(field, value)) return value;
    text = `  That does not fit. ${question}`;
  }
}

function questionAbout(field: FormField): string {
  const numbered = areNumbered(field.choices);
  const choices = field.choices.map(({ value, title }, at) => {
    const shown = quoted(title ?? value);
    return numbered ? `${at + 1} ${shown}` : shown;
  });
  const nothing = valueOfNothing(field);
  const parts = [
    fieldTerms(field),
    ...(choices.length > 0 ? [choices.join(", ")] : []),
    ...(field.kind === "many" ? ["commas between several"] : []),
    ...(field.kind === "boolean" ? ["y or n"] : []),
    ...(nothing === undefined ? [] : [`empty: ${quoted(nothing)}`]),
  ];
  return `${fieldTitle(field)} (${parts.join("; ")}): `;
}

/** What an empty line says: the default if that fits; and of a list that may be empty, none. */
function valueOfNothing(field: FormField): JsonValue | undefined {
  const { kind, preset, required } = field;
  if (preset !== undefined && fits(field, preset)) return preset;
  return kind === "many" && required && fits(field, []) ? [] : undefined;
}

/** From what was typed, to a value of the field's kind. */
const readers: Readonly<
  Record<FormField["kind"], (line: string, field: FormField) => JsonValue | undefined>
> = {
  text: (line) => line,
  number: numberIn,
  integer: numberIn,
  boolean: (line) => yesOrNo.get(line.toLowerCase()),
  one: (line, { choices }) => choiceIn(line, choices),
  many: (line, { choices }) => choicesIn(line, choices),
  json: jsonIn,
};

const yesOrNo: ReadonlyMap<string, boolean> = new Map([
  ["y", true],
  ["yes", true],
  ["n", false],
  ["no", false],
]);

/** Only as people write numbers: `Number` would also take "0x1f" and "". */
function numberIn(line: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(line) ? Number(line) : undefined;
}

/**
 * By number, or by text without regard to case. A text that could mean two choices means none: a stranger
 * may have given one choice the title that is the value of another.
 */
function choiceIn(line: string, choices: readonly FieldChoice[]): JsonValue | undefined {
  if (/^\d+$/.test(line) && areNumbered(choices)) return choices[Number(line) - 1]?.value;
  const typed = line.toLowerCase();
  const meant = choices.filter(({ value, title = "" }) =>
    [choiceText(value), title].some((text) => text.trim().toLowerCase() === typed),
  );
  return meant.length === 1 ? meant[0]?.value : undefined;
}

function choicesIn(line: string, choices: readonly FieldChoice[]): JsonValue | undefined {
  // The text of a choice may have a comma itself.
  const whole = choiceIn(line, choices);
  if (whole !== undefined) return [whole];
  const values = line.split(",").map((part) => choiceIn(part.trim(), choices));
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length
    ? known.filter((value, at) => known.findIndex((each) => sameJson(each, value)) === at)
    : undefined;
}

function jsonIn(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether a field takes a value, as far as forms go: the run checks all that its schema says. */
function fits(field: FormField, value: JsonValue): boolean {
  const isChoice = (each: JsonValue) =>
    field.choices.some((choice) => sameJson(choice.value, each));
  switch (field.kind) {
    case "text":
      return typeof value === "string" && isWithin(field, [...value].length);
    case "number":
      return typeof value === "number" && Number.isFinite(value) && isWithin(field, value);
    case "integer":
      return Number.isSafeInteger(value) && isWithin(field, Number(value));
    case "boolean":
      return typeof value === "boolean";
    case "one":
      return isChoice(value);
    case "many":
      return Array.isArray(value) && value.every(isChoice) && isWithin(field, value.length);
    case "json":
      return true;
  }
}

function isWithin({ least, most }: FormField, size: number): boolean {
  return (least === undefined || size >= least) && (most === undefined || size <= most);
}
