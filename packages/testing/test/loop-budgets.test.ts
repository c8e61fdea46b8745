import { Agent, AgentSession, functionResultContent, type LimitName, tool } from "@tunic/core";
import { type ScriptedAnswer, ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultsIn, resultTexts } from "./support/outline.js";
import { inBothManners } from "./support/play.js";
import { ask, broken, lamp, lampIn, ping } from "./support/tools.js";

const always: ScriptedTurn = { calls: [{ name: "ping" }] };
const fallback = (limit: LimitName) =>
  `assistant: The run reached its limit (${limit}) before there was a final answer.`;

describe("maxIterations", () => {
  inBothManners((play) => {
    it("is the number of round trips that may run tools; then one closing call", async () => {
      const { response, requests } = await play({
        turns: [always, always, "so far", always],
        agent: { tools: ping, invocation: { maxIterations: 2 } },
      });
      expect(requests).toHaveLength(3);
      expect(resultTexts(response.messages)).toEqual(["pong", "pong"]);
      expect(response).toMatchObject({ outcome: "limit", limit: "maxIterations", text: "so far" });
    });

    it("is not touched by an answer that comes in time", async () => {
      const { response, requests } = await play({
        turns: [always, "done"],
        agent: { tools: ping, invocation: { maxIterations: 2 } },
      });
      expect(requests).toHaveLength(2);
      expect([response.outcome, response.limit]).toEqual(["completed", undefined]);
    });

    it("is 40 where nothing is said", async () => {
      const { requests } = await play({
        turns: ({ options }) => (options.toolChoice === "none" ? "stop" : always),
        agent: { tools: ping },
      });
      expect(requests).toHaveLength(41);
    });

    it("closes with the same tools object and without a choice, so that prompt caches hold", async () => {
      const { requests } = await play({
        turns: [always, "closing"],
        agent: { tools: [ping, lamp], invocation: { maxIterations: 1 } },
      });
      const [first, closing] = requests;
      expect(closing?.options.tools).toBe(first?.options.tools);
      expect(closing?.options).toEqual({ ...first?.options, toolChoice: "none" });
      expect(closing?.messages.slice(0, 1)).toEqual(first?.messages);
    });

    it("answers calls that come all the same, and runs none of them", async () => {
      const { response, requests } = await play({
        turns: [
          always,
          { text: "but", calls: [{ name: "ping" }, lampIn("hall"), { name: "zzz" }] },
          "never",
        ],
        agent: { tools: [ping, lamp], invocation: { maxIterations: 1 } },
      });
      expect(outline(response.messages)).toEqual([
        "assistant: ping({})",
        "tool: pong",
        'assistant: but | ping({}) | lamp({"room":"hall"}) | zzz({})',
        `tool: ${Array.from({ length: 3 }, () => "!Error: not run: limit reached (maxIterations).").join(" | ")}`,
      ]);
      expect(requests).toHaveLength(2);
    });

    const nothings: readonly (readonly [string, ScriptedAnswer])[] = [
      ["an empty answer", {}],
      ["a blank answer", { text: " \n " }],
      ["reasoning alone", { reasoning: "what now?" }],
      ["calls alone", { calls: [{ name: "ping" }] }],
    ];
    it.each(nothings)(
      "%s as the closing one is followed by a fallback text",
      async (_kind, closing) => {
        const { response } = await play({
          turns: [always, closing],
          agent: { tools: ping, invocation: { maxIterations: 1 } },
        });
        expect(outline(response.messages).at(-1)).toBe(fallback("maxIterations"));
        expect(response).toMatchObject({ outcome: "limit", limit: "maxIterations" });
      },
    );

    const visible: readonly (readonly [string, ScriptedAnswer])[] = [
      ["text", { text: "well" }],
      ["an image", { contents: [{ type: "data", data: "AAAA", mediaType: "image/png" }] }],
      [
        "an address",
        { contents: [{ type: "uri", uri: "https://a.example/", mediaType: "text/html" }] },
      ],
      ["a refusal", { contents: [{ type: "error", message: "no" }] }],
    ];
    it.each(visible)("%s as the closing answer stands as it is", async (_kind, closing) => {
      const { response } = await play({
        turns: [always, closing],
        agent: { tools: ping, invocation: { maxIterations: 1 } },
      });
      expect(response.messages).toHaveLength(3);
    });
  });
});

