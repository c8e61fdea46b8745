// Keep card numbers out of answers, in a stream too. A service cuts its text anywhere, through the middle
// of a number as well, so a look at each piece finds nothing. `replaceText` holds back as much as a match
// can be long, and what comes out is the same however the text was cut.
import assert from "node:assert/strict";
import { Agent, chatMiddleware, replaceText } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const noCards = chatMiddleware("no-cards", (context, next) => {
  context.transformUpdates(
    replaceText(/\b\d{4}(?: ?\d{4}){3}\b/, (card) => `•••• ${card.slice(-4)}`, { maxLength: 19 }),
  );
  return next();
});

const said = "You paid with 4111 1111 1111 1234. The order number is 2024.";
const expected = "You paid with •••• 1234. The order number is 2024.";

for (const chunkSize of [1, 3, 7, 1000]) {
  const client = new ScriptedChatClient([said], { chunkSize });
  const stream = new Agent({ client, middleware: [noCards] }).stream("How did I pay?");
  const pieces: string[] = [];
  for await (const piece of stream.text) pieces.push(piece);

  // No piece ever held a part of the number, and the response is what was shown.
  assert.equal(pieces.join(""), expected);
  assert.ok(pieces.every((piece) => !piece.includes("1111")));
  assert.equal((await stream.response).text, expected);
}

// Without a stream the same handler does the same.
const whole = await new Agent({
  client: new ScriptedChatClient([said]),
  middleware: [noCards],
}).run("?");
console.log(whole.text);
assert.equal(whole.text, expected);
