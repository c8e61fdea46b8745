/** What a TypeScript file imports and which names it uses, read from its text. */

export interface ImportReference {
  readonly specifier: string;
  /** `type` is erased when compiled, `dynamic` is `import()`, everything else loads the module. */
  readonly kind: "value" | "type" | "dynamic";
  readonly line: number;
}

// In this order: comment, string, template, regular expression. An expression is told from a
// division by what stands before it.
const LITERALS = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`,
    "(?<template>`(?:\\\\[\\s\\S]|[^`\\\\])*`)",
    String.raw`(?<regex>(?<=[(,=:[!&|?{};+>]\s*|\breturn\s+|^\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)`,
  ].join("|"),
  "gm",
);
const STATIC_IMPORT =
  /^[ \t]*(?:import|export)\s+(?<type>type\s+(?!from\b))?(?:[^;"']*?\bfrom\s*)?["'](?<specifier>[^"']+)["']/gm;
const DYNAMIC_IMPORT = /\bimport\s*\(\s*["'](?<specifier>[^"']+)["']/g;

/** The imports of a file, re-exports included, in no particular order. */
export function importsOf(source: string): ImportReference[] {
  const code = withoutLiterals(source, { keepStrings: true });
  return [
    ...[...code.matchAll(STATIC_IMPORT)].map((match) =>
      reference(code, match, match.groups?.["type"] === undefined ? "value" : "type"),
    ),
    ...[...code.matchAll(DYNAMIC_IMPORT)].map((match) => reference(code, match, "dynamic")),
  ];
}

/** The lines on which one of the global names is used, as a variable or through `globalThis`. */
export function linesUsing(source: string, names: readonly string[]): number[] {
  const code = withoutLiterals(source, { keepStrings: false });
  const use = new RegExp(
    String.raw`(?:\bglobalThis\??\.|(?<![.\w$#]))(?:${names.join("|")})\b(?![\w$]|\??:)`,
    "g",
  );
  return [...code.matchAll(use)].map((match) => lineAt(code, match.index));
}

/** Blanks comments, templates, regular expressions and, if asked, strings; lines stay lines. */
function withoutLiterals(source: string, { keepStrings }: { keepStrings: boolean }): string {
  return source.replace(LITERALS, (text: string, _comment, string, template) => {
    if (string !== undefined && keepStrings) return text;
    return template === undefined ? blank(text) : expressionsOf(text);
  });
}

/** What stands between `${` and `}` is code. */
function expressionsOf(template: string): string {
  return template
    .split(/(?<=\$\{)([^}]*)(?=\})/)
    .map((part, index) => (index % 2 === 1 ? part : blank(part)))
    .join("");
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function reference(
  code: string,
  match: RegExpExecArray,
  kind: ImportReference["kind"],
): ImportReference {
  const specifier = match.groups?.["specifier"] ?? "";
  return { specifier, kind, line: lineAt(code, match.index + match[0].length) };
}

function lineAt(code: string, offset: number): number {
  return code.slice(0, offset).split("\n").length;
}
