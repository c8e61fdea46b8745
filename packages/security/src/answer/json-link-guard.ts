import { type LinkGuard, linkGuard } from "./link-guard.js";

/**
 * A link guard for an answer that is JSON. Whoever reads its texts reads them decoded (`\/` and `\u002f` are a
 * slash, `\n` ends a line), so that is how they are looked at: each as soon as it is whole. One in which
 * nothing is removed stays as it was written, and what is no JSON is guarded as any text.
 *
 * @param keeps Whether a link may stay. It may be asked more than once about one link.
 * @param onRemoved Called for each link that is taken out.
 */
export function jsonLinkGuard(
  keeps: (link: string) => boolean,
  onRemoved: () => void = () => {},
): LinkGuard {
  return new GuardedJson(keeps, onRemoved);
}

class GuardedJson implements LinkGuard {
  readonly #keeps: (link: string) => boolean;
  readonly #onRemoved: () => void;
  /** Guards what stands between the texts. */
  readonly #between: LinkGuard;
  /** Of a text that is not whole yet, from its quotation mark on. */
  #pieces: string[] = [];
  #inText = false;
  #escaped = false;
  /** Whether the beginning of that text was shown already. */
  #begun = false;

  constructor(keeps: (link: string) => boolean, onRemoved: () => void) {
    this.#keeps = keeps;
    this.#onRemoved = onRemoved;
    this.#between = linkGuard(keeps, onRemoved);
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.#between.isEmpty;
  }

  add(text: string): string {
    const out: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = this.#inText ? this.#endOfText(text, at) : text.indexOf('"', at);
      const piece = end < 0 ? text.slice(at) : text.slice(at, end);
      at = end < 0 ? text.length : end;
      if (!this.#inText) {
        out.push(this.#between.add(piece));
        this.#inText = end >= 0;
        if (!this.#inText) continue;
        this.#pieces.push('"');
        at += 1;
        continue;
      }
      this.#pieces.push(piece);
      if (end >= 0) out.push(this.#wholeText());
    }
    return out.join("");
  }

  flush(): string {
    const rest = this.#between.add(this.#take());
    this.#begun = this.#inText;
    return rest + this.#between.flush();
  }

  aside(text: string, keeps: (link: string) => boolean): string {
    const inner = jsonLinkGuard(keeps, this.#onRemoved);
    const shown = inner.add(text) + inner.flush();
    return this.flush() + this.#between.pass(shown);
  }

  pass(text: string): string {
    const held = this.#take();
    for (let at = 0; at < text.length; ) {
      const end = this.#inText ? this.#endOfText(text, at) : text.indexOf('"', at) + 1;
      if (end <= 0) break;
      this.#inText = !this.#inText;
      at = end;
    }
    this.#begun = this.#inText;
    return this.#between.pass(held + text);
  }

  /** Behind the quotation mark that ends the text, if it is there; else -1. */
  #endOfText(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (this.#escaped) this.#escaped = false;
      else if (text[at] === "\\") this.#escaped = true;
      else if (text[at] === '"') return at + 1;
    }
    return -1;
  }

  #wholeText(): string {
    const written = this.#take();
    const begun = this.#begun;
    this.#inText = false;
    this.#begun = false;
    const said = decoded(begun ? `"${written}` : written);
    // Not JSON: a text like any other.
    if (said === undefined) return this.#between.add(written);
    const guard = linkGuard(this.#keeps, this.#onRemoved);
    const shown = guard.add(said) + guard.flush();
    const text = shown === said ? written : JSON.stringify(shown).slice(begun ? 1 : 0);
    return this.#between.flush() + this.#between.pass(text);
  }

  #take(): string {
    const held = this.#pieces.join("");
    this.#pieces = [];
    return held;
  }
}

function decoded(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}
