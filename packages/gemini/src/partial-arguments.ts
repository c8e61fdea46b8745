import { isJsonObject, type JsonValue } from "@tunic/core";

type Holder = Record<string, unknown> | unknown[];

/**
 * Puts together arguments that are streamed field by field, as Vertex AI does when it is asked for
 * `streamFunctionCallArguments`: each piece names its place with a JSON path, and text grows.
 */
export class PartialArguments {
  readonly #root: Record<string, unknown> = {};
  /** The place whose text goes on. */
  #growing: string | undefined;
  #problem: string | undefined;

  /** Takes the arguments that came whole, where some did. */
  take(args: JsonValue | undefined): void {
    if (!isJsonObject(args)) return;
    for (const [name, value] of Object.entries(args)) setAt(this.#root, name, value);
  }

  add(pieces: JsonValue | undefined): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces) if (isJsonObject(piece)) this.#place(piece);
  }

  /** The arguments' text, or why there is none. */
  get result(): { readonly text: string } | { readonly problem: string } {
    if (this.#problem !== undefined) return { problem: this.#problem };
    try {
      return { text: JSON.stringify(this.#root) };
    } catch {
      // What can be put together piece by piece may be too deep, or too long, to be written.
      return { problem: "The service sent arguments that are nested too deeply, or too long." };
    }
  }

  #place(piece: { readonly [key: string]: JsonValue }): void {
    const path = typeof piece["jsonPath"] === "string" ? piece["jsonPath"] : "";
    const steps = stepsOf(path);
    const last = steps?.at(-1);
    if (steps === undefined || last === undefined) {
      this.#problem ??= `The service sent a piece of the arguments with the path "${path}".`;
      return;
    }
    let holder: Holder = this.#root;
    for (const [at, step] of steps.slice(0, -1).entries()) {
      holder = holderAt(holder, step, typeof steps[at + 1] === "number");
    }
    const value = valueIn(piece);
    const before = this.#growing === path ? readAt(holder, last) : undefined;
    const grown = typeof before === "string" && typeof value === "string" ? before + value : value;
    if (grown !== undefined) setAt(holder, last, grown);
    this.#growing = piece["willContinue"] === true ? path : undefined;
  }
}

function valueIn(piece: { readonly [key: string]: JsonValue }): JsonValue | undefined {
  if ("nullValue" in piece) return null;
  return piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"];
}

const oneStep = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The steps of a path such as `$.rooms[0]['the name']`; undefined where it is none. */
function stepsOf(path: string): readonly (string | number)[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  oneStep.lastIndex = 1;
  while (oneStep.lastIndex < path.length) {
    const found = oneStep.exec(path);
    if (found === null) return undefined;
    const [, name, index, single, double] = found;
    const quoted = (single ?? double)?.replace(/\\(.)/g, "$1");
    if (index !== undefined && Number(index) > mostItems) return undefined;
    steps.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  return steps;
}

/** A path is written by a model: one number must not fill the memory. */
const mostItems = 100_000;

function readAt(holder: Holder, step: string | number): unknown {
  return Object.hasOwn(holder, step) ? (holder as Record<string, unknown>)[step] : undefined;
}

/** An assignment to "__proto__" would change the prototype instead of adding the member. */
function setAt(holder: Holder, step: string | number, value: unknown): void {
  Object.defineProperty(holder, step, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function holderAt(holder: Holder, step: string | number, isList: boolean): Holder {
  const known = readAt(holder, step);
  if (typeof known === "object" && known !== null) return known as Holder;
  const made: Holder = isList ? [] : {};
  setAt(holder, step, made);
  return made;
}
