/** Runs one TypeScript file on the packages' sources and keeps what it printed. */
import { spawn } from "node:child_process";

const TIMEOUT_MS = 120_000;

/** Examples and documentation run offline, also on a machine whose owner has keys. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.endsWith("_API_KEY")),
);

export function runTypeScript(file, { cwd }) {
  return capture(process.execPath, ["--conditions=@tunic/source", "--import", "tsx", file], cwd);
}

/**
 * Resolves with the exit code (1 when it had to be killed, which `stopped` says) and everything that was
 * printed.
 */
export function capture(command, args, cwd, timeoutMs = TIMEOUT_MS) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let stopped = false;
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    const timer = setTimeout(() => {
      stopped = true;
      keep(`\nkilled: still running after ${timeoutMs / 1000} s\n`);
      child.kill("SIGKILL");
    }, timeoutMs);
    child.on("error", (error) => keep(`${error.message}\n`));
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, stopped, output, ms: Math.round(performance.now() - started) });
    });
  });
}