describe("maxFunctionCalls", () => {
  inBothManners((play) => {
    it("is given out in call order, whatever else is in the batch", async () => {
      const { response } = await play({
        turns: [
          {
            calls: [
              { name: "nowhere" },
              { name: "lamp", arguments: {} },
              lampIn("a"),
              { name: "broken" },
              lampIn("b"),
            ],
          },
          "enough",
        ],
        agent: { tools: [lamp, broken], invocation: { maxFunctionCalls: 2 } },
      });
      // What does not run costs nothing; what runs and fails does.
      expect(resultsIn(response.messages).map((result) => result.error?.code)).toEqual([
        "unknown_tool",
        "invalid_arguments",
        undefined,
        "function_failed",
        "limit_reached",
      ]);
      expect(response.limit).toBe("maxFunctionCalls");
    });

    it("holds over rounds, exactly", async () => {
      const { response, requests } = await play({
        turns: [always, { calls: [lampIn("a"), lampIn("b"), lampIn("c")] }, "enough"],
        agent: { tools: [ping, lamp], invocation: { maxFunctionCalls: 3 } },
      });
      expect(resultsIn(response.messages).filter((result) => !result.isError)).toHaveLength(3);
      expect(requests).toHaveLength(3);
    });

    it("that is just enough still closes: nothing more could run", async () => {
      const { response, requests } = await play({
        turns: [{ calls: [lampIn("a"), lampIn("b")] }, "both lit"],
        agent: { tools: lamp, invocation: { maxFunctionCalls: 2 } },
      });
      expect(requests[1]?.options.toolChoice).toBe("none");
      expect(response).toMatchObject({ outcome: "limit", text: "both lit" });
    });

    it("is without a bound where nothing is said", async () => {
      const calls = Array.from({ length: 100 }, (_, at) => lampIn(`${at}`));
      const { response } = await play({ turns: [{ calls }, "done"], agent: { tools: lamp } });
      expect(resultsIn(response.messages).some((result) => result.isError)).toBe(false);
    });

    it("blank closing answers get the fallback, too", async () => {
      const { response } = await play({
        turns: [always, {}],
        agent: { tools: ping, invocation: { maxFunctionCalls: 1 } },
      });
      expect(outline(response.messages).at(-1)).toBe(fallback("maxFunctionCalls"));
    });
  });
});

describe("maxConsecutiveErrors", () => {
  inBothManners((play) => {
    it.each([
      [0, 1],
      [1, 1],
      [2, 2],
      [undefined, 3],
    ])("%s stops after %s failing batches", async (maxConsecutiveErrors, batches) => {
      const { response, requests } = await play({
        turns: ({ options }) =>
          options.toolChoice === "none" ? "sorry" : { calls: [{ name: "broken" }] },
        agent: {
          tools: broken,
          invocation: maxConsecutiveErrors === undefined ? {} : { maxConsecutiveErrors },
        },
      });
      expect(requests).toHaveLength(batches + 1);
      expect(response).toMatchObject({ limit: "maxConsecutiveErrors", text: "sorry" });
    });

    it("with 0, a batch of which one call works goes on", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "broken" }, { name: "ping" }] }, "done"],
        agent: { tools: [broken, ping], invocation: { maxConsecutiveErrors: 0 } },
      });
      expect(response.outcome).toBe("completed");
    });
  });
});

describe("maxTotalTokens", () => {
  const step = { calls: [{ name: "ping" }], usage: { inputTokens: 6, outputTokens: 4 } };

  inBothManners((play) => {
    it("is checked before each step, on the sum so far", async () => {
      const { response, requests } = await play({
        turns: [step, step, { text: "enough", usage: { totalTokens: 7 } }],
        agent: { tools: ping, invocation: { maxTotalTokens: 20 } },
      });
      expect(requests).toHaveLength(3);
      expect(response).toMatchObject({ outcome: "limit", limit: "maxTotalTokens", text: "enough" });
    });

    it("goes by the service's own total where it gives one", async () => {
      const { requests } = await play({
        turns: [
          { calls: [{ name: "ping" }], usage: { inputTokens: 1, totalTokens: 50 } },
          "enough",
        ],
        agent: { tools: ping, invocation: { maxTotalTokens: 50 } },
      });
      expect(requests[1]?.options.toolChoice).toBe("none");
    });
  });
});

