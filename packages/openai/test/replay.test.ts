import type { Content, JsonObject, Message } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIChatClient, type OpenAIChatClientOptions, toOpenAIMessages } from "../src/index.js";
import {
  call,
  chunk,
  clientAt,
  completion,
  contentsOf,
  message,
  request,
  result,
  stream,
} from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;

beforeEach(async () => {
  server = await WireServer.start();
});
afterEach(() => server.stop());

const lamp = { id: "c1", type: "function", function: { name: "lamp", arguments: "{}" } };
const client = (settings: Partial<OpenAIChatClientOptions> = {}) =>
  new OpenAIChatClient({ model: "m", baseURL: server.url, ...settings });

/** The messages of an answer to "Go". */
async function answered(answer: object): Promise<readonly Message[]> {
  server.reply({ body: completion(answer, "tool_calls") });
  return (await client().getResponse(request([message("user", "Go")]))).messages;
}

/** The assistant messages that a client sends for a conversation. */
async function sentBy(asker: OpenAIChatClient, history: readonly Message[]): Promise<unknown[]> {
  server.reply({ body: completion({ content: "ok" }) });
  await asker.getResponse(request(history));
  const { messages } = server.lastBody;
  return (Array.isArray(messages) ? messages : []).filter((each) => each.role === "assistant");
}

const results = (...ids: string[]) => message("tool", ...ids.map((id) => result(id, "on")));

describe("reasoning goes back", () => {
  it("in turns with calls, in the member in which it came, and not in others", async () => {
    const history = [
      message("user", "Go"),
      ...(await answered({ reasoning_content: "Hm.", content: null, tool_calls: [lamp] })),
      results("c1"),
      ...(await answered({ reasoning_content: "So.", content: "It is on." })),
      message("user", "Thanks."),
      ...(await answered({ reasoning_content: "Polite.", content: "You are welcome." })),
      message("user", "And now?"),
    ];
    expect(await sentBy(client(), history)).toEqual([
      { role: "assistant", content: null, tool_calls: [lamp], reasoning_content: "Hm." },
      { role: "assistant", content: "It is on.", reasoning_content: "So." },
      { role: "assistant", content: "You are welcome." },
    ]);
  });

  it("as an empty text where a service that thinks aloud had none", async () => {
    const second = { ...lamp, id: "c2" };
    const foreign: Content = { ...call("c0", "lamp"), providerData: { anthropic: { x: 1 } } };
    const history = [
      message("user", "Go"),
      message("assistant", foreign),
      results("c0"),
      ...(await answered({ reasoning_content: "Hm.", content: null, tool_calls: [lamp] })),
      results("c1"),
      ...(await answered({ reasoning_content: "", content: null, tool_calls: [second] })),
      results("c2"),
    ];
    expect(await sentBy(client(), history)).toMatchObject([
      { reasoning_content: "" },
      { reasoning_content: "Hm." },
      { reasoning_content: "" },
    ]);
    // A service whose models do not think is not sent what it may not know.
    expect(JSON.stringify(await sentBy(client(), history.slice(0, 3)))).not.toContain("reasoning");
  });

  it("entry by entry, as it came in pieces", async () => {
    const piece = (detail: object) => chunk({ reasoning_details: [detail] });
    server.reply({
      chunks: [
        piece({ type: "reasoning.text", text: "One, ", index: 0, id: "r1" }),
        piece({ type: "reasoning.text", text: "two.", index: 0, id: null }),
        piece({ type: "reasoning.text", signature: "SIG", index: 0 }),
        piece({ type: "reasoning.encrypted", data: "AAA=", index: 1 }),
        piece({ type: "reasoning.encrypted", data: "BBB=", index: 1 }),
        chunk({ tool_calls: [{ index: 0, ...lamp }] }),
        chunk({}, "tool_calls"),
      ],
    });
    const { messages } = await stream(client(), request());
    expect(messages[0]?.contents[0]).toMatchObject({ type: "text_reasoning", text: "One, two." });
    expect(await sentBy(client(), [...messages, results("c1")])).toMatchObject([
      {
        reasoning_details: [
          { type: "reasoning.text", text: "One, two.", index: 0, id: "r1", signature: "SIG" },
          { type: "reasoning.encrypted", data: "AAA=", index: 1 },
          { type: "reasoning.encrypted", data: "BBB=", index: 1 },
        ],
      },
    ]);
  });

  it("as the client says", async () => {
    const history = [
      ...(await answered({ reasoning: "Hm.", content: null, tool_calls: [lamp] })),
      results("c1"),
    ];
    const elsewhere = (settings: Partial<OpenAIChatClientOptions>) =>
      clientAt(server, settings, "https://llm.example/v1");
    const sent = async (asker: OpenAIChatClient) => (await sentBy(asker, history))[0];
    expect(await sent(client())).toMatchObject({ reasoning: "Hm." });
    expect(await sent(client({ replayReasoning: "never" }))).not.toHaveProperty("reasoning");
    expect(await sent(elsewhere({}))).not.toHaveProperty("reasoning");
    expect(await sent(elsewhere({ replayReasoning: "reasoning_content" }))).toMatchObject({
      reasoning_content: "Hm.",
    });
    expect(await sent(elsewhere({ replayReasoning: "reasoning_details" }))).not.toHaveProperty(
      "reasoning_details",
    );
  });

  it("never to OpenAI, nor anything else of another server", async () => {
    const signed = { ...lamp, extra_content: { google: { thought_signature: "SIG" } } };
    const history = [
      ...(await answered({ reasoning_content: "Hm.", content: null, tool_calls: [signed] })),
      results("c1"),
    ];
    expect(await sentBy(client(), history)).toMatchObject([
      { tool_calls: [signed], reasoning_content: "Hm." },
    ]);
    expect(await sentBy(clientAt(server), history)).toEqual([
      { role: "assistant", content: null, tool_calls: [lamp] },
    ]);
  });

  it("and survives a store", async () => {
    const history: Message[] = [
      ...(await answered({ reasoning_content: "Hm.", content: null, tool_calls: [lamp] })),
      results("c1"),
    ];
    const stored: Message[] = JSON.parse(JSON.stringify(history));
    expect(await sentBy(client(), stored)).toEqual(await sentBy(client(), history));
  });
});

