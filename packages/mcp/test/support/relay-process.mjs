// The process behind relay.ts: passes on what a client says to a server over standard input, and writes it down.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [recordFile, rename, command, ...args] = process.argv.slice(2);
const { from, to } = JSON.parse(rename);
const server = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"] });
server.once("exit", (code) => process.exit(code ?? 1));

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === "tools/call" && message.params.name === from) message.params.name = to;
  appendFileSync(recordFile, `${JSON.stringify(message)}\n`);
  server.stdin.write(`${JSON.stringify(message)}\n`);
});
lines.on("close", () => server.stdin.end());
