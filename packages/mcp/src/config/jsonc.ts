import { ConfigurationError, type JsonValue } from "@tunic/core";

const deepest = 64;

/**
 * JSON as programs write their settings: with comments and commas before a closing bracket. A name that stands
 * twice in an object is an error. Errors say where, and show nothing of the text: there may be secrets in it.
 *
 * @param source Names the text in errors.
 * @throws ConfigurationError `invalid_mcp_config`
 */
export function parseJsonc(text: string, source: string): JsonValue {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;

  function fail(what: string, where = at): never {
    const message = `${source} is no JSON: ${placeOf(text, where)}: ${what}.`;
    throw new ConfigurationError("invalid_mcp_config", message);
  }

  function skip(): void {
    at += take(blanks)?.length ?? 0;
    if (text.startsWith("/*", at)) fail("the comment is not closed");
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  }

  function value(depth: number): JsonValue {
    if (depth > deepest) fail(`there are more than ${deepest} levels`);
    skip();
    const first = text[at];
    if (first === "{") return object(depth);
    if (first === "[") return list(depth);
    if (first === '"') return string();
    const word = take(literal);
    if (word === undefined) fail("a value is expected");
    at += word.length;
    return JSON.parse(word) as JsonValue;
  }

  function string(): string {
    const quoted = take(quotedText);
    if (quoted === undefined) fail("the text is not closed, or has a line break in it");
    try {
      const parsed = JSON.parse(quoted) as string;
      at += quoted.length;
      return parsed;
    } catch {
      return fail('the text has a "\\" that means nothing: write "\\\\"');
    }
  }

  /** Members up to the closing bracket, with commas between them. */
  function members(close: string, member: () => void): void {
    at += 1;
    for (skip(); text[at] !== close; skip()) {
      member();
      skip();
      if (text[at] === ",") at += 1;
      else if (text[at] !== close) fail(`"," or "${close}" is expected`);
    }
    at += 1;
  }

  function list(depth: number): JsonValue {
    const items: JsonValue[] = [];
    members("]", () => items.push(value(depth + 1)));
    return items;
  }

  function object(depth: number): JsonValue {
    const entries = new Map<string, JsonValue>();
    members("}", () => {
      const start = at;
      if (text[at] !== '"') fail("a name in quotes is expected");
      const name = string();
      if (entries.has(name)) fail(`the name ${JSON.stringify(name)} is there already`, start);
      skip();
      if (text[at] !== ":") fail('":" is expected');
      at += 1;
      entries.set(name, value(depth + 1));
    });
    return Object.fromEntries(entries);
  }

  const whole = value(0);
  skip();
  if (at < text.length) fail("there is more after the end");
  return whole;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

const blanks = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in texts
const quotedText = /"(?:[^"\\\u0000-\u001f]|\\[^\u0000-\u001f])*"/y;