describe("sound as an answer", () => {
  const audio = {
    id: "audio_1",
    data: "AQIDBA==",
    expires_at: 2_000_000_000,
    transcript: "Good day.",
  };
  const asked = request([message("user", "Hi")], {
    providerOptions: {
      openai: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
    },
  });

  it("is its words and one file, streamed and whole", async () => {
    server.reply({ body: completion({ content: null, audio }) });
    const whole = await client().getResponse(asked);
    server.reply({
      chunks: [
        chunk({ role: "assistant", audio: { id: "audio_1", transcript: "Good " } }),
        chunk({ audio: { data: "AQ==" } }),
        chunk({ audio: { transcript: "day." } }),
        chunk({ audio: { data: "AgME" } }),
        chunk({ audio: { expires_at: 2_000_000_000 } }, "stop"),
      ],
    });
    const streamed = await stream(client(), asked);
    expect(contentsOf(streamed)).toEqual(contentsOf(whole));
    expect(contentsOf(whole)).toMatchObject([
      { type: "text", text: "Good day." },
      { type: "data", data: "AQIDBA==", mediaType: "audio/mpeg" },
    ]);
  });

  it("goes back by its id while the service holds it, and as words otherwise", async () => {
    server.reply({ body: completion({ content: null, audio }) });
    const history = [...(await client().getResponse(asked)).messages, message("user", "Again?")];
    expect(await sentBy(client(), history)).toEqual([
      { role: "assistant", content: null, audio: { id: "audio_1" } },
    ]);
    const words = [{ role: "assistant", content: "Good day." }];
    expect(await sentBy(clientAt(server), history)).toEqual(words);
    const late = { origin: new URL(server.url).host, now: 2_000_000_000_001 };
    expect(toOpenAIMessages(history, { replay: late })[0]).toEqual(words[0]);
  });
});

describe("B12: what other services signed", () => {
  it("(d) goes to nobody here, whatever the client is told", async () => {
    const thought: Content = {
      type: "text_reasoning",
      text: "hm",
      providerData: { anthropic: { signature: "SIG1" } },
    };
    const history = [message("assistant", thought, call("c1", "lamp")), results("c1")];
    for (const replayReasoning of ["reasoning_content", "reasoning_details", undefined] as const) {
      const sent = await sentBy(client({ replayReasoning }), history);
      expect(JSON.stringify(sent)).not.toMatch(/hm|SIG1/);
    }
  });
});

describe("T9: one conversation, several services", () => {
  it("goes on anywhere, with ids and names that each takes", async () => {
    const history = [
      message("user", "Go"),
      message(
        "assistant",
        "I will.",
        call("toolu_01AbCdEfGhIjKlMnOpQrStUvWxYz012345678", "my.lamp"),
      ),
      message("tool", result("toolu_01AbCdEfGhIjKlMnOpQrStUvWxYz012345678", "on")),
      ...(await answered({ reasoning_content: "Hm.", content: null, tool_calls: [lamp] })),
      results("c1"),
    ];
    const mistral = clientAt(server, {}, "https://api.mistral.ai/v1");
    const sent = await sentBy(mistral, history);
    const messages = server.lastBody["messages"] as Record<string, unknown>[];
    const ids = sent.flatMap((each) => Object(each)["tool_calls"]).map((each) => each.id);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(
      messages.filter(({ role }) => role === "tool").map((each) => each["tool_call_id"]),
    ).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    expect(JSON.stringify(sent)).not.toContain("reasoning");
    expect(await sentBy(clientAt(server), history)).toMatchObject([
      { content: "I will.", tool_calls: [{ id: expect.stringMatching(/^call_[0-9a-f]{32}$/) }] },
      { tool_calls: [{ id: "c1" }] },
    ]);
  });

  it("keeps nine-character ids, and the same message is the same object again", () => {
    const history = [message("assistant", call("aB3xK9mP2", "lamp")), results("aB3xK9mP2")];
    const [first, second] = [1, 2].map(() => toOpenAIMessages(history, { shortCallIds: true }));
    expect(first?.[0]).toMatchObject({ tool_calls: [{ id: "aB3xK9mP2" }] });
    first?.forEach((each, at) => {
      expect(second?.[at]).toBe(each);
    });
  });
});

it("gives nobody what another service has put on a call of the same message", async () => {
  const own = (origin: string, data: JsonObject): Pick<Content, "providerData"> => ({
    providerData: { openai: { origin, ...data } },
  });
  const mixed = message(
    "assistant",
    { ...call("c1", "lamp"), ...own("api.openai.com", { extraContent: { at: "home" } }) },
    { ...call("c2", "lamp"), ...own("other.example", { extraContent: { at: "SECRET" } }) },
  );
  const log = [mixed, message("tool", result("c1"), result("c2"))];
  const sent = JSON.stringify(await sentBy(clientAt(server), log));
  expect(sent).toContain("home");
  expect(sent).not.toContain("SECRET");
});
