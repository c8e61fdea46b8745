import { Agent, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { answer, askBothWays, askStreamed, message, stop } from "./build.js";
import { asText, either, type Reply, streamed, whole, wireServer } from "./wire-server.js";

const lamp = (args?: unknown) => ({
  functionCall: { name: "lamp", ...(args !== undefined && { args }) },
});

describe("B04: calls without arguments", () => {
  it.each([
    ["absent", lamp()],
    ["null", lamp(null)],
    ["an empty object", lamp({})],
    ["an empty text", lamp("")],
    ["blank", lamp("  \n")],
  ])("%s mean {}", async (_, part) => {
    await using server = await wireServer(either(answer([part]), stop()));
    const { contents, finishReason } = await askBothWays(server.client());
    expect(contents).toEqual([
      { type: "function_call", callId: "made", name: "lamp", arguments: {} },
    ]);
    expect(finishReason).toBe("tool_calls");
  });

  it("broken ones are an argument error for the model, and the run goes on", async () => {
    await using server = await wireServer(
      either(answer([lamp('{"a')]), stop()),
      either(stop([{ text: "Sorry." }])),
    );
    let ran = 0;
    const agent = new Agent({
      client: server.client(),
      tools: [tool({ name: "lamp", parameters: { type: "object" }, execute: () => `${++ran}` })],
    });
    expect((await agent.run("hi")).text).toBe("Sorry.");
    expect(ran).toBe(0);
    const [response] = server.bodies[1]?.contents[2]?.parts ?? [];
    expect(response).toMatchObject({
      functionResponse: { name: "lamp", response: { error: expect.stringContaining('{"a') } },
    });
  });
});

describe("B06: a multi-byte character at the border of chunks", () => {
  const chunks = [answer([{ text: "naïve " }]), answer([{ text: "🦊" }]), stop()];

  it.each(["\n\n", "\r\n\r\n", "\r\r"])("cut at each byte, with ends of line %j", async (end) => {
    await using server = await wireServer(streamed(asText(chunks, end), 1));
    const { response, updates } = await askStreamed(server.client());
    expect(response.messages).toMatchObject([{ contents: [{ type: "text", text: "naïve 🦊" }] }]);
    expect(updates).toHaveLength(3);
  });

  it("an event that was cut off is told once, as a cut stream", async () => {
    await using server = await wireServer(streamed(asText(chunks).slice(0, -20)));
    await expect(askStreamed(server.client())).rejects.toMatchObject({
      code: "cut_stream",
      retryable: true,
    });
  });
});

it("B05: counts alone in the last chunk, and candidates that are empty or missing", async () => {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1 };
  for (const last of [{ usageMetadata }, { usageMetadata, candidates: [] }]) {
    await using server = await wireServer(
      streamed(asText([answer([{ text: "ok" }]), answer([], "STOP"), last])),
    );
    const { response } = await askStreamed(server.client());
    expect(response).toMatchObject({
      messages: [{ contents: [{ text: "ok" }] }],
      finishReason: "stop",
      usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 },
    });
  }
});

it("B09: calls spread over several chunks, with text between them", async () => {
  await using server = await wireServer(
    either(answer([lamp({ n: 1 })]), answer([{ text: "…" }]), answer([lamp({ n: 2 })]), stop()),
  );
  const { contents } = await askBothWays(server.client());
  expect(contents.map(({ type }) => type)).toEqual(["function_call", "text", "function_call"]);
});

describe("B10: arguments that are text", () => {
  it.each([
    ["(a) an object", { room: "hall" }, { room: "hall" }],
    ["JSON", '{"room":"hall"}', { room: "hall" }],
    ["(b) JSON of JSON", '"{\\"room\\":\\"hall\\"}"', { room: "hall" }],
    ["(c) an object with JSON in it", { payload: '{"x":1}' }, { payload: '{"x":1}' }],
  ])("%s", async (_, args, read) => {
    await using server = await wireServer(either(answer([lamp(args)]), stop()));
    expect((await askBothWays(server.client())).contents).toMatchObject([{ arguments: read }]);
  });

  it.each([
    ["a list", [1, 2]],
    ["a number", 7],
    ["a list as text", "[1,2]"],
  ])("(d) %s is an error for the model", async (_, args) => {
    await using server = await wireServer(either(answer([lamp(args)]), stop()));
    const { contents } = await askBothWays(server.client());
    expect(contents).toMatchObject([{ parseError: expect.stringContaining("JSON object") }]);
    expect(contents[0]).not.toHaveProperty("arguments");
  });
});

describe("B42: the reason and the contents disagree", () => {
  it.each(["STOP", "OTHER", "FINISH_REASON_UNSPECIFIED"])("%s with calls calls", async (word) => {
    await using server = await wireServer(either(answer([lamp()]), stop([], word)));
    expect(await askBothWays(server.client())).toMatchObject({
      finishReason: "tool_calls",
      rawFinishReason: word,
    });
  });

  it("an answer with nothing in it is an empty message, asked for once", async () => {
    await using server = await wireServer(either(stop()));
    const response = await new Agent({ client: server.client() }).run("hi");
    expect(response.finishReason).toBe("stop");
    expect(server.asked).toHaveLength(1);
  });
});

describe("contents behind the reason", () => {
  it("are part of the answer", async () => {
    await using server = await wireServer(
      streamed(asText([answer([{ text: "a" }], "STOP"), answer([{ text: "b" }])])),
    );
    const { response } = await askStreamed(server.client());
    expect(response.messages).toMatchObject([{ contents: [{ text: "ab" }] }]);
  });

  it("a connection that breaks there has taken nothing with it", async () => {
    const reply: Reply = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = asText([stop([{ text: "all" }])]);
      await new Promise<void>((sent) => response.write(text, () => sent()));
      response.write('data: {"cand', () => response.destroy());
    };
    await using server = await wireServer(reply);
    const { response } = await askStreamed(server.client());
    expect(response.messages).toMatchObject([{ contents: [{ text: "all" }] }]);
  });
});

it("only the first candidate is read", async () => {
  const two = {
    candidates: [
      { index: 1, content: { parts: [{ text: "no" }] }, finishReason: "STOP" },
      { index: 0, content: { parts: [{ text: "yes" }] }, finishReason: "STOP" },
    ],
  };
  await using server = await wireServer(whole(two));
  const response = await server
    .client()
    .getResponse({ messages: [message("user", "hi")], options: {} });
  expect(response.messages).toMatchObject([{ contents: [{ text: "yes" }] }]);
});
