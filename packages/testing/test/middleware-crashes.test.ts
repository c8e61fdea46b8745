import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const script = fileURLToPath(new URL("./support/crashes.ts", import.meta.url));

describe("a crash of a handler or a listener, and a rejection of an async one", () => {
  it("never ends the process", async () => {
    const options = ["--conditions=@tunic/source", "--import", "tsx", script];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, options);
    expect(stderr).toBe("");
    expect(stdout).toBe("128 runs survived");
  }, 60_000);
});
