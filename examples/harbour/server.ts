/** The harbour's own program: an MCP server over its standard input and output. Somebody else could have written it. */
import { isJsonObject, tool } from "@tunic/core";
import { servedClient, serveTools } from "@tunic/mcp/server";

const berths = [
  { name: "A1", metres: 8 },
  { name: "B4", metres: 14 },
];

const freeBerths = tool({
  name: "free_berths",
  description: "The berths that are free tonight.",
  readOnly: true,
  execute: () => berths,
});

const form = {
  type: "object",
  properties: { metres: { type: "number", title: "Length in metres", minimum: 1, maximum: 40 } },
  required: ["metres"],
} as const;

const bookBerth = tool({
  name: "book_berth",
  description: "Books a berth for tonight.",
  parameters: {
    type: "object",
    properties: { berth: { type: "string" } },
    required: ["berth"],
  },
  async execute({ berth }, context) {
    const wanted = berths.find(({ name }) => name === berth);
    if (wanted === undefined) return `There is no berth ${berth}.`;
    // Nobody has said how long the boat is: whoever sits at the client knows.
    const answer = await servedClient(context)?.elicit({
      message: "How long is your boat?",
      requestedSchema: form,
    });
    const content = answer?.action === "accept" ? answer.content : undefined;
    if (!isJsonObject(content)) return "Not booked: the length is not known.";
    return Number(content["metres"]) <= wanted.metres
      ? `Booked: ${berth}.`
      : `Not booked: ${berth} has ${wanted.metres} metres.`;
  },
});

const server = await serveTools([freeBerths, bookBerth], { transport: "stdio", name: "harbour" });
await server.closed;