describe("a tool's own limits", () => {
  inBothManners((play) => {
    it("maxInvocations: exact in a batch, and over rounds", async () => {
      const twice = tool({ name: "twice", maxInvocations: 2, execute: () => "ran" });
      const call = { name: "twice" };
      const { response } = await play({
        turns: [
          { calls: [call] },
          { calls: [call, call, { name: "ping" }] },
          { calls: [call, { name: "ping" }] },
          "done",
        ],
        agent: { tools: [twice, ping] },
      });
      const over = "Error: not run: limit reached (maxInvocations).";
      expect(resultTexts(response.messages)).toEqual(["ran", "ran", over, "pong", over, "pong"]);
      expect(response.outcome).toBe("completed");
    });

    it("maxInvocationExceptions: thrown, rejected and returned failures count, successes do not", async () => {
      const ways = [
        () => "fine",
        () => {
          throw new Error("thrown");
        },
        () => Promise.reject(new Error("rejected")),
        () => new Error("returned"),
        () => "never",
      ];
      let way = 0;
      const frail = tool({
        name: "frail",
        maxInvocationExceptions: 3,
        execute: () => ways[way++]?.(),
      });
      const call = { calls: [{ name: "frail" }] };
      const { response } = await play({
        turns: [call, call, call, call, call, "done"],
        agent: { tools: frail, invocation: { maxConsecutiveErrors: 10 } },
      });
      expect(resultsIn(response.messages).map((result) => result.error?.code ?? "ok")).toEqual([
        "ok",
        "function_failed",
        "function_failed",
        "tool_error",
        "limit_reached",
      ]);
      expect(way).toBe(4);
    });
  });
});

describe("a run inside a run", () => {
  const inner = (turns: ScriptedTurn[]) =>
    new Agent({ name: "inner", client: new ScriptedChatClient(turns), tools: [lamp] });
  const delegate = { calls: [{ name: "inner", arguments: { task: "t" } }] };

  inBothManners((play) => {
    it("takes its calls from what the outer one has left", async () => {
      const child = inner([{ calls: [lampIn("a"), lampIn("b"), lampIn("c")] }, "two were lit"]);
      const { response } = await play({
        turns: [delegate, "enough"],
        agent: { tools: child.asTool(), invocation: { maxFunctionCalls: 3 } },
      });
      // One call is the delegation itself.
      expect(resultTexts(response.messages)).toEqual(["two were lit"]);
      expect(response.limit).toBe("maxFunctionCalls");
    });

    it("its tokens count at the outer one", async () => {
      const child = inner([{ text: "cheap?", usage: { totalTokens: 100 } }]);
      const { response, requests } = await play({
        turns: [delegate, "enough"],
        agent: { tools: child.asTool(), invocation: { maxTotalTokens: 100 } },
      });
      expect(requests).toHaveLength(2);
      expect(response).toMatchObject({ limit: "maxTotalTokens", usage: { totalTokens: 100 } });
    });

    it("has limits of its own as well", async () => {
      const child = new Agent({
        name: "inner",
        client: new ScriptedChatClient([{ calls: [lampIn("a")] }, "I had to stop"]),
        tools: lamp,
        invocation: { maxIterations: 1 },
      });
      const { response } = await play({
        turns: [delegate, "done"],
        agent: { tools: child.asTool() },
      });
      expect(resultTexts(response.messages)).toEqual(["I had to stop"]);
      expect(response.outcome).toBe("completed");
    });
  });
});

it("a paused run takes its counters along, round trips and tokens included", async () => {
  const session = new AgentSession();
  const agentWith = (turns: ScriptedTurn[]) =>
    new Agent({
      client: new ScriptedChatClient(turns),
      tools: [ask, ping],
      invocation: { maxIterations: 2, maxTotalTokens: 100 },
    });
  const question = { calls: [{ name: "ask", id: "q" }], usage: { totalTokens: 30 } };
  await agentWith([question]).run("go", { session });
  expect(session.paused).toEqual({ iterations: 1, functionCalls: 0, tokens: 30 });
  const answer = functionResultContent("q", "yes");
  const response = await agentWith([always, "closing"]).run(answer, { session });
  expect(response).toMatchObject({ limit: "maxIterations", text: "closing" });
  expect(session.paused).toBeUndefined();
});
