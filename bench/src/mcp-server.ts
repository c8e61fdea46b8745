import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

// A server of the official SDK, in a process of its own: over stdio, or with "http" as argument over HTTP, with a
// session for each client. There it tells its parent the port, and begins a session so many milliseconds late.

function echoServer(): Server {
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [
      {
        name: "echo",
        inputSchema: {
          type: "object",
          properties: { message: { type: "string" } },
          required: ["message"],
        },
      },
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: "text", text: String(params.arguments?.["message"]) }],
  }));
  return server;
}

function serveHttp(greetMs: number): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    const transport = known ?? (await begin(sessions, greetMs));
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => {
    const address = http.address();
    if (typeof address === "object" && address !== null) process.send?.(address.port);
  });
}

async function begin(
  sessions: Map<string, StreamableHTTPServerTransport>,
  greetMs: number,
): Promise<StreamableHTTPServerTransport> {
  if (greetMs > 0) await new Promise((resolve) => setTimeout(resolve, greetMs));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await echoServer().connect(transport as Parameters<Server["connect"]>[0]);
  return transport;
}

const [mode, greetMs = "0"] = process.argv.slice(2);
if (mode === "http") serveHttp(Number(greetMs));
else await echoServer().connect(new StdioServerTransport());
