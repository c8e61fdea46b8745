// Serves a few tools over standard input and output, for tests that start it as a process.
import { tool } from "@tunic/core";
import { serveTools } from "../../src/server.js";

const add = tool({
  name: "add",
  description: "Adds.",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }: { a: number; b: number }) => a + b,
});
const wipe = tool({
  name: "wipe",
  description: "Deletes everything.",
  approvalMode: "always_require",
  parameters: {},
  execute: () => "wiped",
});

const server = await serveTools([add, wipe], { transport: "stdio" });
await server.closed;
process.stderr.write("served\n");
