import {
  Agent,
  ChatClientError,
  type ChatContext,
  chatMiddleware,
  type Middleware,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { manualEnvironment } from "../src/manual-environment.js";
import { ScriptedChatClient } from "../src/scripted-chat-client.js";

const busy = new ChatClientError("overloaded", "Busy.", { retryable: true });
const cut = { text: "Half an answer", error: busy, errorAfter: 1 };

/** Notes `shown` after each attempt, and tries three times. */
function noting(log: boolean[]): Middleware {
  return chatMiddleware("noting", async (context: ChatContext, next) => {
    log.push(context.shown);
    for (;;) {
      try {
        const response = await next();
        log.push(context.shown);
        return response;
      } catch (error) {
        log.push(context.shown);
        if (log.length > 3) throw error;
      }
    }
  });
}

describe("context.shown", () => {
  const run = async (
    turns: ConstructorParameters<typeof ScriptedChatClient>[0],
    streamed = true,
  ) => {
    const log: boolean[] = [];
    const client = new ScriptedChatClient(turns, { chunkSize: 4 });
    const agent = new Agent({ client, middleware: [noting(log)] });
    await agent.run("go", streamed ? { onUpdate: () => {} } : {});
    return log;
  };

  it("says whether a consumer has something of the attempt", async () => {
    expect(await run([cut, { error: busy }, "Whole."])).toEqual([false, true, false, true]);
  });

  it("is false where nobody streams", async () => {
    expect(await run([cut, "Whole."], false)).toEqual([false, false, false]);
  });
});

it("the time that a run has left is that of maxDurationMs, and passes", async () => {
  const environment = manualEnvironment(1000);
  const left: number[] = [];
  const note = chatMiddleware("note", async (context, next) => {
    left.push(context.run.remainingMs, context.run.child().remainingMs);
    await environment.advance(30);
    left.push(context.run.remainingMs);
    return next();
  });
  const client = new ScriptedChatClient(["Done."]);
  const agent = new Agent({ client, environment, middleware: [note] });
  await agent.run("go", { invocation: { maxDurationMs: 100 } });
  expect(left).toEqual([100, 100, 70]);
  await agent.run("go").catch(() => {});
  expect(left.slice(3)).toEqual([Infinity, Infinity, Infinity]);
});
