import {
  Agent,
  type AgentResponse,
  AgentSession,
  type ChatClient,
  dataContent,
  foldUpdates,
  textOf,
  tool,
  type Update,
} from "@tunic/core";

/** One thing that a service must be able to do; throws an `Error` that says what went wrong. */
export interface Scenario {
  readonly name: string;
  run(client: ChatClient): Promise<void>;
}

/** A square of 8 by 8 red pixels. */
const redSquare =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII=";

const calls: string[] = [];
const add = tool({
  // A name that no service takes as it is: it has to come back as it was.
  name: "math.add numbers",
  description: "Adds two whole numbers.",
  parameters: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" }, comment: { type: "string" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  execute({ a, b }) {
    calls.push(`${a}+${b}`);
    return String(a + b);
  },
});

const camera = tool({
  name: "take_picture",
  description: "Takes a picture and returns it.",
  execute: () => dataContent(redSquare, "image/png"),
});

const options = { maxTokens: 4000 };

export const scenarios: readonly Scenario[] = [
  {
    name: "answers with text, and says how many tokens it took",
    async run(client) {
      const response = await new Agent({ client, options }).run("Say the word: orchid");
      has(response.text.toLowerCase(), "orchid");
      check((response.usage?.totalTokens ?? 0) > 0, "there are no counts of tokens");
      check(response.finishReason === "stop", `the finish reason is ${response.finishReason}`);
    },
  },
  {
    name: "streams what it answers",
    async run(client) {
      const updates: Update[] = [];
      const response = await new Agent({ client, options }).run(
        "Count from one to twenty in words.",
        {
          onUpdate: (update) => updates.push(update),
        },
      );
      has(response.text.toLowerCase(), "twenty");
      const fold = foldUpdates(updates);
      same(fold.messages, response.messages);
      check(updates.length > 2, `it came in ${updates.length} updates`);
    },
  },
  {
    name: "calls a tool with an odd name and an optional argument",
    async run(client) {
      calls.length = 0;
      const agent = new Agent({ client, tools: add, options });
      const response = await agent.run("What is 1234 plus 4321? Use the tool.");
      has(response.text.replaceAll(/[,. ]/g, ""), "5555");
      same(calls, ["1234+4321"]);
    },
  },
  {
    name: "makes several calls in one answer, streamed",
    async run(client) {
      calls.length = 0;
      const agent = new Agent({ client, tools: add, options });
      const response = await agent.run(
        "Add 10 and 1, add 20 and 2, and add 30 and 3: make all three calls at the same time, then give the three sums.",
        { onUpdate: () => {} },
      );
      for (const sum of ["11", "22", "33"]) has(response.text, sum);
      same([...calls].sort(), ["10+1", "20+2", "30+3"]);
    },
  },
  {
    name: "must call the tool that toolChoice names",
    async run(client) {
      calls.length = 0;
      const agent = new Agent({ client, tools: [add, camera], options });
      await agent.run("Hello! (2 and 3)", {
        options: { ...options, toolChoice: { name: add.name } },
      });
      check(calls.length > 0, "the tool was not called");
    },
  },
  {
    name: "calls nothing with toolChoice none",
    async run(client) {
      calls.length = 0;
      const agent = new Agent({ client, tools: add, options });
      const response = await agent.run("What is 2 plus 3?", {
        options: { ...options, toolChoice: "none" },
      });
      check(calls.length === 0, "a tool was called");
      check(response.text !== "", "there is no text");
    },
  },
  {
    name: "answers in the form of a schema, with tools beside it",
    async run(client) {
      const schema = {
        type: "object",
        properties: {
          sum: { type: "integer" },
          parts: { type: "array", items: { type: "integer" } },
          remark: { type: "string" },
        },
        required: ["sum", "parts"],
        additionalProperties: false,
      } as const;
      const agent = new Agent({ client, tools: add, options });
      const { value } = await agent.run("Add 40 and 2 with the tool and report it.", {
        options: { ...options, responseFormat: { type: "json_schema", schema } },
      });
      same([value.sum, value.parts], [42, [40, 2]]);
    },
  },
  {
    name: "sees pictures, given and in the result of a tool",
    async run(client) {
      const agent = new Agent({ client, tools: camera, options });
      const given = await agent.run([
        { type: "text", text: "Which colour is this square? One word." },
        dataContent(redSquare, "image/png"),
      ]);
      has(given.text.toLowerCase(), "red");
      const taken = await agent.run("Take a picture and tell me which colour you see. One word.");
      has(taken.text.toLowerCase(), "red");
    },
  },
  {
    name: "goes on with a conversation that was stored, tools and thoughts included",
    async run(client) {
      calls.length = 0;
      const agent = new Agent({ client, tools: add, options });
      const session = new AgentSession();
      await agent.run("My number is 70. Add 7 to it with the tool.", { session });
      const stored = JSON.parse(JSON.stringify(session));
      const response = await agent.run(
        "Which number did I give you, and what was the sum? No tool.",
        {
          session: AgentSession.fromJSON(stored),
        },
      );
      has(response.text, "70");
      has(response.text, "77");
    },
  },
  {
    name: "stops in the middle of a stream when it is told to",
    async run(client) {
      const reason = new Error("enough");
      const controller = new AbortController();
      const asked = new Agent({ client, options }).run("Write a long story about a lighthouse.", {
        signal: controller.signal,
        onUpdate(update) {
          if (update.type === "delta") controller.abort(reason);
        },
      });
      const rejected = await asked.then(
        (response) => `an answer: ${textsOf(response)}`,
        (error: unknown) => error,
      );
      check(rejected === reason, `it came to ${String(rejected)}`);
    },
  },
];

function textsOf({ messages }: AgentResponse): string {
  return messages.map(textOf).join(" | ");
}

function has(text: string, part: string): void {
  check(
    text.includes(part),
    `${JSON.stringify(part)} is not in ${JSON.stringify(text.slice(0, 300))}`,
  );
}

function same(actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${a} is not ${b}`);
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(problem);
}
