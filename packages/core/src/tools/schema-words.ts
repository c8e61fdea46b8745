import { isJsonObject, type JsonValue } from "../messages/json.js";

const maximumLength = 80;
const maximumWords = 10;

/** A value as JSON; a long one is cut, and says so. */
export function shortJson(value: unknown): string {
  if (value === undefined) return "nothing";
  let text: string;
  try {
    text = JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    text = `a ${typeof value} that JSON cannot say`;
  }
  const more = text.length - maximumLength;
  return more <= 0 ? text : `${text.slice(0, maximumLength)}… (${more} more characters)`;
}

/** Words with commas between them; a long list is cut, and says so. */
export function joinWords(words: readonly string[]): string {
  if (words.length <= maximumWords) return words.join(", ");
  return `${words.slice(0, maximumWords).join(", ")} and ${words.length - maximumWords} more`;
}

/** What a schema expects, in a few words; undefined where that takes more than a few. */
export function expectationOf(schema: JsonValue | undefined): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  if ("const" in schema) return shortJson(schema["const"]);
  const members = schema["enum"];
  if (Array.isArray(members)) return `one of ${joinWords(members.map(shortJson))}`;
  const { type } = schema;
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.map(String).join(" or ") : undefined;
}
