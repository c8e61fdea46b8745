import {
  Agent,
  askWithAnswerTool,
  type ChatClient,
  type ChatOptions,
  tool,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectFold } from "./support/play.js";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const responseFormat = { type: "json_schema", schema } as const;
const lamp = tool({ name: "lamp", execute: () => "on" });

/** A client whose service has no response format, and what it was asked. */
function clientOf(turns: readonly ScriptedTurn[]): {
  readonly client: ChatClient;
  readonly service: ScriptedChatClient;
} {
  const service = new ScriptedChatClient(turns, { chunkSize: 3 });
  const client: ChatClient = {
    metadata: service.metadata,
    getResponse: (request) => askWithAnswerTool(request, (inner) => service.getResponse(inner)),
  };
  return { client, service };
}

async function run(turns: readonly ScriptedTurn[], options: Partial<ChatOptions>, tools = [lamp]) {
  const { client, service } = clientOf(turns);
  const agent = new Agent({ client, tools });
  const updates: Update[] = [];
  const streamed = await agent.run("go", {
    options: { responseFormat, ...options },
    onUpdate: (update) => updates.push(update),
  });
  expectFold(updates, streamed);
  const again = clientOf(turns);
  const whole = await new Agent({ client: again.client, tools }).run("go", {
    options: { responseFormat, ...options },
  });
  const comparable = ({ messages }: typeof whole) =>
    JSON.stringify(
      messages.map(({ role, contents }) => ({ role, contents })),
      (key, value) => (key === "id" || key === "callId" ? undefined : value),
    );
  expect(comparable(whole)).toBe(comparable(streamed));
  return { response: streamed, requests: service.requests };
}

const answer = { name: "response", arguments: { city: "Köln" } };

describe("askWithAnswerTool", () => {
  it("makes the model call a tool, and hands its arguments on as the answer's text", async () => {
    const { response, requests } = await run([{ calls: [answer] }], {}, []);
    expect(response.value).toEqual({ city: "Köln" });
    expect(response.text).toBe('{"city":"Köln"}');
    expect(response.finishReason).toBe("stop");
    expect(response.outcome).toBe("completed");
    const { options } = requests[0] ?? {};
    expect(options?.toolChoice).toEqual({ name: "response" });
    expect(options?.tools?.map(({ name }) => name)).toEqual(["response"]);
    expect(options?.responseFormat).toBeUndefined();
  });

  it("lets the model use its tools first, and makes it end with the answer", async () => {
    const { response, requests } = await run(
      [
        { text: "First the light.", calls: [{ name: "lamp" }] },
        { text: "So:", calls: [answer] },
      ],
      {},
    );
    expect(response.value).toEqual({ city: "Köln" });
    expect(requests.map(({ options }) => options.toolChoice)).toEqual(["required", "required"]);
    expect(response.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  });

  it("runs the calls that stand beside an answer, and asks again", async () => {
    const { response } = await run(
      [
        { calls: [answer, { name: "lamp" }] },
        { calls: [{ ...answer, arguments: { city: "Bonn" } }] },
      ],
      {},
    );
    expect(response.value).toEqual({ city: "Bonn" });
    expect(response.messages).toHaveLength(3);
  });

  it.each<[ChatOptions["toolChoice"], unknown, readonly string[]]>([
    [undefined, "required", ["lamp", "response"]],
    ["auto", "required", ["lamp", "response"]],
    ["required", "required", ["lamp", "response"]],
    ["none", { name: "response" }, ["response"]],
    [{ name: "lamp" }, { name: "lamp" }, ["lamp", "response"]],
    [{ allowed: ["lamp"] }, { allowed: ["lamp", "response"] }, ["lamp", "response"]],
  ])("with the tool choice %j asks with %j", async (toolChoice, expected, names) => {
    const { requests } = await run([{ calls: [answer] }], { toolChoice });
    expect(requests[0]?.options.toolChoice).toEqual(expected);
    expect(requests[0]?.options.tools?.map(({ name }) => name)).toEqual(names);
  });

  it("takes another name where a tool has the format's", async () => {
    const taken = tool({ name: "response", execute: () => "" });
    const { response } = await run([{ calls: [{ ...answer, name: "response_2" }] }], {}, [taken]);
    expect(response.value).toEqual({ city: "Köln" });
  });

  it("takes plain text of a model that does not call", async () => {
    const { response } = await run(['{"city":"Köln"}'], {});
    expect(response.value).toEqual({ city: "Köln" });
  });

  it("of an answer that was cut off, the value is an error", async () => {
    const cut = { calls: [{ name: "response", arguments: '{"city":"Kö' }], finishReason: "length" };
    const { response } = await run([cut], {});
    expect(() => response.value).toThrow(expect.objectContaining({ code: "cut_off" }));
  });

  it("gives the same messages streamed and not, whatever the model says", async () => {
    const piece = fc.record(
      {
        text: fc.constantFrom("", "So:", '{"city":"x"}'),
        reasoning: fc.constantFrom("", "hm"),
        calls: fc.array(
          fc.oneof(
            fc.record({
              name: fc.constant("response"),
              arguments: fc.constantFrom('{ "city": "x" }', "{", '{"city":1.0}'),
            }),
            fc.record({ name: fc.constant("lamp") }),
          ),
          { maxLength: 3 },
        ),
        interleave: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 3 }), async (turns) => {
        await run([...turns, { calls: [answer] }, "end", "end"], {});
      }),
      { numRuns: 200 },
    );
  });
});
