// The process behind raw-server.ts: JSON-RPC over standard input and output, by hand.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [source, given, countFile] = process.argv.slice(2);
const handlers = new Map();
let answered = () => {};
let starts = 0;
if (countFile) {
  starts = existsSync(countFile) ? Number(readFileSync(countFile, "utf8")) : 0;
  writeFileSync(countFile, String(starts + 1));
}

const server = {
  starts,
  on: (method, handler) => handlers.set(method, handler),
  onAnswer: (handler) => {
    answered = handler;
  },
  send: (message) => server.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
  result: (id, result) => server.send({ id, result }),
  error: (id, code, message, data) => server.send({ id, error: { code, message, data } }),
  notify: (method, params) => server.send({ method, params }),
  write: (text) => void process.stdout.write(text),
  say: (text) => void process.stderr.write(`${text}\n`),
  text: (text) => ({ content: [{ type: "text", text }] }),
  capabilities: (capabilities) => {
    const serverInfo = { name: "raw", version: "1.0.0" };
    server.on("initialize", ({ protocolVersion }) => ({
      protocolVersion,
      capabilities,
      serverInfo,
    }));
  },
  tools: (...tools) => {
    const listed = tools.map((tool) => ({ inputSchema: { type: "object" }, ...tool }));
    server.on("tools/list", () => ({ tools: listed }));
  },
};

server.capabilities({ tools: { listChanged: true } });
server.on("notifications/initialized", () => undefined);
server.on("ping", () => ({}));

new Function(`return (${source})`)()(server, JSON.parse(given));

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return answered(id, result ?? error);
  const handler = handlers.get(method);
  if (handler === undefined) {
    if (id !== undefined) server.error(id, -32601, "Method not found");
    return;
  }
  const answer = handler(params ?? {}, id);
  if (id !== undefined && answer !== undefined) server.result(id, answer);
});
lines.on("close", () => process.exit(0));
