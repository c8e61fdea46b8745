import { Agent, type ChatClient, type Message, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";

const rounds = 200;

/** Every read of a message, of its contents or of its arguments, in each round. */
class ReadCounter {
  reads = 0;

  watch<Value extends object>(value: Value): Value {
    return new Proxy(value, {
      get: (target, key, receiver) => {
        this.reads++;
        const member: unknown = Reflect.get(target, key, receiver);
        return member;
      },
      ownKeys: (target) => {
        this.reads++;
        return Reflect.ownKeys(target);
      },
    });
  }
}

describe("in round 200, of the messages of rounds before", () => {
  it("none is copied, read, converted or validated again", async () => {
    const counters: ReadCounter[] = [];
    const seen: (readonly Message[])[] = [];
    const inLastRound = new Map<ReadCounter, number>();
    const client: ChatClient = {
      metadata: { provider: "counting" },
      async getResponse({ messages, run }) {
        seen.push(messages);
        if (seen.length === rounds) {
          for (const counter of counters) inLastRound.set(counter, counter.reads);
        }
        const counter = new ReadCounter();
        counters.push(counter);
        const done = seen.length > rounds;
        const message: Message = {
          id: run?.newId("message") ?? "",
          role: "assistant",
          createdAt: 0,
          contents: done
            ? [{ type: "text", text: "done" }]
            : [
                counter.watch({
                  type: "function_call" as const,
                  callId: `call_${seen.length}`,
                  name: "add",
                  arguments: counter.watch({ a: seen.length }),
                }),
              ],
        };
        return { messages: [counter.watch(message)] };
      },
    };
    const agent = new Agent({
      client,
      tools: [
        tool({
          name: "add",
          parameters: { type: "object", properties: { a: { type: "number" } } },
          execute: ({ a }) => a,
        }),
      ],
      invocation: { maxIterations: rounds + 1 },
    });
    await agent.run("go");
    expect(seen.length).toBe(rounds + 1);
    // The counters do count: the messages of the last round itself were read.
    expect(counters[rounds - 1]?.reads).toBeGreaterThan(0);
    const again = [...inLastRound].filter(([counter, before]) => counter.reads !== before);
    expect(again.length).toBe(0);
    // And what the model gets are the very objects that it got before.
    const [before = [], after = []] = seen.slice(-2);
    expect(after.slice(0, before.length).every((message, at) => message === before[at])).toBe(true);
  });
});
