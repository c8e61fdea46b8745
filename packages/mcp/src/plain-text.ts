/**
 * What makes a text look other than it is: control characters but tab and line feed, marks and overrides of direction,
 * invisible tags and blanks, halves of characters. What joins letters and emoji stays.
 */
const unseen =
  /(?![\t\n])\p{Cc}|[\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]|\p{Cs}/gu;

/** A text of a server as it can be shown to people: no colours of a terminal, no text that runs backwards. */
export function plainText(text: string): string {
  return text.replace(unseen, "");
}

/** Whether a text is what it looks like. */
export function isPlainText(text: string): boolean {
  return plainText(text) === text && !/[\t\n]/.test(text);
}
