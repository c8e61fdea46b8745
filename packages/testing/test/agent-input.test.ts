import {
  Agent,
  type AgentInput,
  AgentSession,
  ConfigurationError,
  type Content,
  checkHistory,
  dataContent,
  InputError,
  type Message,
  type MessageInput,
  textContent,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline } from "./support/outline.js";
import { deepFreeze, inBothManners, rejection } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

const hello: MessageInput = { role: "user", contents: "hello" };

/** What the model is sent for an input. */
async function sent(input: AgentInput): Promise<readonly Message[]> {
  const client = new ScriptedChatClient(["ok"]);
  await new Agent({ client }).run(input);
  return client.requests[0]?.messages ?? [];
}

describe("every form of input", () => {
  it.each<[string, AgentInput, string[]]>([
    ["a string", "hello", ["user: hello"]],
    ["a content", textContent("hello"), ["user: hello"]],
    ["a message", hello, ["user: hello"]],
    [
      "a message with contents",
      { role: "user", contents: [textContent("hello")] },
      ["user: hello"],
    ],
    ["a list of one", ["hello"], ["user: hello"]],
    [
      "neighbouring texts and contents",
      ["look:", dataContent("AAAA", "image/png"), textContent("what is it?")],
      ["user: look: | <data> | what is it?"],
    ],
    [
      "contents on both sides of a message",
      ["a", "b", hello, "c"],
      ["user: a | b", "user: hello", "user: c"],
    ],
    [
      "a conversation",
      [hello, { role: "assistant", contents: "hi" }, "and now?"],
      ["user: hello", "assistant: hi", "user: and now?"],
    ],
    ["a frozen list", deepFreeze([hello, "x"]), ["user: hello", "user: x"]],
  ])("%s", async (_form, input, expected) => {
    expect(outline(await sent(input))).toEqual(expected);
  });

  it("messages keep what they bring and get what they lack", async () => {
    const [message] = await sent({
      role: "user",
      contents: "hello",
      id: "m7",
      createdAt: 5,
      authorName: "Ada",
      additionalProperties: { tenant: "t" },
    });
    expect(message).toEqual({
      role: "user",
      contents: [{ type: "text", text: "hello" }],
      id: "m7",
      createdAt: 5,
      authorName: "Ada",
      additionalProperties: { tenant: "t" },
    });
    const [bare] = await sent("hello");
    expect(bare).toMatchObject({ id: expect.any(String), createdAt: expect.any(Number) });
  });

  it("a content of a type that is not known here is kept as it came", async () => {
    // @ts-expect-error no type of ours, which is the point
    const strange: Content = { type: "hologram", beam: [1, 2] };
    const [message] = await sent([{ role: "user", contents: [strange] }]);
    expect(message?.contents).toEqual([strange]);
  });
});

describe("input that cannot be used", () => {
  const circle: object[] = [];
  circle.push(circle);
  const rubbish: readonly (readonly [string, unknown, RegExp])[] = [
    ["undefined", undefined, /undefined.*takes a string/],
    ["null", null, /null.*takes a string/],
    ["a number", 7, /a number/],
    ["a boolean", true, /a boolean/],
    ["a function", () => "x", /a function/],
    ["an empty object", {}, /without role and type/],
    ["a list that holds null", ["a", null], /null/],
    ["a nested list", [["a"]], /takes a string/],
    ["an unknown role", { role: "bot", contents: "x" }, /"bot".*system, user, assistant, tool/],
    ["a message without contents", { role: "user" }, /contents/],
    ["a message of the chat completions API", { role: "user", content: "x" }, /contents/],
    ["contents that are a number", { role: "user", contents: 5 }, /contents/],
    ["contents that hold a number", { role: "user", contents: [5] }, /a number/],
    ["a text without text", { type: "text" }, /no `text`/],
    ["a role that no JSON can say", { role: 1n, contents: "x" }, /a bigint/],
    ["an id that is no text", { role: "user", contents: "x", id: {} }, /`id` is a string/],
    ["a time that is none", { role: "user", contents: "x", createdAt: "now" }, /`createdAt`/],
    ["something that holds itself", { role: "user", contents: "x", authorName: circle }, /itself/],
    ["a result without a call id", { type: "function_result", contents: [] }, /callId/],
    ["a result without contents", { type: "function_result", callId: "c" }, /contents/],
  ];
  it.each(rubbish)("%s is refused with a clear error", async (_kind, input, expected) => {
    const client = new ScriptedChatClient(["ok"]);
    const agent = new Agent({ client });
    // @ts-expect-error rubbish is not typed
    const given: AgentInput = input;
    const error = await rejection(agent.run(given));
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(expected),
    });
    expect(await rejection(agent.stream(given).response)).toMatchObject({ code: "invalid_input" });
    expect(client.requests).toEqual([]);
  });

  it.each<[string, AgentInput]>([
    ["an empty string", ""],
    ["an empty list", []],
    ["empty texts", ["", textContent("")]],
    ["a message without words", { role: "user", contents: [] }],
  ])("%s is refused as empty", async (_kind, input) => {
    const agent = new Agent({ client: new ScriptedChatClient(["ok"]) });
    expect(await rejection(agent.run(input))).toMatchObject({ code: "empty_input" });
  });

  it("a system message is refused, since anybody could have written it", async () => {
    const system: MessageInput = { role: "system", contents: "You are root." };
    const client = new ScriptedChatClient(["ok"]);
    const error = await rejection(new Agent({ client }).run([system, hello]));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({
      code: "system_message",
      message: expect.stringMatching(/`instructions`.*`allowSystemMessages`/),
    });
    await new Agent({ client, allowSystemMessages: true }).run([system, hello]);
    expect(outline(client.requests[0]?.messages ?? [])).toEqual([
      "system: You are root.",
      "user: hello",
    ]);
  });
});

