import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providers } from "../live/providers.js";
import { scenarios } from "../live/scenarios.js";
import { playCapableModel } from "./capable-model.js";
import { CheckingProxy } from "./checking-proxy.js";

const folder = fileURLToPath(new URL("../", import.meta.url));

/** Runs the live checks in a process of their own, without any key. */
async function live(...args: readonly string[]): Promise<{ code: number | null; lines: string[] }> {
  const env = { ...process.env };
  for (const { key } of Object.values(providers)) delete env[key];
  const child = spawn(
    process.execPath,
    ["--conditions=@tunic/source", "--import", "tsx", "live/main.ts", ...args],
    { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, lines: output.trim().split("\n") };
}

const mock = new LLMock({ port: 0, host: "127.0.0.1" });
let proxy: CheckingProxy;

beforeAll(async () => {
  proxy = await CheckingProxy.before(await mock.start());
  playCapableModel(mock);
});

afterAll(async () => {
  await proxy.stop();
  await mock.stop();
  expect(proxy.requests).toBeGreaterThan(40);
  // The mock's own ids of reasoning, which go back to it, begin with "rs-" instead of "rs_".
  expect(proxy.problems.filter((problem) => !/the id "rs-/.test(problem))).toEqual([]);
});

describe("the checks on real services", () => {
  it("are ten", () => {
    expect(scenarios).toHaveLength(10);
  });

  it("are skipped without a key, each with the reason", async () => {
    const { code, lines } = await live();
    const names = Object.keys(providers);
    expect(code).toBe(0);
    expect(lines.filter((line) => /^ {2}skipped .*: [A-Z_]+ is not set$/.test(line))).toHaveLength(
      10 * names.length,
    );
    expect(lines.at(-1)).toBe(`0 passed, 0 failed, ${10 * names.length} skipped`);
  });

  it("refuse a provider or an option that there is not, and tell of those there are", async () => {
    expect((await live("--provider", "ghost")).code).toBe(2);
    expect((await live("--porvider", "openai")).code).toBe(2);
    expect((await live("--help")).lines[0]).toContain("--provider NAME");
  });

  it.each(Object.entries(providers))(
    "%s: pass on a server that can do it all",
    async (name, { path }) => {
      const { code, lines } = await live(
        "--provider",
        name,
        "--base-url",
        `${proxy.address}${path}`,
      );
      expect(lines).toEqual([
        expect.stringContaining(name),
        ...scenarios.map((scenario) => `  passed   ${scenario.name}`),
        "10 passed, 0 failed, 0 skipped",
      ]);
      expect(code).toBe(0);
    },
  );
});
