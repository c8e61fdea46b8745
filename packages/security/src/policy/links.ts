/**
 * Where a link begins in a text: with a scheme that a program would follow, `//` after a bracket or
 * quotation mark as in Markdown and HTML, or `www.`.
 */
export const linkStart =
  /(?:\b(?:https?|ftp|wss?|file|data|javascript|mailto|sms|tel):|(?<=[("'=<\s]|^)\/\/(?=[\p{L}\p{N}])|\bwww\.)/iu;

/** What ends a link. */
export const linkEnd = /[\s<>"'`)\]}|]/u;

/** All links of a text, as they are written. */
export function linksIn(text: string): readonly string[] {
  const links: string[] = [];
  let rest = text;
  for (let start = rest.match(linkStart); start; start = rest.match(linkStart)) {
    const from = rest.slice(start.index);
    const end = from.search(linkEnd);
    const link = end < 0 ? from : from.slice(0, end);
    links.push(link.replace(/[.,;:!?]+$/, ""));
    rest = end < 0 ? "" : from.slice(Math.max(end, 1));
  }
  return links;
}
