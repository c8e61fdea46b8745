import { Agent, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toGeminiContents } from "../src/index.js";
import { answer, askBothWays, message, stop, stored } from "./build.js";
import { either, streamed, wireServer } from "./wire-server.js";

/** What an answer in these chunks comes to, streamed and whole. */
async function read(...chunks: readonly object[]) {
  await using server = await wireServer(either(...chunks));
  return await askBothWays(server.client());
}

describe("how an answer ended", () => {
  it.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["LANGUAGE", "LANGUAGE"],
    ["OTHER", "OTHER"],
    ["A_NEW_REASON", "A_NEW_REASON"],
  ])("%s is %s", async (word, finishReason) => {
    const response = await read(answer([{ text: "a" }]), stop([], word));
    expect(response).toMatchObject({ finishReason, rawFinishReason: word });
    expect(response.contents).toEqual([{ type: "text", text: "a" }]);
  });

  it.each([
    "SAFETY",
    "RECITATION",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "MODEL_ARMOR",
  ])("%s is a refusal", async (word) => {
    expect(await read(answer([{ text: "a" }]), stop([], word))).toMatchObject({
      finishReason: "content_filter",
      rawFinishReason: word,
      contents: [
        { type: "text", text: "a" },
        { type: "error", code: `refusal_${word.toLowerCase()}` },
      ],
    });
  });

  it("a prompt that was blocked is a refusal, no exception", async () => {
    const blocked = {
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 7 },
      modelVersion: "gemini-3.5-flash",
    };
    expect(await read(blocked)).toEqual({
      contents: [
        {
          type: "error",
          message: "Gemini blocked the request: PROHIBITED_CONTENT.",
          code: "refusal_prohibited_content",
        },
      ],
      finishReason: "content_filter",
      rawFinishReason: "PROHIBITED_CONTENT",
      usage: { inputTokens: 7, outputTokens: 0, totalTokens: 7 },
      model: "gemini-3.5-flash",
    });
  });

  it.each(["MAX_TOKENS", "SAFETY"])("%s in a call: it never runs", async (word) => {
    const call = { functionCall: { name: "lamp", args: { room: "hall" } } };
    await using server = await wireServer(
      either(answer([{ text: "Well." }]), stop([call], word)),
      either(stop([{ text: "Shorter." }])),
    );
    let ran = 0;
    const lamp = tool({ name: "lamp", parameters: { type: "object" }, execute: () => `${++ran}` });
    for (const more of [{}, { onUpdate: () => {} }]) {
      server.restart();
      await new Agent({ client: server.client(), tools: [lamp] }).run("hi", more);
    }
    expect(ran).toBe(0);
  });

  it("what stands before the cut runs", async () => {
    const call = { functionCall: { name: "lamp", args: {} } };
    const { contents, finishReason } = await read(
      answer([call]),
      stop([{ text: "And" }], "MAX_TOKENS"),
    );
    expect(contents).toMatchObject([{ type: "function_call", arguments: {} }, { text: "And" }]);
    expect(finishReason).toBe("length");
  });

  it("MALFORMED_FUNCTION_CALL in a loop: with a retry around the client the run goes on", async () => {
    await using server = await wireServer(
      either(stop([], "MALFORMED_FUNCTION_CALL")),
      either(stop([{ text: "Now." }])),
    );
    const agent = new Agent({
      client: server.client(),
      middleware: [
        {
          name: "again",
          chat: async (_context, next) => {
            try {
              return await next();
            } catch (error) {
              if ((error as { retryable?: boolean }).retryable !== true) throw error;
              return await next();
            }
          },
        },
      ],
    });
    expect((await agent.run("hi")).text).toBe("Now.");
  });
});

