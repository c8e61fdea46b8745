import { describe, expect, it } from "vitest";
import { importsOf, linesUsing } from "./source-code.js";

describe("importsOf", () => {
  it.each([
    ['import "a";', "value"],
    ['import a from "a";', "value"],
    ["import * as all from 'a';", "value"],
    ['import {\n  b,\n  type C,\n} from "a";', "value"],
    ['export { b } from "a";', "value"],
    ['export * from "a";', "value"],
    ['import type { B } from "a";', "type"],
    ['import type B from "a";', "type"],
    ['export type { B } from "a";', "type"],
    ['const a = await import("a");', "dynamic"],
    ['type A = import("a").A;', "dynamic"],
  ])("reads %s", (source, kind) => {
    expect(importsOf(source)).toMatchObject([{ specifier: "a", kind }]);
  });

  it.each([
    '// import a from "a";',
    '/**\n * import { a } from "a";\n */',
    'const text = `\nimport a from "a";\n`;',
    "const text = 'import a from \"a\";';",
    'export const from = "a";',
    'export function read(from: string) {\n  return from + "a";\n}',
  ])("finds no import in %s", (source) => {
    expect(importsOf(source)).toEqual([]);
  });

  it("is not led astray by quotes in regular expressions or slashes in strings", () => {
    const source = [
      "const quote = /[\"'`]/g;",
      'const url = "https://example.com"; // a comment',
      "const half = total / 2 / size;",
      "const nested = `a ${b ? `c` : 'd'} e`;",
      'import { a } from "a";',
    ].join("\n");
    expect(importsOf(source)).toEqual([{ specifier: "a", kind: "value", line: 5 }]);
  });

  it("knows the line on which the module is named", () => {
    expect(importsOf('\n\nimport {\n  a,\n} from "a";\n').map(({ line }) => line)).toEqual([5]);
  });
});

describe("linesUsing", () => {
  it("finds the lines on which a global is used", () => {
    const source =
      'const a = 1;\n// process\nprocess.exit(a);\nconst b = "process";\nrun(process);';
    expect(linesUsing(source, ["process"])).toEqual([3, 5]);
  });
});