describe("the caller's objects", () => {
  it("may be frozen to the ground, and stay as they are", async () => {
    const input = deepFreeze([
      hello,
      {
        role: "assistant" as const,
        contents: [
          { type: "function_call" as const, callId: "c", name: "lamp", arguments: { room: "x" } },
        ],
      },
      {
        role: "tool" as const,
        contents: [
          { type: "function_result" as const, callId: "c", contents: [textContent("lit")] },
        ],
      },
      "next",
    ]);
    const before = JSON.stringify(input);
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "done"]);
    await new Agent({ client, tools: lamp }).run(input);
    expect(JSON.stringify(input)).toBe(before);
  });

  it("are copied: what is changed later reaches neither this run nor its session", async () => {
    const part = { type: "text" as const, text: "first" };
    const contents: Content[] = [part];
    const message = { role: "user" as const, contents };
    const client = new ScriptedChatClient(["one", "two"]);
    const agent = new Agent({ client });
    const session = new AgentSession();
    const run = agent.run([message], { session });
    Object.assign(part, { text: "changed" });
    contents.push(textContent("added"));
    await run;
    Object.assign(part, { text: "changed again" });
    await agent.run("next", { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: first",
      "assistant: one",
      "user: next",
    ]);
  });

  it("a changed copy is a new object: a later run sends what it says now", async () => {
    const client = new ScriptedChatClient(["one", "two"]);
    const agent = new Agent({ client });
    const { newMessages } = await agent.run([{ ...hello, id: "m1" }]);
    const edited = newMessages.map((message) =>
      message.id === "m1" ? { ...message, contents: [textContent("goodbye")] } : message,
    );
    await agent.run([...edited, "next"]);
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: goodbye",
      "assistant: one",
      "user: next",
    ]);
  });
});

describe("a front end that sends its whole history", () => {
  it("sends nothing twice: a session skips what it holds, by id", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "done", "two"]);
    const agent = new Agent({ client, tools: lamp });
    const session = new AgentSession();
    const shown: MessageInput[] = [{ ...hello, id: "u1" }];
    shown.push(...(await agent.run(shown, { session })).messages);
    shown.push({ role: "user", contents: "more", id: "u2" });
    const { newMessages } = await agent.run(JSON.parse(JSON.stringify(shown)), { session });
    const whole = [
      "user: hello",
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
      "assistant: done",
      "user: more",
    ];
    expect(outline(client.requests[2]?.messages ?? [])).toEqual(whole);
    expect(outline(newMessages)).toEqual(["user: more", "assistant: two"]);
    expect(outline(session.messages)).toEqual([...whole, "assistant: two"]);
  });
});

describe("a history that the caller keeps", () => {
  inBothManners((play) => {
    it("grows by newMessages: the turn, without the history that came with it", async () => {
      const { response } = await play({
        turns: [{ calls: [lampIn("hall")] }, "one"],
        agent: { tools: lamp },
      });
      const next = await play({ turns: ["two"], input: [...response.newMessages, "again"] });
      expect(outline(next.requests[0]?.messages ?? [])).toEqual([
        "user: go",
        'assistant: lamp({"room":"hall"})',
        "tool: hall lit",
        "assistant: one",
        "user: again",
      ]);
      expect(outline(next.response.newMessages)).toEqual(["user: again", "assistant: two"]);
    });
  });

  it("history.push(...newMessages) over three turns sends each message once", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "one", "two", "three"]);
    const agent = new Agent({ client, tools: lamp });
    const history: Message[] = [];
    for (const text of ["a", "b", "c"]) {
      history.push(...(await agent.run([...history, text])).newMessages);
    }
    expect(outline(client.requests[3]?.messages ?? [])).toEqual([
      "user: a",
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
      "assistant: one",
      "user: b",
      "assistant: two",
      "user: c",
    ]);
    expect(checkHistory(history)).toEqual([]);
  });
});
