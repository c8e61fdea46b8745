import { linkEnd, linkStart } from "../policy/links.js";

/** Takes links out of a text that comes in pieces. */
export interface LinkGuard {
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
  let held = "";
  /** The end of what was shown: a link may begin there. */
  let before = "";
  /** Inside a link that was taken out and has not ended yet. */
  let skipping = false;

  function show(text: string): string {
    before = (before + text).slice(-longestStart);
    return text;
  }

  function advance(all: boolean): string {
    let out = "";
    while (held !== "") {
      if (skipping) {
        const end = held.search(linkEnd);
        if (end < 0) {
          held = "";
          return out;
        }
        held = held.slice(end);
        skipping = false;
      }
      const start = startOf(before, held);
      if (start < 0) {
        const keep = all ? 0 : tailOf(held);
        out += show(held.slice(0, held.length - keep));
        held = held.slice(held.length - keep);
        return out;
      }
      out += show(held.slice(0, start));
      held = held.slice(start);
      const end = held.search(linkEnd);
      if (end < 0 && !all && held.length <= longestLink) return out;
      const link = end < 0 ? held : held.slice(0, end);
      const whole = link.replace(/[.,;:!?]+$/, "");
      // A beginning that was shown already belongs to no link that anybody has allowed.
      const kept = end <= longestLink && link.length <= longestLink && keeps(whole);
      out += show(kept ? link : removedLink + link.slice(whole.length));
      held = held.slice(link.length);
      skipping = !kept && end < 0;
    }
    return out;
  }

  return {
    add(text) {
      held += text;
      return advance(false);
    },
    flush: () => advance(true),
  };
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
