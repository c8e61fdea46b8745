/**
 * Takes the field `allowed-tools` apart: words between blanks, where parentheses hold a word together
 * (`Bash(git log:*) Read`). Undefined where the parentheses do not match: what is allowed is not known then.
 */
export function splitAllowedTools(text: string): readonly string[] | undefined {
  let depth = 0;
  let separated = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (depth < 0) return undefined;
    separated += depth === 0 && /[\s,]/.test(character) ? separator : character;
  }
  if (depth !== 0 || text.includes(separator)) return undefined;
  return separated.split(separator).filter((word) => word !== "");
}

const separator = "\0";

/** Whether a list is taken apart at commas, which the specification does not know. */
export function hasCommas(text: string): boolean {
  return /,/.test(text.replace(/\([^()]*\)/g, ""));
}
