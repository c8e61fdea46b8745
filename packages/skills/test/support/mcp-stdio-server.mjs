import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const files = {
  "skill://index.json": JSON.stringify({
    skills: [
      {
        name: "knots",
        type: "skill-md",
        description: "Ties knots.",
        url: "skill://knots/SKILL.md",
      },
    ],
  }),
  "skill://knots/SKILL.md":
    "---\nname: knots\ndescription: Ties knots.\n---\nBegin with the bowline.\n",
  "skill://knots/all.md": "Bowline.",
};

const server = new McpServer({ name: "knots", version: "1.0.0" });
for (const [uri, text] of Object.entries(files)) {
  server.registerResource(uri, uri, {}, () => ({ contents: [{ uri, text }] }));
}
await server.connect(new StdioServerTransport());
