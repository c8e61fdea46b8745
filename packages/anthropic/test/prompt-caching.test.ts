import type Anthropic from "@anthropic-ai/sdk";
import { Agent, type JsonObject, type Message, textContent, tool } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { AnthropicChatClient, type AnthropicChatClientOptions } from "../src/index.js";
import { toAnthropicRequest } from "../src/to-anthropic-request.js";
import { answer, call, functionTool, message, result, settings } from "./build.js";
import { either, type WireServer, wireServer } from "./wire-server.js";

const ephemeral = { type: "ephemeral" };
const long = { type: "ephemeral", ttl: "1h" };

/** Where the marks of a body stand. */
function marksOf(value: unknown, path = ""): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  const marks: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    if (key === "cache_control") marks[path] = each;
    else Object.assign(marks, marksOf(each, path === "" ? key : `${path}.${key}`));
  }
  return marks;
}

/** The body without its marks, and with its instructions in the form that can carry one. */
function withoutMarks(body: Readonly<Record<string, unknown>>) {
  const { system, ...rest } = body;
  const blocks = typeof system === "string" ? [{ type: "text", text: system }] : system;
  return JSON.parse(
    JSON.stringify({ ...rest, system: blocks }, (key, value) =>
      key === "cache_control" ? undefined : value,
    ),
  );
}

const lamp = tool({
  name: "lamp",
  description: "Switches the lamp on.",
  parameters: { type: "object", properties: {} },
  execute: () => "on",
});
const calling = (id: string) => answer([{ type: "tool_use", id, name: "lamp", input: {} }]);
const at = ({ url }: WireServer, more: Partial<AnthropicChatClientOptions> = {}) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url, ...more });

test("a round begins with the very bytes of the round before, marks aside", async () => {
  const done = answer([{ type: "text", text: "Done." }]);
  await using server = await wireServer(
    either(calling("c1")),
    either(calling("c2")),
    either(calling("c3")),
    either(done),
  );
  const client = at(server, { promptCaching: true });
  await new Agent({ client, instructions: "Be brief.", tools: [lamp] }).run("go");
  const bodies = server.bodies.map(withoutMarks);
  for (const [at, body] of bodies.entries()) {
    const before = bodies[at - 1];
    if (before === undefined) continue;
    const { messages, ...rest } = body;
    expect({ ...rest, messages: messages.slice(0, before.messages.length) }).toEqual(before);
    // The order of members counts too: the service compares bytes.
    expect(JSON.stringify(messages.slice(0, before.messages.length))).toBe(
      JSON.stringify(before.messages),
    );
  }
  expect(server.bodies.map((body) => marksOf(body))).toEqual([
    { "": ephemeral, "system.0": ephemeral, "tools.0": ephemeral },
    {
      "": ephemeral,
      "system.0": ephemeral,
      "messages.0.content.0": ephemeral,
      "tools.0": ephemeral,
    },
    {
      "": ephemeral,
      "system.0": ephemeral,
      "messages.2.content.0": ephemeral,
      "tools.0": ephemeral,
    },
    {
      "": ephemeral,
      "system.0": ephemeral,
      "messages.4.content.0": ephemeral,
      "tools.0": ephemeral,
    },
  ]);
});

