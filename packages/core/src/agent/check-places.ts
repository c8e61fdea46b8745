import { chatOptionNames } from "../chat/chat-options.js";
import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { invocationOptionNames } from "../invocation/function-invocation-configuration.js";

/** Who is given options, and which it knows. */
export interface OptionPlace {
  /** Such as `new Agent`. */
  readonly what: string;
  readonly known: ReadonlySet<string>;
  /** What belongs to somebody else, and what to write there. */
  readonly elsewhere: {
    readonly names: ReadonlySet<string>;
    readonly advice: (name: string) => string;
  };
}

/**
 * Refuses options that are unknown, and those that are right in another place with the way there:
 * a frequent slip.
 *
 * @throws ConfigurationError `unknown_option`.
 */
export function checkPlaces(options: object, { what, known, elsewhere }: OptionPlace): void {
  for (const name of Object.keys(options)) {
    if (known.has(name)) continue;
    if (chatOptionNames.has(name)) throw misplaced(what, inside("options", name));
    if (invocationOptionNames.has(name)) throw misplaced(what, inside("invocation", name));
    if (elsewhere.names.has(name)) throw misplaced(what, elsewhere.advice(name));
  }
  checkOptionNames(what, options, known);
}

/** The same for what stands in `options`, where budgets land easily. */
export function checkModelPlaces(options: object): void {
  const name = Object.keys(options).find((each) => invocationOptionNames.has(each));
  if (name === undefined) return;
  throw misplaced("options", `${inside("invocation", name)}, beside \`options\``);
}

function inside(place: string, name: string): string {
  return `write \`${name}\` inside \`${place}\`: { ${place}: { ${name}: … } }`;
}

function misplaced(what: string, advice: string): ConfigurationError {
  return new ConfigurationError("unknown_option", `${what}: ${advice}.`);
}
