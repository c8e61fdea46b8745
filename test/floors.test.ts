import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coreFloorViolations,
  corePurityViolations,
  cycles,
  earlyLoadViolations,
  fileCycles,
  loadedAtOnce,
  packageFloorViolations,
  type SourceFile,
} from "./floors.js";
import { productionFiles } from "./source-files.js";

describe("the packages as they are", () => {
  const files = productionFiles();

  it("are found", () => {
    expect(files.map(({ path }) => path)).toContain("core/src/index.ts");
  });

  it("import only from packages on lower floors", () => {
    expect(packageFloorViolations(files)).toEqual([]);
  });

  it("have no cycle between files, type imports included", () => {
    expect(fileCycles(files)).toEqual([]);
  });

  it("keep the floors inside core", () => {
    expect(coreFloorViolations(files)).toEqual([]);
  });

  it("keep core free of Node and load no validator before it is needed", () => {
    expect(corePurityViolations(files)).toEqual([]);
  });

  it("have nothing in core's entry that is meant to be loaded later", () => {
    expect(earlyLoadViolations(files)).toEqual([]);
  });
});

describe("@tunic/core/approvals", () => {
  it("loads no agent, no loop, no tool and no schema compiler", () => {
    const reached = [...loadedAtOnce(productionFiles(), "core/src/approvals.ts")];
    const folders = new Set(reached.map(({ path }) => path.split("/")[2]));
    expect([...folders].toSorted()).toEqual(["approvals", "approvals.ts", "errors", "messages"]);
  });
});

describe("packageFloorViolations", () => {
  it("lets a package import from a lower floor", () => {
    expect(packageFloorViolations([file("openai/src/a.ts", "@tunic/core")])).toEqual([]);
    expect(packageFloorViolations([file("stores/src/a.ts", "@tunic/testing/x")])).toEqual([]);
  });

  it.each([
    ["the floor above", "core/src/a.ts", "@tunic/openai"],
    ["the same floor", "openai/src/a.ts", "@tunic/testing"],
    ["itself by name", "core/src/a.ts", "@tunic/core"],
    ["a package without a floor", "core/src/a.ts", "@tunic/elsewhere"],
    ["another package's files", "testing/src/a.ts", "../../openai/src/b.js"],
  ])("refuses an import from %s", (_what, path, specifier) => {
    expect(packageFloorViolations([file(path, specifier)])).toHaveLength(1);
  });

  it("refuses a type import just the same", () => {
    const text = 'import type { A } from "@tunic/openai";';
    expect(packageFloorViolations([{ path: "core/src/a.ts", text }])).toEqual([
      "core/src/a.ts:1 imports openai, which is not on a lower floor than core",
    ]);
  });

  it("refuses a package that has no floor", () => {
    expect(packageFloorViolations([{ path: "extra/src/a.ts", text: "" }])).toHaveLength(1);
  });
});

describe("fileCycles", () => {
  it("accepts files that share what they import", () => {
    const files = [file("core/src/a.ts", "./b.js", "./c.js"), file("core/src/b.ts", "./c.js")];
    expect(fileCycles([...files, file("core/src/c.ts")])).toEqual([]);
  });

  it("shows the way round", () => {
    const files = [
      file("core/src/a.ts", "./x/b.js"),
      file("core/src/x/b.ts", "./c.js"),
      { path: "core/src/x/c.ts", text: 'import type { A } from "../a.js";' },
    ];
    expect(fileCycles(files)).toEqual([
      "cycle between files: core/src/a.ts → core/src/x/b.ts → core/src/x/c.ts → core/src/a.ts",
    ]);
  });

  it("sees a file that imports itself, and an import()", () => {
    expect(fileCycles([{ path: "core/src/a.ts", text: 'await import("./a.js");' }])).toHaveLength(
      1,
    );
  });
});

describe("cycles", () => {
  const node = fc.nat({ max: 8 });
  const graph = fc.array(fc.tuple(node, node), { maxLength: 30 });

  it("finds none where every edge goes down", () => {
    fc.assert(
      fc.property(graph, (edges) => {
        expect(cycles(asMap(edges.filter(([from, to]) => from > to)))).toEqual([]);
      }),
    );
  });

  it("finds one wherever a way leads back", () => {
    fc.assert(
      fc.property(graph, fc.uniqueArray(node, { minLength: 1 }), (edges, ring) => {
        const closed = ring.map((from, index) => [from, ring.at(index - 1) ?? from] as const);
        expect(cycles(asMap([...edges, ...closed]))).not.toEqual([]);
      }),
    );
  });
});

