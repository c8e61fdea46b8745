import type { FieldChoice, FieldKind, FormField, RequestedInput } from "./requested-input.js";
import { quoted, visible } from "./visible-text.js";

/** What is asked for, as names and texts of a description: every field whole, and a page with its host first. */
export function describeInput(input: RequestedInput): readonly (readonly [string, string])[] {
  if (input.mode === "form") {
    const fields = input.fields.flatMap((field, at) => fieldLines(field, at + 1));
    return [["asks for", fields.join("\n") || "nothing but a yes"]];
  }
  return [
    ["leads to", visible(input.host ?? "no address that can be read")],
    ["address", visible(input.url)],
  ];
}

/** Whether choices have numbers that can be typed: not where a choice could itself be taken for one. */
export function areNumbered(choices: readonly FieldChoice[]): boolean {
  return !choices.some(({ value, title = "" }) =>
    [choiceText(value), title].some((text) => /^\s*\d+\s*$/.test(text)),
  );
}

/** A choice as somebody types it. */
export function choiceText(value: FieldChoice["value"]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The name of a field for people. */
export function fieldTitle({ title, name }: FormField): string {
  return quoted(title ?? name);
}

/** What fits a field, in words. */
export function fieldTerms(field: FormField): string {
  const { kind, format, least, most, required, secret } = field;
  const unit = kind === "text" ? " characters" : "";
  const terms = [
    kindNames[kind],
    format === undefined ? "" : `format ${quoted(format)}`,
    least === undefined ? "" : `at least ${least}${unit}`,
    most === undefined ? "" : `at most ${most}${unit}`,
    required ? "required" : "optional",
    secret ? "a secret: not asked for here" : "",
  ];
  return terms.filter((term) => term !== "").join(", ");
}

const kindNames: Readonly<Record<FieldKind, string>> = {
  text: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  one: "one of the choices",
  many: "any of the choices",
  json: "JSON",
};

/** Each text of a stranger has a line of its own behind a word of ours, or stands in quotes. */
function fieldLines(field: FormField, number: number): readonly string[] {
  const { name, title, description, choices, preset, secret } = field;
  const numbered = areNumbered(choices);
  return [
    `${number}. ${fieldTitle(field)}: ${fieldTerms(field)}`,
    ...(title === undefined ? [] : [`   name: ${quoted(name)}`]),
    ...(description === undefined ? [] : [`   says: ${visible(description)}`]),
    ...choices.map(({ value, title: shown }, at) => {
      const bullet = numbered ? `${at + 1})` : "-";
      const meaning = shown === undefined ? "" : `${quoted(shown)} = `;
      return `   ${bullet} ${meaning}${quoted(value)}`;
    }),
    ...(preset === undefined || secret ? [] : [`   default: ${quoted(preset)}`]),
  ];
}
