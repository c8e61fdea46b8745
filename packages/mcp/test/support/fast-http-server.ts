import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("fast-http-server.mjs", import.meta.url));

/** A server over HTTP with the tools `go`, `stream` and `connections` (how many are open), in a process of its own. */
export async function fastHttpServer(): Promise<{ readonly url: string } & AsyncDisposable> {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return {
    url: `http://127.0.0.1:${`${port}`.trim()}/mcp`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
