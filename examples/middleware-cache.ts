// Answer without asking: a chat handler that does not call `next()` answers for the inside. In a stream
// the consumer gets such an answer like any other, so a cache is written once and works for both.
import assert from "node:assert/strict";
import { Agent, type ChatContext, type Content, chatMiddleware, foldUpdates } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

/** Where answers are kept: here a map, elsewhere a database. It is shared on purpose, and handed in. */
type Store = Map<string, readonly Content[]>;

const cache = (store: Store) =>
  chatMiddleware("cache", async (context, next) => {
    const key = keyOf(context);
    const known = store.get(key);
    if (known) return context.respond(known); // a message of its own: new id, new time
    const response = await next();
    const [only] = response.messages;
    if (only && response.messages.length === 1) store.set(key, only.contents);
    return response;
  });

/** Everything that the answer depends on. What is left out here is what people get each other's answers by. */
function keyOf({ messages, options, run }: ChatContext): string {
  const { tools, ...rest } = options;
  const said = messages.map(({ role, contents }) => ({ role, contents }));
  return JSON.stringify([run.principal?.tenant, said, rest, tools?.map(({ name }) => name)]);
}

const client = new ScriptedChatClient(["Lisbon is the capital of Portugal."], { chunkSize: 5 });
const agent = new Agent({ client, middleware: [cache(new Map())] });
const question = "What is the capital of Portugal?";

const asked = await agent.run(question, { principal: { id: "mara", tenant: "north" } });

// The second time, in a stream. The script has no second turn: a model that was asked would fail.
const stream = agent.stream(question, { principal: { id: "noor", tenant: "north" } });
const fold = foldUpdates();
for await (const update of stream) fold.add(update);
const hit = await stream.response;
console.log(hit.text);

assert.equal(client.requests.length, 1);
assert.equal(hit.text, asked.text);
assert.notEqual(hit.messages[0]?.id, asked.messages[0]?.id);
// What the consumer has is the response.
assert.deepEqual(fold.messages, hit.messages);
