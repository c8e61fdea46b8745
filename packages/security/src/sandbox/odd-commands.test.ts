import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { processSandbox } from "./process-sandbox.js";
import type { SandboxCommand } from "./sandbox.js";

const sandbox = processSandbox();
const command = { program: process.execPath, args: ["-e", "1"] };

describe("a command from code without types is refused as one that makes no sense", () => {
  it.each<[string, unknown]>([
    ["none", undefined],
    ["null", null],
    ["a text", "node"],
    ["files that are no list", { ...command, files: "abc" }],
    ["a file that is none", { ...command, files: [null] }],
    ["a file without a path", { ...command, files: [{ content: "x" }] }],
    ["a file without content", { ...command, files: [{ path: "a" }] }],
    ["a number as content", { ...command, files: [{ path: "a", content: 5 }] }],
    ["a number as input", { ...command, input: 5 }],
    ["an object as input", { ...command, input: {} }],
  ])("%s", async (_, odd) => {
    await expect(sandbox.run(odd as SandboxCommand)).rejects.toMatchObject({
      name: "ConfigurationError",
      code: "sandbox_command",
    });
  });
});

it("a variable of any name reaches the program", async () => {
  const env: Readonly<Record<string, string>> = JSON.parse('{"__proto__":"x","constructor":"y"}');
  const code = "console.log(process.env['__proto__'], process.env.constructor)";
  const [all, own] = await Promise.all([
    processSandbox({ env }).run({ program: process.execPath, args: ["-e", code] }),
    sandbox.run({ program: process.execPath, args: ["-e", code], env }),
  ]);
  expect([all.stdout, own.stdout]).toEqual(["x y\n", "x y\n"]);
});

it("many programs at once put one listener on the signal of their run, and all of them stop", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const args = ["-e", "setInterval(() => {}, 1000)"];
  const ends = Array.from({ length: 12 }, () =>
    sandbox.run({ program: process.execPath, args, signal }),
  );
  const one = sandbox.run({ ...command, signal });
  await one;
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  controller.abort(new Error("enough"));
  const settled = await Promise.allSettled(ends);
  for (const each of settled) expect(each).toMatchObject({ reason: { message: "enough" } });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
