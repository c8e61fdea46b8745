// A small server over streamable HTTP, in a process of its own: its memory is not that of the client that is tested.
import { createServer } from "node:http";

const tools = ["go", "stream", "connections"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "fast", version: "1" },
  }),
  "tools/list": () => ({ tools }),
};

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
  if (id === undefined) return response.writeHead(202).end();
  const answer = method === "tools/call" ? await call(params.name) : results[method]?.(params);
  const message = answer
    ? { jsonrpc: "2.0", id, result: answer }
    : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  // Every second tool answers in a stream, as servers may.
  const isStream = params?.name === "stream";
  const type = isStream ? "text/event-stream" : "application/json";
  const text = JSON.stringify(message);
  response.writeHead(200, { "content-type": type }).end(isStream ? `data: ${text}\n\n` : text);
});

async function call(name) {
  const text = name === "connections" ? String(await connections()) : "one";
  return { content: [{ type: "text", text }] };
}

function connections() {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();
