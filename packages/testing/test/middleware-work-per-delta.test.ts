import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("./support/count-calls.ts", import.meta.url));

describe("a streamed delta", () => {
  it("costs as many calls, and as deep a stack, under 50 idle handlers as under none", async () => {
    const options = ["--conditions=@tunic/source", "--import", "tsx", script];
    const { stdout } = await promisify(execFile)(process.execPath, options);
    const report: Record<string, { perDelta: number; depth: number }> = JSON.parse(stdout);
    const bare = report["chat 0"];
    expect(bare?.perDelta).toBeGreaterThan(3);
    expect(bare?.depth).toBeGreaterThan(3);
    expect(Object.keys(report)).toHaveLength(8);
    for (const [stack, { perDelta, depth }] of Object.entries(report)) {
      expect({ stack, perDelta: Math.round(perDelta * 100) / 100, depth }).toEqual({
        stack,
        perDelta: Math.round((bare?.perDelta ?? 0) * 100) / 100,
        depth: bare?.depth,
      });
    }
  }, 60_000);
});
