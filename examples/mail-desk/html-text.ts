/** Elements whose text is not for reading. */
const unread = new Set(["script", "style", "title", "template"]);

/** Elements with an end that a sender may hide from the reader. */
const hides = new Set(["div", "span", "p", "td", "tr", "table", "a", "b", "i", "font", "center"]);

/** What sets the beginning of an element apart from what is before it. */
const beginnings: Readonly<Record<string, string>> = {
  ...{ p: "\n\n", h1: "\n\n", h2: "\n\n", h3: "\n\n", ul: "\n", ol: "\n", table: "\n\n" },
  ...{ div: "\n", br: "\n", tr: "\n", td: " ", th: " ", li: "\n- ", blockquote: "\n\n", hr: "\n" },
};

/** The entities that mails really use; all others are written as numbers. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", euro: "€" },
  ...{ ndash: "–", mdash: "—", hellip: "…", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß" },
  ...{ eacute: "é", egrave: "è", agrave: "à", ccedil: "ç", oslash: "ø", aring: "å" },
};

/**
 * The text that a reader of the HTML would see, with link targets in parentheses. What a
 * style of its own hides is left out: a model must not be told what its user cannot see.
 */
export function htmlToText(html: string): string {
  let text = "";
  let target = "";
  for (const part of partsOf(html)) {
    if (typeof part === "string") {
      text += decodeEntities(part.replace(/\s+/g, " "));
    } else if (part.name === "a") {
      target = attribute(part.tag, "href");
    } else if (part.name === "/a") {
      if (target !== "") text += ` (${target})`;
      target = "";
    } else {
      text += standIn(part);
    }
  }
  return text
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/ {2,}/g, " ")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

interface Tag {
  /** In small letters; with a slash before it where the element ends. */
  readonly name: string;
  /** What stands between the angle brackets. */
  readonly tag: string;
}

/** The visible texts and the tags, in order. */
function* partsOf(html: string): Generator<string | Tag> {
  const lower = html.toLowerCase();
  // "1 < 2" is text.
  const tagStart = /<[a-z/!?]/gi;
  for (let at = 0; at < html.length; ) {
    tagStart.lastIndex = at;
    const open = tagStart.exec(html)?.index ?? html.length;
    if (open > at) yield html.slice(at, open);
    if (html.startsWith("<!--", open)) {
      at = indexOrEnd(html, "-->", open) + 3;
      continue;
    }
    at = indexOrEnd(html, ">", open) + 1;
    const tag = html.slice(open + 1, at - 1);
    const name = /^\/?\w*/.exec(tag)?.[0].toLowerCase() ?? "";
    if (unread.has(name) || (hides.has(name) && isHidden(tag))) {
      at = endOfElement(lower, name, at);
    } else {
      yield { name, tag };
    }
  }
}

/** What stands in the text for a tag. */
function standIn({ name, tag }: Tag): string {
  const picture = name === "img" ? attribute(tag, "alt") : "";
  return picture === "" ? (beginnings[name] ?? "") : `[picture: ${picture}]`;
}

/** Where the element ends whose start tag ends at `from`; elements of its own kind may be inside. */
function endOfElement(html: string, name: string, from: number): number {
  const tags = new RegExp(`<(/?)${name}\\b`, "g");
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    depth += tag[1] === "/" ? -1 : 1;
    if (depth === 0) return indexOrEnd(html, ">", tag.index) + 1;
  }
  return html.length;
}

function isHidden(tag: string): boolean {
  return /display:\s*none|visibility:\s*hidden/i.test(attribute(tag, "style"));
}

function attribute(tag: string, name: string): string {
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, "i");
  const [, ...values] = pattern.exec(tag) ?? [];
  const value = values.find((each) => each !== undefined) ?? "";
  return decodeEntities(value);
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "�";
  });
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}
