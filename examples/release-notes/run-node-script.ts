import { execFile } from "node:child_process";
import { ToolError } from "@tunic/core";
import type { ScriptRunner } from "@tunic/skills/node";

/** Milliseconds; the script of this example takes a fraction of one second. */
const timeout = 20_000;

/**
 * Runs scripts for Node in a process of their own: without a shell, in the folder of the skill, and with nothing
 * of this program's environment. It keeps no script from files or from the network.
 */
export const runNodeScript: ScriptRunner = ({ name, folder, source }, argv, { signal }) =>
  new Promise<string>((resolve, reject) => {
    if (!name.endsWith(".mjs")) {
      const fix = `${name} cannot be run: there is only Node here. Go on without it.`;
      reject(new ToolError(fix, { code: "no_interpreter", fix }));
      return;
    }
    // What was checked is what runs, so it comes over stdin: by now, another file may stand at the path.
    const words = ["--input-type=module", "-", ...argv];
    const options = { cwd: folder, env: {}, timeout, killSignal: "SIGKILL", signal } as const;
    const child = execFile(process.execPath, words, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(signal.aborted ? signal.reason : failure(name, error.code, stderr));
    });
    // It may end before it has read everything; the callback tells how.
    child.stdin?.on("error", () => {});
    child.stdin?.end(source);
  });

function failure(name: string, code: unknown, stderr: string): ToolError {
  const said = stderr.trim().slice(-500);
  const fix = `${name} has failed (${code ?? "it took too long"}): ${said || "it did not say why"}`;
  return new ToolError(fix, { code: "script_failed", fix });
}
