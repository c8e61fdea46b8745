import { Agent, AgentSession, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toGeminiContents } from "../src/index.js";
import { answer, askBothWays, call, message, result, stop, stored } from "./build.js";
import { either, wireServer } from "./wire-server.js";

const unsigned = "skip_thought_signature_validator";
const user = message("user", "Light, please.");
const results = message("tool", result("a", "on"), result("b", "on"));
const wire = (...log: Parameters<typeof toGeminiContents>[0]) =>
  toGeminiContents(stored(log), { model: "gemini-3.5-flash" }).contents;

describe("B14: parallel results, texts around them, empty texts", () => {
  it("gives one user content, responses first and in the order of the calls", () => {
    const { contents } = toGeminiContents(
      [
        user,
        message("assistant", "", call("a"), call("b", "gauge")),
        message("user", "(Be quick.)"),
        message("tool", result("b", [], { isError: true })),
        message("tool", result("a", "on")),
        message("user", "", "And tomorrow?"),
      ],
      { model: "gemini-2.5-flash" },
    );
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "Light, please." }] },
      {
        role: "model",
        parts: [
          { functionCall: { name: "lamp", args: {} } },
          { functionCall: { name: "gauge", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "lamp", response: { output: "on" } } },
          {
            functionResponse: {
              name: "gauge",
              response: { error: "Error: the call failed and gave no reason." },
            },
          },
          { text: "(Be quick.)" },
          { text: "And tomorrow?" },
        ],
      },
    ]);
  });
});

describe("B15, T8: signatures of parallel calls, and one content for all of them", () => {
  const parts = [
    { functionCall: { name: "lamp", args: { n: 1 } }, thoughtSignature: "VDE=" },
    { functionCall: { name: "lamp", args: { n: 2 } } },
  ];

  it.each([
    ["in one chunk", [answer(parts), stop()]],
    ["(b) in two", [answer(parts.slice(0, 1)), answer(parts.slice(1)), stop()]],
  ])("go back on the very call, in one content, %s", async (_, chunks) => {
    await using server = await wireServer(either(...chunks), either(stop([{ text: "Done." }])));
    const lamp = tool({
      name: "lamp",
      parameters: { type: "object", properties: { n: { type: "integer" } } },
      execute: ({ n }) => `lamp ${n} is on`,
    });
    for (const streams of [true, false]) {
      const before = server.asked.length;
      const agent = new Agent({ client: server.client(), tools: [lamp] });
      const session = new AgentSession();
      await agent.run("Light, please.", { session, ...(streams && { onUpdate: () => {} }) });
      expect(server.bodies[before + 1]?.contents.slice(1)).toEqual([
        { role: "model", parts },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "lamp", response: { output: "lamp 1 is on" } } },
            { functionResponse: { name: "lamp", response: { output: "lamp 2 is on" } } },
          ],
        },
      ]);
      const loaded = AgentSession.fromJSON(stored(session.toJSON()));
      await agent.run("Thanks.", { session: loaded });
      expect(server.bodies.at(-1)?.contents[1]).toEqual({ role: "model", parts });
      server.restart();
    }
  });

  it("(c) of another vendor's calls: the stand-in is on the first of the current step only", () => {
    const step = message("assistant", call("a"), call("b"));
    const sent = wire(user, step, results);
    expect(sent[1]?.parts?.map((part) => part.thoughtSignature)).toEqual([unsigned, undefined]);
  });

  it("(c) each step since the user spoke last has it, none before", () => {
    const sent = wire(
      user,
      message("assistant", call("a")),
      message("tool", result("a", "on")),
      message("assistant", "It is on."),
      message("user", "And the attic."),
      message("assistant", call("b")),
      message("tool", result("b", "on")),
      message("assistant", call("c")),
      message("tool", result("c", "on")),
    );
    const signatures = sent.flatMap(({ parts: each = [] }) =>
      each.flatMap((part) => (part.functionCall ? [part.thoughtSignature] : [])),
    );
    expect(signatures).toEqual([undefined, unsigned, unsigned]);
  });

  it("(c) never where the step has a signature of its own, on whichever call", () => {
    const step = message(
      "assistant",
      call("a"),
      call("b", "lamp", {}, { thoughtSignature: "VDI=" }),
    );
    const sent = wire(user, step, results);
    expect(sent[1]?.parts?.map((part) => part.thoughtSignature)).toEqual([undefined, "VDI="]);
  });

  it.each(["gemini-2.5-flash", "gemini-2.0-flash", "tunedModels/mine"])(
    "(c) never for %s",
    (model) => {
      const step = message("assistant", call("a"), call("b"));
      const { contents } = toGeminiContents([user, step, results], { model });
      expect(JSON.stringify(contents)).not.toContain(unsigned);
    },
  );

  it.each([
    "gemini-3-pro-preview",
    "publishers/google/models/gemini-3.1-pro",
    "gemini-flash-latest",
  ])("(c) for %s", (model) => {
    const step = message("assistant", call("a"), call("b"));
    const { contents } = toGeminiContents([user, step, results], { model });
    expect(contents[1]?.parts?.[0]?.thoughtSignature).toBe(unsigned);
  });
});