describe("marks", () => {
  const marked = (text: string, mark: JsonObject = ephemeral) => ({
    ...textContent(text),
    providerData: { anthropic: { cache_control: mark } },
  });
  const sent = (
    options: Partial<AnthropicChatClientOptions>,
    messages: readonly Message[],
    anthropic: JsonObject = {},
  ) => {
    const request = {
      messages,
      options: {
        instructions: "Be brief.",
        tools: [functionTool("lamp")],
        providerOptions: { anthropic },
      },
    };
    return marksOf(toAnthropicRequest(request, settings(options)).params);
  };
  const hi = message("user", "hi");

  test("are off by default, and off is off", () => {
    expect(sent({}, [hi])).toEqual({});
    expect(sent({ promptCaching: false }, [hi])).toEqual({});
  });

  test("may last an hour", () => {
    expect(sent({ promptCaching: { ttl: "1h" } }, [hi])).toEqual({
      "": long,
      "system.0": long,
      "tools.0": long,
    });
  });

  test("leave what is kept for other requests as it is", () => {
    const log = [hi, message("assistant", call("c1")), message("tool", result("c1", "on"))];
    const options = { tools: [functionTool("lamp")] };
    const request = { messages: log, options };
    const plain = toAnthropicRequest(request, settings()).params;
    const cached = toAnthropicRequest(request, settings({ promptCaching: true })).params;
    expect(marksOf(cached)).toMatchObject({ "messages.0.content.0": ephemeral });
    expect(marksOf(toAnthropicRequest(request, settings()).params)).toEqual({});
    expect(marksOf(plain)).toEqual({});
    // What gets no mark is the same object.
    expect(cached.messages[1]).toBe(plain.messages[1]);
  });

  test("of one's own stand on contents, and take the place of others", () => {
    const log = [
      message("user", marked("a long document"), "hi"),
      message("assistant", marked("yes")),
      message("user", "and?"),
    ];
    expect(sent({}, log)).toEqual({
      "messages.0.content.0": ephemeral,
      "messages.1.content.0": ephemeral,
    });
    expect(sent({ promptCaching: true }, log)).toEqual({
      "": ephemeral,
      "system.0": ephemeral,
      "messages.0.content.0": ephemeral,
      "messages.1.content.0": ephemeral,
    });
  });

  test("of one's own stand on calls, results and media", () => {
    const own = { providerData: { anthropic: { cache_control: ephemeral } } };
    const image = { type: "data", data: "UE5H", mediaType: "image/png", ...own } as const;
    const log = [
      message("user", image),
      message("assistant", { ...call("c1"), ...own }),
      message("tool", { ...result("c1", "on"), ...own }),
    ];
    expect(Object.keys(sent({}, log))).toEqual([
      "messages.0.content.0",
      "messages.1.content.0",
      "messages.2.content.0",
    ]);
  });

  test("are four at most: of more, the latest", () => {
    const log = [1, 2, 3, 4, 5, 6].flatMap((n) => [
      message("user", marked(`q${n}`)),
      message("assistant", `a${n}`),
    ]);
    const latest = [4, 6, 8, 10].map((at) => `messages.${at}.content.0`);
    expect(Object.keys(sent({}, log))).toEqual(latest);
    expect(Object.keys(sent({ promptCaching: true }, log))).toEqual(latest);
    // The next request has them again: nothing of them is lost.
    expect(Object.keys(sent({}, log.slice(0, 8)))).toHaveLength(4);
  });

  test("inside of results count, too", () => {
    const log = [
      message("user", marked("q")),
      message("assistant", call("c1")),
      message("tool", result("c1", [marked("1"), marked("2"), marked("3")])),
      message("assistant", marked("a")),
      hi,
    ];
    const latest = ["1", "2"].map((at) => `messages.2.content.0.content.${at}`);
    const all = ["messages.2.content.0.content.0", ...latest, "messages.3.content.0"];
    expect(Object.keys(sent({}, log))).toEqual(all);
    expect(Object.keys(sent({ promptCaching: true }, log))).toEqual(all);
    const more = [...log.slice(0, -1), message("user", marked("b"))];
    expect(Object.keys(sent({}, more))).toEqual([...all.slice(1), "messages.4.content.0"]);
    // What was converted before has kept its own.
    expect(Object.keys(sent({}, log))).toEqual(all);
  });

  test("on tools and instructions are the first to go", () => {
    const names = ["a", "b", "c", "d", "e"];
    const request = {
      messages: [message("user", marked("hi"))],
      options: {
        tools: names.map((name) => functionTool(name)),
        providerOptions: {
          anthropic: { system: [{ type: "text", text: "Be brief.", cache_control: ephemeral }] },
        },
      },
    };
    const options = {
      toolOptions: Object.fromEntries(names.map((name) => [name, { cache_control: ephemeral }])),
    };
    const { params } = toAnthropicRequest(request, settings(options));
    expect(Object.keys(marksOf(params)).sort()).toEqual([
      "messages.0.content.0",
      "system.0",
      "tools.3",
      "tools.4",
    ]);
  });

  test("that last longer stand before those that last shorter", () => {
    const first = [message("user", marked("a", long)), message("assistant", "b"), hi];
    expect(sent({ promptCaching: true }, first)).toEqual({
      "": ephemeral,
      "messages.0.content.0": long,
    });
    const short = [message("user", marked("a")), message("assistant", "b"), hi];
    expect(sent({ promptCaching: { ttl: "1h" } }, short)).toEqual({
      "messages.0.content.0": ephemeral,
      "system.0": long,
      "tools.0": long,
    });
  });

  test("at the end are left alone, whoever has set them", () => {
    expect(sent({ promptCaching: true }, [hi], { cache_control: long })).toMatchObject({
      "": long,
    });
    const ends = sent({ promptCaching: true }, [message("user", marked("hi"))]);
    expect(Object.keys(ends).sort()).toEqual(["messages.0.content.0", "system.0", "tools.0"]);
  });

  test("stand on no tool that is loaded later", () => {
    const options = {
      promptCaching: true,
      toolOptions: { lamp: { defer_loading: true } },
    };
    expect(sent(options, [hi])).not.toHaveProperty(["tools.0"]);
  });
});

test("usage says what the cache gave and took, and for how long it keeps it", async () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 4,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  };
  const wire: Anthropic.Message = answer([{ type: "text", text: "hi" }], "end_turn", { usage });
  await using server = await wireServer(either(wire));
  const client = at(server);
  for (const more of [{}, { onUpdate: () => {} }]) {
    const response = await client.getResponse({
      messages: [message("user", "hi")],
      options: {},
      ...more,
    });
    expect(response.usage).toEqual({
      inputTokens: 135,
      outputTokens: 4,
      totalTokens: 139,
      cachedInputTokens: 100,
      cacheWriteInputTokens: 30,
      cacheWrite5mInputTokens: 10,
      cacheWrite1hInputTokens: 20,
    });
  }
});
