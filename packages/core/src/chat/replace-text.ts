import type { DeltaUpdate } from "../messages/update.js";
import type { Transform, TransformFactory } from "./transforms.js";

/** How {@link replaceText} works. */
export interface ReplaceTextOptions {
  /**
   * The longest match, in characters: so much text is held back, and longer matches are left as
   * they are. Default: the length of a string pattern, 256 for a regular expression.
   */
  readonly maxLength?: number;
}

/**
 * A transform that replaces text in answers, streamed or not, wherever the text is cut.
 *
 * @param pattern A string, or a regular expression; all matches are replaced.
 * @param replacement A string (`$1` and the like mean nothing special), or a function of the match.
 */
export function replaceText(
  pattern: string | RegExp,
  replacement: string | ((match: string) => string),
  options: ReplaceTextOptions = {},
): TransformFactory {
  const maxLength = options.maxLength ?? (typeof pattern === "string" ? pattern.length : 256);
  const source = typeof pattern === "string" ? escaped(pattern) : pattern.source;
  const flags = typeof pattern === "string" ? "" : pattern.flags.replace(/[gy]/g, "");
  const replace = typeof replacement === "string" ? () => replacement : replacement;
  return () =>
    new ReplacedText(
      new RegExp(source, `${flags}g`),
      new RegExp(source, `${flags}y`),
      replace,
      maxLength,
    );
}

class ReplacedText implements Transform {
  readonly #search: RegExp;
  readonly #exact: RegExp;
  readonly #replace: (match: string) => string;
  readonly #window: number;
  /** Text that was let through already: a pattern may look behind. */
  #before = "";
  #held = "";
  #last: DeltaUpdate | undefined;

  constructor(
    search: RegExp,
    exact: RegExp,
    replace: (match: string) => string,
    maxLength: number,
  ) {
    this.#search = search;
    this.#exact = exact;
    this.#replace = replace;
    this.#window = maxLength + 1;
  }

  async update(
    update: DeltaUpdate,
    emit: (update: DeltaUpdate) => void | Promise<void>,
  ): Promise<void> {
    this.#last = update;
    for (const content of update.contents) {
      if (content.type === "text" && content.id === undefined) {
        this.#held += content.text;
        await this.#let(update, this.#advance(false), emit);
      } else {
        await this.#let(update, this.#advance(true), emit);
        await emit({ ...update, contents: [content] });
      }
    }
  }

  async end(emit: (update: DeltaUpdate) => void | Promise<void>): Promise<void> {
    if (this.#last) await this.#let(this.#last, this.#advance(true), emit);
  }

  async #let(
    update: DeltaUpdate,
    text: string,
    emit: (update: DeltaUpdate) => void | Promise<void>,
  ): Promise<void> {
    if (text !== "") await emit({ ...update, contents: [{ type: "text", text }] });
  }

  /** What can be decided now: a place is, once a whole match fits behind it or nothing more comes. */
  #advance(all: boolean): string {
    const text = this.#before + this.#held;
    const from = this.#before.length;
    const until = all ? text.length : text.length - this.#window;
    let out = "";
    let at = from;
    while (at < until || (all && at <= text.length)) {
      const match = this.#matchFrom(text, at);
      if (match === undefined || (!all && match.index >= until)) break;
      out += text.slice(at, match.index) + this.#replace(match.found);
      at = match.index + match.found.length;
    }
    const end = Math.max(at, until);
    out += text.slice(at, end);
    this.#before = text.slice(Math.max(0, end - this.#window), end);
    this.#held = text.slice(end);
    return out;
  }

  /** The next match that is short enough, judged by the same stretch of text however it came in. */
  #matchFrom(text: string, from: number): { index: number; found: string } | undefined {
    this.#search.lastIndex = from;
    for (let match = this.#search.exec(text); match; match = this.#search.exec(text)) {
      const found = this.#within(text, match.index);
      if (found) return { index: match.index, found };
      this.#search.lastIndex = match.index + 1;
    }
    return undefined;
  }

  #within(text: string, index: number): string | undefined {
    const start = Math.max(0, index - this.#window);
    const stretch = text.slice(start, index + this.#window);
    this.#exact.lastIndex = index - start;
    const [found] = this.#exact.exec(stretch) ?? [];
    return found && found.length < this.#window ? found : undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
