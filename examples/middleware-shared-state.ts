// One concern, several onions. A class with an agent, a chat and a function handler that know of each
// other through `run.state`: how much of a run's time and money went where. The object holds its
// configuration and nothing else, so one of it serves all runs at once.
import assert from "node:assert/strict";
import {
  Agent,
  type AgentContext,
  type AgentResponse,
  type ChatContext,
  type ChatResponse,
  createStateKey,
  type FunctionInvocationContext,
  type Middleware,
  type Next,
  type ToolResult,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

interface Price {
  readonly perModelCall: number;
  readonly perToolCall: number;
}

class Accounting implements Middleware {
  readonly name = "accounting";
  // Made once for each run. The key is the object, not its name: two Accountings never meet.
  readonly #account = createStateKey("account", () => ({ modelCalls: 0, toolCalls: 0 }));
  readonly #price: Price;
  readonly #send: (user: string, amount: number) => void;

  constructor(price: Price, send: (user: string, amount: number) => void) {
    this.#price = price;
    this.#send = send;
  }

  /** Once for each run. `finally`: what was spent is billed, also when the run fails. */
  async agent({ run }: AgentContext, next: Next<AgentResponse>): Promise<AgentResponse> {
    try {
      return await next();
    } finally {
      const { modelCalls, toolCalls } = run.state.get(this.#account);
      const amount = modelCalls * this.#price.perModelCall + toolCalls * this.#price.perToolCall;
      this.#send(run.principal?.id ?? "nobody", amount);
    }
  }

  /** Once for each model round trip. */
  async chat({ run }: ChatContext, next: Next<ChatResponse>): Promise<ChatResponse> {
    run.state.get(this.#account).modelCalls++;
    return next();
  }

  /** Once for each call. */
  async function({ run }: FunctionInvocationContext, next: Next<ToolResult>): Promise<ToolResult> {
    run.state.get(this.#account).toolCalls++;
    return next();
  }
}

// A model that makes as many calls as the question says, then answers.
const client = new ScriptedChatClient(({ messages }) => {
  const [question] = messages;
  const wanted = question?.contents[0]?.type === "text" ? Number(question.contents[0].text) : 0;
  const rounds = messages.filter(({ role }) => role === "tool").length;
  return rounds < wanted ? { calls: [{ name: "work" }] } : "Done.";
});
const work = tool({
  name: "work",
  async execute() {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return "worked";
  },
});

const bills = new Map<string, number>();
const accounting = new Accounting({ perModelCall: 10, perToolCall: 1 }, (user, amount) => {
  bills.set(user, amount);
});
const agent = new Agent({ client, tools: [work], middleware: [accounting] });

// A hundred runs at once: each is billed for what it did itself.
await Promise.all(
  Array.from({ length: 100 }, (_, calls) => {
    const rounds = calls % 5;
    return agent.run(String(rounds), { principal: { id: `user ${calls}` } });
  }),
);
console.log(`user 3: ${bills.get("user 3")}`);

assert.equal(bills.size, 100);
for (let user = 0; user < 100; user++) {
  const rounds = user % 5;
  assert.equal(bills.get(`user ${user}`), (rounds + 1) * 10 + rounds);
}
