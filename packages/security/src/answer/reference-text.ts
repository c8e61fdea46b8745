/** A reference as it is written in a text, such as `{"$ref":"v3.body"}`. */
const written = /\{\s{0,4}"\$ref"\s{0,4}:\s{0,4}"v[1-9](?:[^"\\\n]|\\["\\]){0,100}"\s{0,4}\}/;

/** The longest reference that is looked for. */
const longest = 240;

/** Whether a text could go on to be a reference: compared sign by sign, blanks aside. */
function begins(text: string): boolean {
  const bare = text.replace(/\s+/g, "");
  const head = '{"$ref":"v';
  if (bare.length <= head.length) return head.startsWith(bare);
  return bare.startsWith(head) && /^(?:[^"\\]|\\["\\])*(?:\\|"\}?)?$/.test(bare.slice(head.length));
}

/** Finds references in a text that comes in pieces. */
export class ReferenceText {
  #held = "";

  /** Whether nothing is held back. */
  get isEmpty(): boolean {
    return this.#held === "";
  }

  /** What has come so far, in parts: a reference is a part of its own. What may become one is held back. */
  add(text: string): readonly string[] {
    this.#held += text;
    return this.#take(false);
  }

  /** Nothing more comes for now. */
  flush(): readonly string[] {
    return this.#take(true);
  }

  #take(all: boolean): readonly string[] {
    const parts: string[] = [];
    for (let match = this.#held.match(written); match; match = this.#held.match(written)) {
      const { index = 0 } = match;
      if (index > 0) parts.push(this.#held.slice(0, index));
      parts.push(match[0]);
      this.#held = this.#held.slice(index + match[0].length);
    }
    const end = all ? this.#held.length : this.#decided();
    if (end > 0) parts.push(this.#held.slice(0, end));
    this.#held = this.#held.slice(end);
    return parts;
  }

  /** Up to where the text cannot become a reference any more. */
  #decided(): number {
    const text = this.#held;
    const from = Math.max(0, text.length - longest);
    for (let at = text.indexOf("{", from); at >= 0; at = text.indexOf("{", at + 1)) {
      if (begins(text.slice(at))) return at;
    }
    return text.length;
  }
}