describe("counts", () => {
  it("input with what its own tools read, output with thoughts, and the parts of both", async () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 155,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 80 },
        { modality: "AUDIO", tokenCount: 20 },
      ],
      candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 4 }],
    };
    const early = { usageMetadata: { promptTokenCount: 100, totalTokenCount: 100 } };
    const { usage } = await read(
      answer([{ text: "a" }], undefined, early),
      answer([], "STOP", { usageMetadata }),
    );
    expect(usage).toEqual({
      inputTokens: 105,
      outputTokens: 50,
      totalTokens: 155,
      cachedInputTokens: 60,
      reasoningTokens: 30,
      toolUseInputTokens: 5,
      inputAudioTokens: 20,
      outputAudioTokens: 4,
    });
  });

  it("ids, the model, and limits that a proxy tells", async () => {
    await using server = await wireServer((response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "x-ratelimit-remaining-requests": "9",
      });
      response.end(JSON.stringify(stop([{ text: "a" }])));
    });
    const asked = server.client().getResponse({ messages: [message("user", "hi")], options: {} });
    expect(await asked).toMatchObject({
      responseId: "r1",
      model: "gemini-3.5-flash",
      metadata: { rateLimits: { requests: { remaining: 9 } } },
    });
  });
});

describe("what the service's own tools did", () => {
  const parts = [
    {
      executableCode: { language: "PYTHON", code: "print(1)", id: "x1" },
      thoughtSignature: "VDE=",
    },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n", id: "x1" } },
    { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["q"] } } },
    { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: { n: 1 } } },
    { inlineData: { mimeType: "image/png", data: "aGk=" }, thoughtSignature: "VDI=" },
    { somethingNew: { deep: [1] }, thoughtSignature: "VDM=" },
    { text: "So." },
  ];

  it("comes as hosted calls and results, and goes back as it came", async () => {
    const { contents, finishReason } = await read(...parts.map((part) => answer([part])), stop());
    expect(finishReason).toBe("stop");
    expect(contents).toMatchObject([
      {
        type: "hosted_tool_call",
        callId: "x1",
        name: "code_execution",
        input: { code: "print(1)" },
      },
      {
        type: "hosted_tool_result",
        callId: "x1",
        name: "code_execution",
        output: { output: "1\n" },
      },
      { type: "hosted_tool_call", callId: "t1", name: "GOOGLE_SEARCH_WEB" },
      { type: "hosted_tool_result", callId: "t1", name: "GOOGLE_SEARCH_WEB" },
      { type: "data", mediaType: "image/png", data: "aGk=" },
      { type: "gemini_part" },
      { type: "text", text: "So." },
    ]);
    const log = stored([message("user", "hi"), message("assistant", ...contents)]);
    expect(toGeminiContents(log).contents[1]).toEqual({ role: "model", parts });
  });

  it("results find their calls by id, in whatever order they come", async () => {
    const { contents } = await read(
      answer([{ toolCall: { id: "t1", toolType: "URL_CONTEXT" } }]),
      answer([{ toolCall: { id: "t2", toolType: "GOOGLE_MAPS" } }]),
      answer([{ toolResponse: { id: "t1", toolType: "URL_CONTEXT" } }]),
      stop([{ toolResponse: { id: "t2", toolType: "GOOGLE_MAPS" } }]),
    );
    expect(contents).toMatchObject([
      { callId: "t1", name: "URL_CONTEXT" },
      { callId: "t2", name: "GOOGLE_MAPS" },
      { callId: "t1", name: "URL_CONTEXT" },
      { callId: "t2", name: "GOOGLE_MAPS" },
    ]);
  });

  it("a result without an id belongs to the call before it", async () => {
    const { contents } = await read(
      answer([{ executableCode: { language: "PYTHON", code: "1" } }]),
      stop([{ codeExecutionResult: { outcome: "OUTCOME_OK" } }]),
    );
    expect(contents).toMatchObject([{ callId: "made" }, { callId: "made" }]);
  });

  it("is not sent to others, and theirs not to Gemini, which is told", async () => {
    const notices: string[] = [];
    const foreign = message("assistant", {
      type: "hosted_tool_call",
      callId: "srv",
      name: "web_search",
      input: { query: "x" },
      providerData: { anthropic: { type: "server_tool_use" } },
    });
    const { contents } = toGeminiContents([message("user", "hi"), foreign], {
      notice: (code) => void notices.push(code),
    });
    expect(contents).toHaveLength(1);
    expect(notices).toEqual(["content_left_out"]);
  });

  it("sources stand at the end, are kept with the message and never sent", async () => {
    const groundingMetadata = { webSearchQueries: ["q"], groundingChunks: [] };
    const chunk = {
      candidates: [{ index: 0, content: { parts: [{ text: "a" }] }, groundingMetadata }],
    };
    const { contents } = await read(chunk, stop());
    expect(contents).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "", additionalProperties: { groundingMetadata } },
    ]);
    const log = [message("user", "hi"), message("assistant", ...contents)];
    expect(toGeminiContents(log).contents[1]?.parts).toEqual([{ text: "a" }]);
  });
});

