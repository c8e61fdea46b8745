// An MCP server with hundreds of tools, over standard input and output. Opening the lock adds one more.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const described = (name, description) => ({ name, description, inputSchema: { type: "object" } });
const tools = [
  ...Array.from({ length: 300 }, (_, at) => described(`gauge_${at}`, "Reads a water gauge.")),
  described("addBerth", "Reserves a place at the quay."),
  described("open_lock", "Opens the lock."),
];

const server = new Server(
  { name: "harbor", version: "1.0.0" },
  { capabilities: { tools: { listChanged: true } }, instructions: "Ships first." },
);
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }) => {
  if (name === "open_lock") {
    tools.splice(0, 300, described("sluice_gate", "Moves the sluice."));
    await server.sendToolListChanged();
  }
  return { content: [{ type: "text", text: `${name} done` }] };
});
await server.connect(new StdioServerTransport());
