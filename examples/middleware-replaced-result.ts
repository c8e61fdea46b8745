// Put something else in the place of what comes out: a handler calls `next()`, looks at the result, and
// returns another one. Of a tool's result the model then sees the replacement; of a model's answer the
// consumer does, and what was streamed already is taken back.
import assert from "node:assert/strict";
import {
  Agent,
  chatMiddleware,
  foldUpdates,
  functionMiddleware,
  textOf,
  tool,
  toolResult,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

/** Long results fill the model's window. It gets the beginning, and is told so. */
const shortResults = (maxLength: number) =>
  functionMiddleware("short-results", async (_context, next) => {
    const result = await next();
    const text = textOf(result);
    if (result.isError || text.length <= maxLength) return result;
    const rest = text.length - maxLength;
    return toolResult({ contents: `${text.slice(0, maxLength)} … (${rest} more characters)` });
  });

/** Withholds an answer that says what it must not. */
const withhold = (secret: string) =>
  chatMiddleware("withhold", async (context, next) => {
    const response = await next();
    const said = response.messages.some((message) => textOf(message).includes(secret));
    return said
      ? { ...response, messages: context.respond("I cannot say that.").messages }
      : response;
  });

const readPage = tool({ name: "read_page", execute: () => "All work and no play. ".repeat(100) });
const client = new ScriptedChatClient([
  { calls: [{ name: "read_page" }] },
  "The password is opensesame.",
]);
const agent = new Agent({
  client,
  tools: [readPage],
  middleware: [withhold("opensesame"), shortResults(21)],
});

const fold = foldUpdates();
let retracted = 0;
const response = await agent.run("What does the page say?", {
  onUpdate(update) {
    fold.add(update);
    if (update.type === "retract") retracted++;
  },
});
console.log(response.text);

const seen = client.requests[1]?.messages.at(-1)?.contents[0];
assert.ok(seen?.type === "function_result");
assert.equal(textOf(seen), "All work and no play. … (2179 more characters)");

assert.equal(response.text, "I cannot say that.");
assert.equal(retracted, 1); // the answer had been streamed
assert.deepEqual(fold.messages, response.messages);
// Where not even a moment of it may be seen, hold it back: see `bufferUpdates`.