describe("coreFloorViolations", () => {
  it("lets a folder import from below, from itself and, in one direction, from its own floor", () => {
    const files = [
      file("core/src/index.ts", "./agent/agent.js", "./interpreted.js"),
      file("core/src/agent/agent.ts", "../chat/client.js", "./layers.js"),
      file("core/src/context/compaction/a.ts", "../provider.js", "../../messages/log.js"),
      file("core/src/session/a.ts", "../run/b.js"),
    ];
    expect(coreFloorViolations(files)).toEqual([]);
  });

  it.each([
    ["a folder above", "core/src/tools/a.ts", "../chat/b.js"],
    ["an entry file", "core/src/agent/a.ts", "../index.js"],
    ["a folder without a floor", "core/src/agent/a.ts", "../helpers/b.js"],
  ])("refuses an import from %s", (_what, path, specifier) => {
    expect(coreFloorViolations([file(path, specifier)])).toHaveLength(1);
  });

  it("refuses two folders of one floor that import each other", () => {
    const files = [
      file("core/src/session/a.ts", "../run/b.js"),
      file("core/src/run/c.ts", "../session/d.js"),
    ];
    expect(coreFloorViolations(files)).toEqual(["cycle between folders: session → run → session"]);
  });

  it("refuses a folder that has no floor", () => {
    expect(coreFloorViolations([file("core/src/helpers/a.ts")])).toHaveLength(1);
  });

  it("says nothing about other packages", () => {
    expect(coreFloorViolations([file("openai/src/helpers/a.ts", "../b.js")])).toEqual([]);
  });
});

describe("corePurityViolations", () => {
  it.each([
    'import type { TSchema } from "@sinclair/typebox";',
    'const { Ajv } = await import("ajv");',
    'import type { ErrorObject } from "ajv";',
    'import { EventEmitter } from "eventemitter3";',
    "// process.env and Buffer in a comment",
    'const text = "process";',
    "const job = { process: 1 }; job.process += 1;",
    "const preprocess = 1; const processes = 2;",
  ])("accepts %s", (text) => {
    expect(corePurityViolations([{ path: "core/src/a.ts", text }])).toEqual([]);
  });

  it.each([
    'import { readFile } from "node:fs/promises";',
    'import { readFile } from "fs/promises";',
    'const { randomUUID } = await import("node:crypto");',
    'import { Type } from "@sinclair/typebox";',
    'import { type TSchema } from "@sinclair/typebox";',
    'export { Type } from "@sinclair/typebox";',
    'const { Type } = await import("@sinclair/typebox");',
    'import { Ajv } from "ajv";',
    'import { Ajv2020 } from "ajv/dist/2020.js";',
    "const home = process.env.HOME;",
    "const home = globalThis.process;",
    "const text = `at ${process.cwd()}`;",
    "const bytes = Buffer.from(text);",
  ])("refuses %s", (text) => {
    expect(corePurityViolations([{ path: "core/src/a.ts", text }])).toHaveLength(1);
  });

  it("leaves other packages alone", () => {
    const text = 'import { readFile } from "node:fs/promises";';
    expect(corePurityViolations([{ path: "testing/src/a.ts", text }])).toEqual([]);
  });
});

describe("earlyLoadViolations", () => {
  const later = { path: "core/src/b.ts", text: 'await import("./c.js");' };

  it("accepts what only import() and types reach, and other entries", () => {
    const files = [
      file("core/src/index.ts", "./b.js"),
      { path: "core/src/a.ts", text: 'import type { C } from "./c.js";' },
      file("core/src/approvals.ts", "./c.js"),
      later,
      file("core/src/c.ts"),
    ];
    expect(earlyLoadViolations(files)).toEqual([]);
  });

  it("refuses what the entry reaches another way round", () => {
    const files = [
      file("core/src/index.ts", "./a.js", "./b.js"),
      file("core/src/a.ts", "./c.js"),
      later,
      file("core/src/c.ts"),
    ];
    expect(earlyLoadViolations(files)).toEqual([
      "core/src/b.ts:1 loads core/src/c.ts with import(), which the entry loads at once",
    ]);
  });
});

function file(path: string, ...specifiers: string[]): SourceFile {
  return { path, text: specifiers.map((name) => `import { a } from "${name}";`).join("\n") };
}

function asMap(edges: readonly (readonly [number, number])[]): Map<string, string[]> {
  const map = new Map<string, string[]>();
  for (const [from, to] of edges) map.set(`${from}`, [...(map.get(`${from}`) ?? []), `${to}`]);
  return map;
}
