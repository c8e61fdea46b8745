// Ask the model again when its service fails. The handler stands between the loop and the service, so
// it repeats the model call and never a tool. When the stream was cut in the middle, what the consumer had
// seen of it is taken back before the next attempt.
import assert from "node:assert/strict";
import { Agent, ChatClientError, chatMiddleware, foldUpdates, textOf, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const retry = (attempts: number) =>
  chatMiddleware("retry", async (_context, next) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await next();
      } catch (error) {
        const worthIt = error instanceof ChatClientError && error.retryable;
        if (!worthIt || attempt === attempts) throw error;
        // A real one waits here: error.retryAfterMs says how long.
      }
    }
  });

let mails = 0;
const sendMail = tool({ name: "send_mail", execute: () => `Mail ${++mails} was sent.` });

const cut = new ChatClientError("connection", "The connection broke.", { retryable: true });
const client = new ScriptedChatClient(
  [
    { calls: [{ name: "send_mail" }] },
    { text: "The mail could not", error: cut, errorAfter: 3 }, // three pieces, then nothing more
    "The mail was sent.",
  ],
  { chunkSize: 4 },
);
const agent = new Agent({ client, tools: [sendMail], middleware: [retry(3)] });

const fold = foldUpdates();
const shown: string[] = [];
const response = await agent.run("Send the mail.", {
  onUpdate(update) {
    fold.add(update);
    const last = fold.messages.at(-1);
    shown.push(update.type === "retract" ? "(taken back)" : last ? textOf(last) : "");
  },
});
console.log(shown.join("\n"));

assert.equal(response.text, "The mail was sent.");
assert.ok(shown.includes("The mail cou"), "the consumer saw the first attempt");
assert.equal(shown.filter((line) => line === "(taken back)").length, 1);
assert.deepEqual(fold.messages, response.messages); // and has nothing of it left
assert.equal(client.requests.length, 3);
assert.equal(mails, 1); // a retry of the model is no retry of the tool