describe("signatures elsewhere", () => {
  it("of texts, of thoughts, and on an empty part at the end go back on their places", async () => {
    const chunks = [
      answer([{ text: "Hm.", thought: true }]),
      answer([{ text: "One " }]),
      answer([{ text: "two" }]),
      answer([{ text: " three", thoughtSignature: "VDE=" }]),
      answer([{ text: "four" }]),
      stop([{ text: "", thoughtSignature: "VDI=" }]),
    ];
    await using server = await wireServer(either(...chunks));
    const { contents } = await askBothWays(server.client());
    expect(contents).toEqual([
      { type: "text_reasoning", text: "Hm." },
      { type: "text", text: "One two" },
      { type: "text", text: " three", providerData: { gemini: { thoughtSignature: "VDE=" } } },
      { type: "text", text: "four" },
      { type: "text", text: "", providerData: { gemini: { thoughtSignature: "VDI=" } } },
    ]);
    const log = [user, message("assistant", ...contents), message("user", "Go on.")];
    expect(wire(...log)[1]).toEqual({
      role: "model",
      parts: [
        { text: "One two" },
        { text: " three", thoughtSignature: "VDE=" },
        { text: "four" },
        { text: "", thoughtSignature: "VDI=" },
      ],
    });
  });

  it("a signed thought keeps its signature and not its text; another vendor's thought is not sent", () => {
    const thought = { type: "text_reasoning", text: "Hm." } as const;
    const sent = wire(
      user,
      message(
        "assistant",
        { ...thought, providerData: { gemini: { thoughtSignature: "VDE=" } } },
        { ...thought, providerData: { anthropic: { signature: "S" } } },
        thought,
        "So.",
      ),
    );
    expect(sent[1]?.parts).toEqual([
      { text: "", thought: true, thoughtSignature: "VDE=" },
      { text: "So." },
    ]);
    expect(JSON.stringify(sent)).not.toContain("Hm.");
  });
});

describe("B12 (d), T9: a conversation that another vendor's model began", () => {
  it("goes on with texts, calls and results, and with nothing of that vendor's own", () => {
    const sent = wire(
      user,
      message("assistant", {
        ...call("toolu_1", "my tool"),
        providerData: { anthropic: { id: "toolu_1" }, openai: { itemId: "fc_1" } },
      }),
      message("tool", result("toolu_1", "on")),
    );
    expect(sent.slice(1)).toEqual([
      {
        role: "model",
        parts: [
          {
            functionCall: { name: expect.stringMatching(/^my_tool_[0-9a-f]{8}$/), args: {} },
            thoughtSignature: unsigned,
          },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              name: expect.stringMatching(/^my_tool_[0-9a-f]{8}$/),
              response: { output: "on" },
            },
          },
        ],
      },
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/toolu_1|fc_1/);
  });

  it("ids of the service's own go back on call and response", () => {
    const sent = wire(
      user,
      message("assistant", call("call_9", "lamp", {}, { id: "fc-1", thoughtSignature: "VDE=" })),
      message("tool", result("call_9", "on")),
    );
    expect(sent[1]?.parts).toEqual([
      { functionCall: { id: "fc-1", name: "lamp", args: {} }, thoughtSignature: "VDE=" },
    ]);
    expect(sent[2]?.parts).toEqual([
      { functionResponse: { id: "fc-1", name: "lamp", response: { output: "on" } } },
    ]);
  });
});
