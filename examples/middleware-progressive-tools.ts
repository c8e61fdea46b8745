// Show the model few tools, and more when it asks for them: two hundred definitions in every request cost
// tokens and attention. A tool adds others with `context.addTools`; they are there from the next round on,
// in this run only.
import assert from "node:assert/strict";
import { Agent, chatMiddleware, type FunctionTool, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const catalog: Readonly<Record<string, readonly FunctionTool[]>> = {
  calendar: [
    tool({ name: "list_events", execute: () => "Lunch with Noor at 12." }),
    tool({ name: "add_event", execute: () => "Added." }),
  ],
  mail: [tool({ name: "send_mail", execute: () => "Sent." })],
};

const loadTools = tool({
  name: "load_tools",
  description: `Loads the tools for a topic: ${Object.keys(catalog).join(", ")}.`,
  parameters: {
    type: "object",
    properties: { topic: { type: "string", enum: Object.keys(catalog) } },
    required: ["topic"],
  },
  execute({ topic }, context) {
    const tools = catalog[topic] ?? [];
    context.addTools(tools);
    return `Loaded: ${tools.map(({ name }) => name).join(", ")}.`;
  },
});

// The other way round: a chat handler may take tools away, for one round. It cannot add any.
const readOnlyAtFirst = chatMiddleware("read-only-at-first", (context, next) => {
  if (context.iteration < 3) {
    const tools = (context.options.tools ?? []).filter(({ name }) => name !== "add_event");
    context.options = { ...context.options, tools };
  }
  return next();
});

const client = new ScriptedChatClient([
  { calls: [{ name: "load_tools", arguments: { topic: "calendar" } }] },
  { calls: [{ name: "list_events" }] },
  "You have lunch with Noor at 12.",
  "Hello.",
]);
const agent = new Agent({ client, tools: [loadTools], middleware: [readOnlyAtFirst] });
const response = await agent.run("What do I have today?");
console.log(response.text);
await agent.run("Hello.");

const offered = client.requests.map(({ options }) => options.tools?.map(({ name }) => name));
assert.deepEqual(offered, [
  ["load_tools"],
  ["load_tools", "list_events"],
  ["load_tools", "list_events", "add_event"],
  ["load_tools"], // the next run begins anew
]);
