import { readdirSync, readFileSync } from "node:fs";
import type { ChatResponse, Content, FunctionCallContent } from "@tunic/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { chunk, completion, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterAll(() => server.stop());

/** All of a response but the ids and times that are ours. */
function answerOf(response: ChatResponse): unknown {
  const messages = response.messages.map(({ role, contents }) => ({
    role,
    contents: contents.map(withoutOurId),
  }));
  return { ...response, messages };
}

function withoutOurId(content: Content): Content | Omit<FunctionCallContent, "callId"> {
  if (content.type === "text_reasoning") return { type: content.type, text: content.text };
  if (content.type !== "function_call" || content.callId.length < 20) return content;
  const { callId: _, ...rest } = content;
  return rest;
}

const fixtures = new URL("./fixtures/", import.meta.url);

describe("the same answer, streamed and whole", () => {
  it.each(readdirSync(fixtures).filter((name) => name.endsWith(".json")))(
    "is the same response: %s",
    async (name) => {
      const { chunks, whole, contents } = JSON.parse(readFileSync(new URL(name, fixtures), "utf8"));
      server.reply({ chunks }, { body: whole });
      const streamed = await stream(client, request());
      expect(answerOf(streamed)).toEqual(answerOf(await client.getResponse(request())));
      expect(streamed.messages[0]?.contents.map(withoutOurId)).toEqual(contents);
    },
  );

  it("is read from a server that cannot stream", async () => {
    server.reply({ body: completion({ content: "All at once." }) });
    const response = await stream(client, request());
    expect(response.messages).toMatchObject([{ contents: [{ text: "All at once." }] }]);
  });

  it("is read from a server that repeats the message behind its deltas", async () => {
    const last = completion({ content: "Once." });
    server.reply({ chunks: [chunk({ content: "Once." }), last] });
    const response = await stream(client, request());
    expect(response.messages).toMatchObject([{ contents: [{ text: "Once." }] }]);
  });
});

interface Answer {
  readonly reasoning: string;
  readonly content: string;
  readonly refusal: string;
  readonly calls: readonly { name: string; text: string }[];
}

const answers: fc.Arbitrary<Answer> = fc.record({
  reasoning: fc.string({ unit: "grapheme" }),
  content: fc.string({ unit: "grapheme" }),
  refusal: fc.oneof(fc.constant(""), fc.string()),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("lamp", "gauge", "list_ports"),
      text: fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
        fc.constantFrom("", '{"a', "[1]", JSON.stringify('{"a":1}')),
      ),
    }),
    { maxLength: 3 },
  ),
});

function wholeOf({ reasoning, content, refusal, calls }: Answer): object {
  return completion({
    content: content || null,
    reasoning_content: reasoning || null,
    refusal: refusal || null,
    tool_calls: calls.map(({ name, text }, index) => ({
      id: `c${index}`,
      type: "function",
      function: { name, arguments: text },
    })),
  });
}

/** The deltas of an answer; `cutAt` says where each text is cut, calls take turns. */
function deltasOf(answer: Answer, cut: (text: string) => string[]): object[] {
  const calls = answer.calls.map(({ name, text }, index) => [
    { index, id: `c${index}`, type: "function", function: { name, arguments: "" } },
    ...cut(text).map((piece) => ({ index, function: { arguments: piece } })),
  ]);
  const turns = Array.from(
    { length: Math.max(0, ...calls.map((each) => each.length)) },
    (_, turn) => calls.flatMap((each) => each[turn] ?? []),
  );
  return [
    { role: "assistant", content: null },
    ...cut(answer.reasoning).map((piece) => ({ reasoning_content: piece })),
    ...cut(answer.content).map((piece) => ({ content: piece })),
    ...cut(answer.refusal).map((piece) => ({ refusal: piece })),
    ...turns.map((fragments) => ({ tool_calls: fragments })),
  ];
}

function cutter(
  sizes: readonly number[],
): <Sliced extends string | Uint8Array>(text: Sliced) => Sliced[] {
  return (text) => {
    const pieces: (typeof text)[] = [];
    for (let at = 0, turn = 0; at < text.length; turn++) {
      const end = at + (sizes[turn % sizes.length] ?? 1);
      pieces.push(text.slice(at, end) as typeof text);
      at = end;
    }
    return pieces;
  };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

it("any answer, cut anywhere into deltas and packets, is the whole answer", async () => {
  await fc.assert(
    fc.asyncProperty(answers, sizes, sizes, async (answer, textSizes, byteSizes) => {
      const deltas = deltasOf(answer, cutter(textSizes));
      const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, "stop")];
      server.reply({ chunks, cut: cutter(byteSizes) }, { body: wholeOf(answer) });
      const streamed = await stream(client, request());
      expect(answerOf(streamed)).toEqual(answerOf(await client.getResponse(request())));
    }),
    { numRuns: 60 },
  );
}, 60_000);
