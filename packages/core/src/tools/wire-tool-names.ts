import { ConfigurationError } from "../errors/configuration-error.js";

/** Which names of tools a service takes. */
export interface ToolNameRules {
  /** Such as `OpenAI`; for error messages. */
  readonly service: string;
  /** Finds every character that is refused; with the `g` flag. */
  readonly refused: RegExp;
  /** What a name may begin with. Default: any character that is not refused. */
  readonly start?: RegExp;
  /** In characters. */
  readonly longest: number;
}

/**
 * The name of a tool as a service takes it. A name that it takes already stays as it is. Any other
 * gets its refused characters replaced, and a digest of the whole name at its end, so that two names
 * do not become one. It depends on the name alone: a prompt cache holds, and old calls fit.
 */
export function toWireToolName(name: string, rules: ToolNameRules): string {
  if (isTaken(name, rules)) return name;
  const cleaned = name.replaceAll(rules.refused, "_");
  const started = rules.start === undefined || rules.start.test(cleaned) ? cleaned : `_${cleaned}`;
  const digest = digestOf(name);
  return `${started.slice(0, rules.longest - digest.length - 1)}_${digest}`;
}

/**
 * The names of tools by their names on the wire: the way back for what a model calls.
 *
 * @throws ConfigurationError `tool_name_collision` where two tools would have one name there.
 */
export function toolNamesOnWire(
  names: Iterable<string>,
  rules: ToolNameRules,
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const name of names) {
    const wireName = toWireToolName(name, rules);
    const other = known.get(wireName);
    if (other !== undefined) {
      throw new ConfigurationError(
        "tool_name_collision",
        `The tools "${other}" and "${name}" would both be called "${wireName}" at ${rules.service}. Rename one of them.`,
      );
    }
    known.set(wireName, name);
  }
  return known;
}

function isTaken(name: string, { refused, start, longest }: ToolNameRules): boolean {
  if (name === "" || name.length > longest || name.search(refused) !== -1) return false;
  return start === undefined || start.test(name);
}

/** FNV-1a, 32 bits, over UTF-16 code units: eight hexadecimal digits. */
function digestOf(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
