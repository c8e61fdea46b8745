import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

const require = createRequire(import.meta.url);

const programs = {
  everything: require.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
  memory: require.resolve("@modelcontextprotocol/server-memory/dist/index.js"),
  "sequential-thinking": require.resolve(
    "@modelcontextprotocol/server-sequential-thinking/dist/index.js",
  ),
};

/** The program of an official server. */
export function serverProgram(name: keyof typeof programs): string {
  return programs[name];
}

/** server-everything over HTTP, in a process of its own. */
export interface HttpServerProcess extends AsyncDisposable {
  readonly url: string;
}

/** @param at Where another one has been. Default: where nobody is. */
export async function startEverything(
  transport: "streamableHttp" | "sse",
  at?: HttpServerProcess,
): Promise<HttpServerProcess> {
  const port = at === undefined ? await freePort() : Number(new URL(at.url).port);
  const child = spawn(process.execPath, [serverProgram("everything"), transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await said(child, String(port));
  return {
    url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when a text stands in the error output; what comes later is read and dropped. */
function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let all = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      if (all.includes(text)) return;
      all += chunk.toString();
      if (all.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`The server has ended: ${all}`)));
  });
}
