import { Agent, type ChatOptions, type JsonObject, tool } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { AnthropicChatClient, type AnthropicChatClientOptions } from "../src/index.js";
import { answer, message } from "./build.js";
import { either, type WireServer, wireServer } from "./wire-server.js";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, note: { type: "string" } },
  required: ["city"],
} as const;
const map = {
  type: "object",
  properties: { m: { type: "object", additionalProperties: { type: "string" } } },
} as const;
const format = (more: object = {}, of: JsonObject = schema): ChatOptions => ({
  responseFormat: { type: "json_schema", schema: of, ...more },
});
const at = ({ url }: WireServer, more: Partial<AnthropicChatClientOptions> = {}) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url, ...more });
const ask = (options: ChatOptions) => ({ messages: [message("user", "where?")], options });
const said = answer([{ type: "text", text: '{"city":"Bergen"}' }]);
const called = answer(
  [{ type: "tool_use", id: "t1", name: "response", input: { city: "Bergen" } }],
  "tool_use",
);

const native = { output_config: { format: { type: "json_schema" } } };
const forced = { tools: [{ name: "response" }], tool_choice: { type: "tool", name: "response" } };

describe("a form of the answer is asked for", () => {
  test.each<
    [string, ChatOptions, Partial<AnthropicChatClientOptions>, typeof native | typeof forced]
  >([
    ["by the service's own word", format(), {}, native],
    ["by it for a model that is not known", format(), { model: "claude-next" }, native],
    ["strictly where it is said", format({ strict: true }), {}, native],
    ["through a tool where it is not to be strict", format({ strict: false }), {}, forced],
    ["through a tool where the schema has no strict form", format({}, map), {}, forced],
    [
      "through a tool of a model that came before",
      format(),
      { model: "claude-sonnet-4-20250514" },
      forced,
    ],
    ["through a tool where the client says so", format(), { structuredOutputs: "tool" }, forced],
    [
      "by the service's own word where the client says so",
      format(),
      { model: "claude-3-haiku-20240307", structuredOutputs: "native" },
      native,
    ],
  ])("%s", async (_, options, client, expected) => {
    await using server = await wireServer(either(expected === native ? said : called));
    for (const more of [{}, { onUpdate: () => {} }]) {
      const response = await at(server, client).getResponse({ ...ask(options), ...more });
      expect(response.messages[0]?.contents).toMatchObject([
        { type: "text", text: '{"city":"Bergen"}' },
      ]);
      expect(response.finishReason).toBe("stop");
    }
    expect(server.bodies[0]).toMatchObject(expected);
  });

  test.each<[string, ChatOptions, Partial<AnthropicChatClientOptions>, RegExp]>([
    ["a schema without a strict form", format({ strict: true }, map), {}, /"m" takes members/],
    [
      "a model that came before",
      format({ strict: true }),
      { model: "claude-3-haiku-20240307" },
      /through a tool/,
    ],
  ])("strictly, %s is an error", async (_, options, client, text) => {
    await using server = await wireServer(either(said));
    await expect(at(server, client).getResponse(ask(options))).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringMatching(text),
    });
    expect(server.bodies).toEqual([]);
  });
});

test("an agent has the answer as a value, both ways; a schema that cannot be held is told of once", async () => {
  const lamp = tool({
    name: "lamp",
    parameters: { type: "object", properties: {} },
    execute: () => "on",
  });
  const mapped = answer(
    [{ type: "tool_use", id: "t1", name: "response", input: { m: { a: "b" } } }],
    "tool_use",
  );
  for (const [reply, schemaOf, expected, notices] of [
    [said, schema, { city: "Bergen" }, 0],
    [mapped, map, { m: { a: "b" } }, 1],
  ] as const) {
    await using server = await wireServer(either(reply));
    const agent = new Agent({ client: at(server), tools: lamp });
    const seen: string[] = [];
    agent.events.on("notice", ({ code }) => void seen.push(code));
    for (let round = 0; round < 2; round++) {
      const { value } = await agent.run("where?", {
        options: { responseFormat: { type: "json_schema", schema: schemaOf } },
      });
      expect(value).toEqual(expected);
    }
    expect(seen.filter((code) => code === "format_not_strict")).toHaveLength(notices);
  }
});
