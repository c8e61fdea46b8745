import type { Message } from "@tunic/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OpenAIChatClient, toOpenAIMessages } from "../src/index.js";
import { toWireName } from "../src/tool-names.js";
import { completion, message, request, result, tool } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;
let origin: string;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
  origin = new URL(server.url).host;
});
afterAll(() => server.stop());

const tools = ["lamp", "gauge.read", "天気"].map((name) => tool(name));
const text = fc.string({ unit: "grapheme", minLength: 1 });
const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });

const calls = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 40 }),
    name: fc.constantFrom(...tools.map(({ name }) => toWireName(name))),
    args: json,
    extra: fc.option(json, { nil: undefined }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 3 },
);

const details = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("reasoning.text"), text, signature: text }),
    fc.record({ type: fc.constant("reasoning.summary"), summary: text }),
    fc.record({ type: fc.constant("reasoning.encrypted"), data: text, id: text }),
  ),
  { minLength: 1, maxLength: 4 },
);

const reasoning = fc.oneof(
  fc.constant({}),
  text.map((each) => ({ reasoning_content: each })),
  text.map((each) => ({ reasoning: each })),
  fc.tuple(text, details).map(([each, list]) => ({ reasoning: each, reasoning_details: list })),
);

/** A message as a service may answer it, and the same as it wants it back. */
const answers = fc
  .record({
    content: fc.option(text),
    refusal: fc.option(text),
    calls: fc.option(calls),
    reasoning,
    audio: fc.option(fc.record({ id: text, transcript: text })),
  })
  .filter((each) => each.content !== null || each.refusal !== null || each.calls !== null)
  .map((each) => {
    const { content, refusal, reasoning: thought } = each;
    const tool_calls = each.calls?.map(({ id, name, args, extra }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
      ...(extra && { extra_content: extra }),
    }));
    // Where there is text, there is no speech.
    const audio = content === null ? each.audio : null;
    const { reasoning: shown, ...rest } = { reasoning: undefined, ...thought };
    const wanted = "reasoning_details" in thought || shown === undefined ? rest : thought;
    return {
      wire: {
        content,
        refusal,
        ...thought,
        ...(tool_calls && { tool_calls }),
        ...(audio && { audio: { ...audio, data: "AQID", expires_at: 2_000_000_000 } }),
      },
      back: {
        role: "assistant",
        content,
        ...(refusal !== null && { refusal }),
        ...(tool_calls && { ...wanted, tool_calls }),
        ...(audio && { audio: { id: audio.id } }),
      },
    };
  });

it("an answer loses nothing of what has to go back, on the way through a store too", async () => {
  await fc.assert(
    fc.asyncProperty(answers, async (given) => {
      // As JSON says it, which knows no -0.
      const { wire, back }: typeof given = JSON.parse(JSON.stringify(given));
      server.reply({ body: completion(wire, wire.tool_calls ? "tool_calls" : "stop") });
      const response = await client.getResponse(request(undefined, { tools }));
      const stored: Message[] = JSON.parse(JSON.stringify(response.messages));
      for (const messages of [response.messages, stored]) {
        expect(toOpenAIMessages(messages, { replay: { origin, now: 0 } })).toEqual([back]);
      }
      // The service takes what it is sent.
      const ids = wire.tool_calls?.map(({ id }) => id) ?? [];
      server.reply({ body: completion({ content: "ok" }) });
      await client.getResponse(
        request([
          message("user", "Go"),
          ...stored,
          message("tool", ...ids.map((id) => result(id, "on"))),
        ]),
      );
    }),
    { numRuns: 100 },
  );
}, 60_000);
