import { linkEnd, linkStart } from "../policy/links.js";

/** Takes links out of a text that comes in pieces. */
export interface LinkGuard {
  /** Whether nothing is held back. */
  readonly isEmpty: boolean;
  /** What of the text so far can be shown. */
  add(text: string): string;
  /** Nothing more comes for now: what was held back. */
  flush(): string;
}

/** What stands instead of a link. */
export const removedLink = "[link removed]";

/** A link is held back until it is whole; one that is longer than anybody writes is none to keep. */
const longestLink = 2048;

/** The longest text that can turn out to begin a link, once more of it has come. */
const longestStart = 12;

/** @param keeps Whether a link may stay, given whole. */
export function linkGuard(keeps: (link: string) => boolean): LinkGuard {
  return new GuardedText(keeps);
}

class GuardedText implements LinkGuard {
  readonly #keeps: (link: string) => boolean;
  #held = "";
  /** The end of what was shown: a link may begin there. */
  #before = "";
  /** Inside a link that was taken out and has not ended yet. */
  #skipping = false;

  constructor(keeps: (link: string) => boolean) {
    this.#keeps = keeps;
  }

  get isEmpty(): boolean {
    return this.#held === "";
  }

  add(text: string): string {
    this.#held += text;
    return this.#advance(false);
  }

  flush(): string {
    return this.#advance(true);
  }

  #advance(all: boolean): string {
    let out = "";
    while (this.#held !== "") {
      const text = this.#skipping ? this.#skip() : this.#next(all);
      if (text === undefined) break;
      out += text;
    }
    return out;
  }

  /** The rest of a link that was taken out is taken out, too. */
  #skip(): string {
    const end = this.#held.search(linkEnd);
    this.#held = end < 0 ? "" : this.#held.slice(end);
    this.#skipping = end < 0;
    return "";
  }

  /** What can be shown up to the end of the next link; undefined while that has to wait for more. */
  #next(all: boolean): string | undefined {
    const start = startOf(this.#before, this.#held);
    if (start > 0) return this.#show(start);
    if (start < 0) {
      const ready = this.#held.length - (all ? 0 : tailOf(this.#held));
      return ready === 0 ? undefined : this.#show(ready);
    }
    const end = this.#held.search(linkEnd);
    if (end < 0 && !all && this.#held.length <= longestLink) return undefined;
    return this.#link(end);
  }

  /** @param end Where the link ends; below 0 where it has not ended yet. */
  #link(end: number): string {
    const link = end < 0 ? this.#held : this.#held.slice(0, end);
    const whole = link.replace(/[.,;:!?]+$/, "");
    const kept = link.length <= longestLink && this.#keeps(whole);
    this.#held = this.#held.slice(link.length);
    this.#skipping = !kept && end < 0;
    return this.#note(kept ? link : removedLink + link.slice(whole.length));
  }

  #show(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return this.#note(text);
  }

  #note(text: string): string {
    this.#before = (this.#before + text).slice(-longestStart);
    return text;
  }
}

/** Where in `text` a link begins, or goes on that began in what stands before it; -1 for nowhere. */
function startOf(before: string, text: string): number {
  const match = (before + text).match(linkStart);
  if (match?.index === undefined) return -1;
  const end = match.index + match[0].length;
  if (end > before.length) return Math.max(0, match.index - before.length);
  // It stood in what was shown already, and was looked at then.
  const later = text.match(linkStart);
  return later?.index ?? -1;
}

/** How much of the end of a text could be the beginning of a link. */
function tailOf(text: string): number {
  const tail = text.slice(-longestStart);
  const word = tail.search(/(?:[\p{L}]+:?|[("'=<\s]?\/{1,2}|w{1,3}\.?)$/iu);
  return word < 0 ? 0 : tail.length - word;
}
