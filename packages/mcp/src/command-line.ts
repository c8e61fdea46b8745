import { ConfigurationError } from "@tunic/core";

/**
 * The words of a command line, as a shell would part them: blanks part, quotes keep together. Nothing is
 * replaced: no variables, no patterns. A backslash takes a blank, a quote or itself literally, and is itself
 * before everything else, as paths on Windows need it.
 *
 * @throws ConfigurationError `invalid_target` for a quote that is not closed.
 */
export function splitCommand(line: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    const blank = /\s*/y;
    blank.lastIndex = at;
    at += blank.exec(line)?.[0].length ?? 0;
    let word: string | undefined;
    for (let piece = nextPiece(line, at); piece !== undefined; piece = nextPiece(line, at)) {
      word = (word ?? "") + piece.text;
      at = piece.end;
    }
    if (word !== undefined) words.push(word);
  }
  return words;
}

/** A part of a word: quoted, or up to the next quote or blank. */
function nextPiece(line: string, at: number): { text: string; end: number } | undefined {
  piece.lastIndex = at;
  const found = piece.exec(line);
  if (found === null) {
    if (at >= line.length || /\s/.test(line.charAt(at))) return undefined;
    throw new ConfigurationError(
      "invalid_target",
      `The command line of mcpTools() has a ${line.charAt(at)} at character ${at + 1} that is not closed. Close it, or write { command, args }.`,
    );
  }
  const [all, single, double, bare] = found;
  const text =
    single ?? double?.replace(/\\(["\\])/g, "$1") ?? bare?.replace(/\\(["'\\ ])/g, "$1") ?? "";
  return { text, end: at + all.length };
}

const piece = /'([^']*)'|"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|((?:\\["'\\ ]|[^\s"'])+)/y;
