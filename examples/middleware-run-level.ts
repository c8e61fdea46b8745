// Something else for one run. Middleware of a run stands inside the agent's; one that has the name of
// an agent's takes its place, where that one stood.
import assert from "node:assert/strict";
import { Agent, agentMiddleware, chatMiddleware, joinInstructions } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const answerIn = (language: string) =>
  chatMiddleware("language", (context, next) => {
    const instructions = `Answer in ${language}.`;
    context.options = { ...context.options, instructions };
    log.push(`language: ${language}`);
    return next();
  });
const trace = (name: string) =>
  chatMiddleware(name, (_context, next) => {
    log.push(name);
    return next();
  });
const greeting = agentMiddleware("greeting", async (context, next) => {
  log.push(`run for ${context.run.principal?.id ?? "somebody"}`);
  return next();
});

let log: string[] = [];
const client = new ScriptedChatClient(["Good morning.", "Bom dia."]);
const agent = new Agent({
  client,
  middleware: [greeting, answerIn("English"), trace("agent level")],
});

await agent.run("Hi.");
assert.deepEqual(log, ["run for somebody", "language: English", "agent level"]);

log = [];
const response = await agent.run("Hi.", {
  middleware: [trace("run level"), answerIn("Portuguese")],
  principal: { id: "mara", roles: ["reader"] }, // who it is for; every context can read it
});
console.log(response.text);
assert.deepEqual(log, ["run for mara", "language: Portuguese", "agent level", "run level"]);

const told = client.requests.map(({ options }) => joinInstructions(options.instructions));
assert.deepEqual(told, ["Answer in English.", "Answer in Portuguese."]);
