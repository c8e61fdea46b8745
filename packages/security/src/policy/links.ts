/**
 * What counts as a link: everything that a reader's program makes one of when it shows a text as Markdown
 * (CommonMark, GitHub's) or HTML, and a little more.
 *
 * - `scheme://`, whatever the scheme, its colon and slashes written as character references, too;
 * - `www.`, and schemes that work without slashes: `mailto:`, `data:`, `javascript:` …;
 * - `//host` at the beginning of a word, an attribute's value or a Markdown destination;
 * - as a Markdown destination (`[a](…)`, `![a](…)`, `[a]: …`, `<…>`) or as an attribute that holds an
 *   address (`href="…"`): any scheme, and every other spelling that leads away, such as `\\host`, `/\host`,
 *   `java&#x73;cript:`, or tabs, line ends and invisible characters inside.
 *
 * Not counted: addresses within the page that shows the text (`[a](/b)`, `[a](evil.com)`, which leads
 * there, too), mail addresses, host names alone, percent-encoded schemes, which no program follows,
 * escapes of CSS, and what a script would do.
 */
const linkStarts = linkStartPattern();

/** What ends a link where it is taken out. */
export const linkEnd = /[\s<>"'`)\]}|]/u;

/** Where in a text the next link begins that goes on behind `behind`; -1 for nowhere. */
export function linkStartIn(text: string, behind = 0): number {
  linkStarts.lastIndex = 0;
  for (let match = linkStarts.exec(text); match; match = linkStarts.exec(text)) {
    // What ends earlier stood there before, and was looked at then.
    if (linkStarts.lastIndex > behind) return match.index;
  }
  return -1;
}

/** A link as it stands in a text. */
export interface WrittenLink {
  /** Up to where it is one in any case, without the signs at its end that belong to the sentence. */
  readonly link: string;
  /** What a program may take for it: whoever allows the link has to allow all of this. */
  readonly longest: string;
  /** Up to where it is taken out, when it is. */
  readonly stop: number;
}

/** A link that is longer than anybody writes is none to keep, in characters. */
export const longestLink = 2048;

/**
 * The link that a text begins with; undefined while more of the text has to be known.
 *
 * @param before The character before it.
 * @param all Whether nothing more comes.
 */
export function linkAt(text: string, before: string, all: boolean): WrittenLink | undefined {
  const view = text.slice(0, longestLink + 1);
  const last = all || view.length > longestLink;
  const found = endOf(view);
  if (found < 0) {
    if (!last) return undefined;
    const longest = view.length > longestLink ? view : trimmed(view);
    return { link: trimmed(view), longest, stop: view.length };
  }
  const link = trimmed(view.slice(0, found));
  const end = view[found] ?? "";
  if (/[\s<]/u.test(end) || closers[before] === end) return { link, longest: link, stop: found };
  // Programs let links go on behind brackets and quotation marks: `https://a.com'@b.com` leads to b.com.
  const run = view.search(/[\s<]/u);
  if (run < 0 && !last) return undefined;
  if (run < 0 && view.length > longestLink) return { link, longest: view, stop: found };
  const whole = run < 0 ? view : view.slice(0, run);
  const goesOn = /[\p{L}\p{N}@/\\?#&=%]/u.test(whole.slice(found));
  return { link, longest: goesOn ? trimmed(whole) : link, stop: found };
}

/** The link that a text begins with, as far as it is known. */
export function linkSoFar(text: string): string | undefined {
  const end = endOf(text.slice(0, longestLink + 1));
  return end < 0 ? undefined : trimmed(text.slice(0, end));
}

/** What is around a whole address in HTML and in Markdown's `<…>`: behind it the address is over. */
const closers: Readonly<Record<string, string>> = { '"': '"', "'": "'", "<": ">" };

/** Where the link that a text begins with ends; its first character is part of it. */
export function endOf(text: string): number {
  const end = text.slice(1).search(linkEnd);
  return end < 0 ? -1 : end + 1;
}

function trimmed(link: string): string {
  return link.replace(/[.,;:!?*_~]{1,100}$/u, "");
}

/** All links of a text, as they are written. */
export function linksIn(text: string): readonly string[] {
  const links: string[] = [];
  let at = 0;
  for (;;) {
    // A little of what stands before tells whether it is one.
    const from = Math.max(0, at - lookBehind);
    const view = text.slice(from);
    const start = linkStartIn(view, at - from);
    if (start < 0) return links;
    const begin = Math.max(at, from + start);
    const found = linkAt(text.slice(begin), text[begin - 1] ?? "", true);
    if (found === undefined) return links;
    links.push(found.longest);
    at = begin + Math.max(found.stop, 1);
  }
}

/** How much in front of a place can say that a link begins there, in characters, blanks counted once. */
export const lookBehind = 64;

/** How much behind the place where a link begins can be needed to see that, `<…>` aside. */
export const lookAhead = 160;

/** The longest `<scheme:…>` that is looked for; what is longer is a link as well. */
export const longestAutolink = 2000;

function linkStartPattern(): RegExp {
  const reference = (names: string, decimal: string, hex: string): string =>
    `&(?:(?:${names});|#0{0,20}(?:${decimal});?|#x0{0,20}(?:${hex});?)`;
  const colon = `(?::|${reference("colon", "58", "3a")})`;
  const slash = `(?:/|${reference("sol", "47", "2f")})`;
  const anySlash = String.raw`(?:[/\\]|${reference("sol|bsol", "47|92", "2f|5c")})`;
  /** Dropped by browsers, or by whatever looks at a text before. */
  const hidden = String.raw`(?:&(?:#|Tab;|NewLine;)|(?!\s)[\p{Cc}\p{Cf}])`;
  const scheme = "[a-z][a-z0-9+.-]{0,63}:";
  const odd = String.raw`[a-z0-9+.-]{0,64}(?:\\[:/\\&#.]|&(?:#|(?:colon|sol|bsol|period|Tab|NewLine);)|(?!\s)[\p{Cc}\p{Cf}])`;
  const destination = String.raw`(?=\S)(?<=\][(:]\s*<?)`;
  const names =
    "href|src|srcset|imagesrcset|action|formaction|poster|background|ping|longdesc|codebase|lowsrc|dynsrc";
  const attribute = String.raw`(?=\S)(?<=(?<![\w-])(?:${names})\s*=(?:\s*["'])?\s*)`;
  const quoted = String.raw`(?=\S)(?<=(?<![\w-])(?:${names})\s*=\s*["']\s*)`;
  const starts = [
    `(?:(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31})?${colon}${slash}{2}`,
    String.raw`(?<![a-z0-9])(?:https?|ftp|wss?|file|data|javascript|vbscript|mailto|xmpp|sms|tel)${colon}[\p{L}\p{N}/\\&%?+#~.(]`,
    String.raw`(?<![a-z0-9@])www(?:\.|${reference("period", "46", "2e")})[\p{L}\p{N}_-]`,
    String.raw`(?<=\s|^)//[\p{L}\p{N}]`,
    String.raw`(?<=[("'=<,;])//[\p{L}\p{N}/%@&\[_-]`,
    String.raw`${destination}(?:${scheme}[^\s)]|${anySlash}(?:${anySlash}|${hidden})|${odd})`,
    `${attribute}(?:${scheme}[^"'>]|${anySlash}(?:${anySlash}|${hidden})|${odd})`,
    String.raw`${quoted}(?:[/\\]|[a-z0-9+.-]{1,64})[\t\r\n]`,
    String.raw`(?<=<)[a-z][a-z0-9+.-]{1,31}:(?:[^\s<>]{0,2000}>|[^\s<>]{2001})`,
    "&#x?0{21}",
  ];
  return new RegExp(starts.join("|"), "giu");
}