describe("arguments that are streamed field by field", () => {
  const call = (functionCall: object, beside: object = {}) => answer([{ functionCall, ...beside }]);

  it("are put together", async () => {
    const { contents } = await read(
      call({ name: "book", id: "b1", willContinue: true }, { thoughtSignature: "VDE=" }),
      call({
        partialArgs: [{ jsonPath: "$.city", stringValue: "Ber", willContinue: true }],
        willContinue: true,
      }),
      call({ partialArgs: [{ jsonPath: "$.city", stringValue: "gen" }], willContinue: true }),
      call({
        partialArgs: [
          { jsonPath: "$.rooms[0].beds", numberValue: 2 },
          { jsonPath: "$.rooms[1]['the view']", boolValue: true },
          { jsonPath: "$.note", nullValue: "NULL_VALUE" },
          { jsonPath: "$.__proto__.x", stringValue: "own" },
        ],
        willContinue: true,
      }),
      call({}),
      call({ name: "lamp", args: {} }),
      stop(),
    );
    expect(contents).toHaveLength(2);
    const [first] = contents.flatMap((each) => (each.type === "function_call" ? [each] : []));
    expect(JSON.parse(JSON.stringify(first))).toEqual(
      JSON.parse(
        '{"type":"function_call","callId":"b1","name":"book","arguments":{"city":"Bergen","rooms":[{"beds":2},{"the view":true}],"note":null,"__proto__":{"x":"own"}},"providerData":{"gemini":{"thoughtSignature":"VDE=","id":"b1"}}}',
      ),
    );
    expect(Object.getPrototypeOf(first?.arguments)).toBe(Object.prototype);
  });

  it.each<[string, object[]]>([
    ["never came to their end", [{ name: "book", willContinue: true }]],
    [
      "name no place",
      [
        { name: "book", willContinue: true },
        { partialArgs: [{ jsonPath: "city", stringValue: "x" }] },
      ],
    ],
    ["have no name of a function", [{ args: { a: 1 } }]],
  ])("that %s are an error, no call", async (_, calls) => {
    const { contents } = await read(...calls.map((each) => call(each)), stop());
    expect(contents).toMatchObject([{ parseError: expect.any(String) }]);
    expect(contents[0]).not.toHaveProperty("arguments");
  });
});

it("a name on the wire comes back as the tool's own", async () => {
  await using server = await wireServer(async (response, one) => {
    const [tools] = one.body["tools"] as { functionDeclarations: { name: string }[] }[];
    const name = tools?.functionDeclarations[0]?.name;
    const asked = one.body.contents.length === 1;
    const part = asked ? { functionCall: { name, args: {} } } : { text: "Done." };
    await streamed(`data: ${JSON.stringify(stop([part]))}\n\n`)(response, one);
  });
  let ran = 0;
  const odd = tool({ name: "my tool!", parameters: { type: "object" }, execute: () => `${++ran}` });
  const agent = new Agent({ client: server.client(), tools: [odd] });
  expect((await agent.run("hi", { onUpdate: () => {} })).text).toBe("Done.");
  expect(ran).toBe(1);
});
