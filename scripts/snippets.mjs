/**
 * Reads the TypeScript of a Markdown page.
 *
 * A fence ```ts is compiled and run, ```ts no-run is only compiled. A block whose first line is
 * `// continues` belongs to the block before it.
 */
const FENCE = /^(?<indent>[ \t]*)(?<ticks>`{3,})(?<info>[^`]*)$/;

/**
 * The programs of a page. `lines` is as long as the page up to the program's end and empty where
 * the program has nothing, so that a line number of the program is a line number of the page.
 */
export function readSnippets(page) {
  const programs = [];
  for (const block of readBlocks(page)) {
    const previous = programs.at(-1);
    if (!isContinuation(block)) {
      programs.push({ line: block.line, run: block.run, lines: padded([], block) });
    } else if (previous === undefined) {
      throw new Error(`line ${block.line}: "// continues" has no block to continue`);
    } else {
      previous.run &&= block.run;
      previous.lines = padded(previous.lines, block);
    }
  }
  return programs;
}

function padded(lines, block) {
  return [...lines, ...Array(block.line - lines.length).fill(""), ...block.lines];
}

function readBlocks(page) {
  const blocks = [];
  let open;
  for (const [index, text] of page.split(/\r?\n/).entries()) {
    const fence = FENCE.exec(text)?.groups;
    if (open === undefined) {
      open = fence && openBlock(fence, index + 1);
    } else if (closes(fence, open)) {
      blocks.push(open);
      open = undefined;
    } else {
      open.lines.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text);
    }
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block is never closed`);
  return blocks.filter((block) => block.typescript);
}

/** A block of four backticks may show one of three. */
function closes(fence, open) {
  return fence?.info.trim() === "" && fence.ticks.length >= open.ticks.length;
}

function openBlock({ indent, ticks, info }, line) {
  const [language, ...words] = info.trim().split(/\s+/);
  const typescript = language === "ts";
  // A misspelt word would silently decide whether the block runs.
  const unknown = typescript && words.find((word) => word !== "no-run");
  if (unknown) throw new Error(`line ${line}: unknown word "${unknown}" after \`\`\`ts`);
  return { line, indent, ticks, typescript, run: words.length === 0, lines: [] };
}

function isContinuation({ lines }) {
  return lines[0]?.trim().startsWith("// continues") === true;
}
