// Tell the model something in every round trip, without writing it into the conversation: a chat
// handler adds an instruction on its way in. What it assigns is seen by the inside only, so neither the
// session nor a retry further out ever meets it.
import assert from "node:assert/strict";
import {
  Agent,
  AgentSession,
  ChatClientError,
  chatMiddleware,
  joinInstructions,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

/** Adds a piece of instructions, with who wrote it. */
const systemText = (source: string, text: () => string) =>
  chatMiddleware(source, (context, next) => {
    const given = context.options.instructions ?? [];
    const before = typeof given === "string" ? [{ source: "client", text: given }] : given;
    context.options = { ...context.options, instructions: [...before, { source, text: text() }] };
    return next();
  });

/** Asks again, once. It stands outside, and asks with what *it* was given. */
const once = chatMiddleware("once-again", async (_context, next) => {
  try {
    return await next();
  } catch {
    return await next();
  }
});

const client = new ScriptedChatClient([
  { error: new ChatClientError("overloaded", "Try again.", { retryable: true }) },
  "Good morning, Mara.",
]);
const agent = new Agent({
  client,
  instructions: "Greet the user.",
  middleware: [once, systemText("clock", () => "It is nine in the morning.")],
});
const session = new AgentSession();
const response = await agent.run("Hello, I am Mara.", { session });
console.log(response.text);

// Both attempts said it, and each said it once.
assert.deepEqual(
  client.requests.map(({ options }) => joinInstructions(options.instructions)),
  Array(2).fill("Greet the user.\n\nIt is nine in the morning."),
);
// The conversation does not hold it.
assert.deepEqual(
  session.messages.map(({ role }) => role),
  ["user", "assistant"],
);
