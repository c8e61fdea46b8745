import {
  endOf,
  linkAt,
  linkEnd,
  linkSoFar,
  linkStartIn,
  longestAutolink,
  longestLink,
  lookAhead,
  lookBehind,
} from "../policy/links.js";

/** Takes links out of a text that comes in pieces; where it is cut makes no difference. */
export interface LinkGuard {
  /** Whether nothing is held back. */
  readonly isEmpty: boolean;
  /** What of the text so far can be shown. */
  add(text: string): string;
  /** Nothing more comes for now: what was held back. */
  flush(): string;
  /**
   * A whole text of its own that is shown in between, by other rules. Together with what stands around
   * it, it makes no link either.
   */
  aside(text: string, keeps: (link: string) => boolean): string;
  /** Lets a text through as it is, with what was held back; but for the rest of a word that a text in between has begun. */
  pass(text: string): string;
}

/** What stands instead of a link. */
export const removedLink = "[link removed]";

/** How much is looked at in one go, in characters. */
const longestView = 8192;

/**
 * @param keeps Whether a link may stay, given whole. It may be asked more than once about one link.
 * @param onRemoved Called for each link that is taken out.
 */
export function linkGuard(
  keeps: (link: string) => boolean,
  onRemoved: () => void = () => {},
): LinkGuard {
  return new GuardedText(keeps, onRemoved);
}

class GuardedText implements LinkGuard {
  readonly #keeps: (link: string) => boolean;
  readonly #onRemoved: () => void;
  #held = "";
  /** The end of what was shown: a link may begin there. */
  #before = "";
  /** Inside a link that was taken out and has not ended yet. */
  #skipping = false;
  /** Behind a link that was kept and has not ended yet: nothing may make another one of it. */
  #open = false;
  /** What may stay of a word that a text in between has begun. */
  #foreign: ((link: string) => boolean) | undefined;

  constructor(keeps: (link: string) => boolean, onRemoved: () => void) {
    this.#keeps = keeps;
    this.#onRemoved = onRemoved;
  }

  get isEmpty(): boolean {
    return this.#held === "";
  }

  add(text: string): string {
    this.#foreign = undefined;
    this.#held += text;
    return this.#advance(false);
  }

  flush(): string {
    return this.#advance(true);
  }

  aside(text: string, keeps: (link: string) => boolean): string {
    const inner = new GuardedText(keeps, this.#onRemoved);
    inner.#before = this.#before;
    inner.#open = this.#open;
    const shown = inner.add(text) + inner.flush();
    if (shown === "") return "";
    this.#open = inner.#open;
    this.#skipping = inner.#skipping;
    this.#foreign = /\s$/u.test(shown) ? undefined : keeps;
    return this.#note(shown);
  }

  pass(text: string): string {
    if (this.#foreign === undefined) return this.#pass(text);
    const end = text.search(/\s/u);
    this.#held += end < 0 ? text : text.slice(0, end);
    return end < 0 ? this.#advance(false) : this.#advance(true) + this.#pass(text.slice(end));
  }

  #pass(text: string): string {
    const shown = this.#held + text;
    this.#held = "";
    this.#skipping = false;
    this.#open = false;
    this.#foreign = undefined;
    return this.#note(shown);
  }

  #advance(all: boolean): string {
    const out: string[] = [];
    while (this.#held !== "") {
      const text = this.#open ? this.#part(all) : this.#skipping ? this.#skip() : this.#next(all);
      if (text === undefined) break;
      out.push(text);
    }
    return out.join("");
  }

  /** What stands between a link and what comes behind it: a blank, where it would become another link. */
  #part(all: boolean): string | undefined {
    const next = this.#held.search(/[^.,;:!?)\]}"'`|>*_~]/u);
    if (next < 0 && !all) return undefined;
    this.#open = false;
    return next < 0 || /[\s<]/u.test(this.#held[next] ?? "") ? "" : this.#note(" ");
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
    const view = this.#held.slice(0, longestView);
    const whole = view.length === this.#held.length;
    const decided = whole
      ? view.length - (all ? 0 : undecided(view))
      : longestView - longestAutolink - lookAhead;
    const found = linkStartIn(this.#before + view, this.#before.length);
    // A link may have begun in what was shown before.
    const start = found < 0 ? -1 : Math.max(0, found - this.#before.length);
    if (start < 0 || start >= decided) return decided === 0 ? undefined : this.#show(decided);
    return start > 0 ? this.#show(start) : this.#link(all);
  }

  /** The link that the text begins with, or what stands in its place; undefined while it may go on. */
  #link(all: boolean): string | undefined {
    const found = linkAt(this.#held, this.#before.slice(-1), all);
    if (found === undefined) {
      const link = linkSoFar(this.#held);
      // Not to be kept, however it goes on.
      const lost = link !== undefined && !this.#mayStay(link);
      return lost ? this.#remove(link, endOf(this.#held)) : undefined;
    }
    const { link, longest, stop } = found;
    const kept =
      longest.length <= longestLink &&
      this.#mayStay(link) &&
      (longest === link || this.#mayStay(longest));
    if (!kept) return this.#remove(link, stop);
    this.#open = stop === this.#held.length;
    return this.#show(stop);
  }

  #mayStay(link: string): boolean {
    return (this.#foreign ?? this.#keeps)(link);
  }

  #remove(link: string, stop: number): string {
    this.#onRemoved();
    const trailing = this.#held.slice(link.length, stop);
    this.#skipping = stop === this.#held.length || stop > longestLink;
    this.#held = this.#held.slice(stop);
    return this.#note(removedLink + trailing);
  }

  #show(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return this.#note(text);
  }

  #note(text: string): string {
    const end = text.length > 4096 ? text.slice(-4096) : text;
    this.#before = (this.#before + end).replace(/\s+/gu, " ").slice(-lookBehind);
    return text;
  }
}

/** How much of the end of a text has to wait for more, to see whether a link begins there. */
function undecided(text: string): number {
  const autolink = text.slice(-longestAutolink - lookAhead).match(/<[a-z][a-z0-9+.-]*:[^\s<>]*$/iu);
  if (autolink !== null) return autolink[0].length;
  const word = text.slice(-lookAhead).match(/(?:(?![\s])[!-~\p{Cc}\p{Cf}])+[\t\r\n]*$/u);
  return word?.[0].length ?? 0;
}
