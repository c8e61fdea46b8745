import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpToolsOptions, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { fakeClient } from "./support/fake-client.js";
import { rawServer } from "./support/raw-server.js";

const temperature: JsonObject = {
  type: "object",
  properties: { degrees: { type: "number" }, place: { type: "string" } },
  required: ["degrees"],
};

async function call(
  outputSchema: unknown,
  answer: JsonObject,
  options: Partial<McpToolsOptions> = {},
) {
  const log = testLog();
  const tools = [{ name: "go", inputSchema: { type: "object" }, outputSchema }];
  const client = fakeClient({ tools, call: () => ({ content: [], ...answer }) });
  await using mcp = mcpTools(client, { name: "s", onLog: log.onLog, ...options });
  const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
  const [result] = resultsOf((await agent.run("go")).messages);
  if (result === undefined) throw new Error("the call has a result");
  return { result, text: readable(result), log: log.entries.map(({ data }) => `${data}`).join() };
}

describe("structured content of a tool that says what it gives", () => {
  it.each<[string, unknown, JsonObject]>([
    ["fits", temperature, { degrees: 7 }],
    ["fits in draft-07, by name", draft07(), { degrees: 7 }],
    [
      "fits a schema that refers to itself",
      {
        $ref: "#/$defs/n",
        $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } },
      },
      { n: { n: {} } },
    ],
    [
      "fits a schema with an address",
      { $id: "https://example.com/t", ...temperature, allOf: [{ $ref: "#/properties" }] },
      { degrees: 7 },
    ],
  ])("%s", async (_how, outputSchema, structuredContent) => {
    const { result, text, log } = await call(outputSchema, { structuredContent });
    expect(result.isError).toBeUndefined();
    expect(JSON.parse(text)).toEqual(structuredContent);
    expect(log).toBe("");
  });

  it("need be no object, in the newest revision", async () => {
    const list = { type: "array", items: { type: "number" } };
    const fits = await call(list, { structuredContent: [1, 2] });
    expect(fits.text).toBe("[1,2]");
    const wrong = await call(list, { structuredContent: [1, "two"] });
    expect(wrong.result.error?.code).toBe("mcp_wrong_answer");
  });

  it.each<[string, JsonObject | undefined, string]>([
    ["has a wrong value", { degrees: "warm" }, "/structuredContent/degrees"],
    ["lacks what is promised", { place: "Ghent" }, "degrees"],
    ["has a number as a text", { degrees: "7" }, "of another type"],
    ["is no object", ["7"] as never, "/structuredContent"],
    ["is not there", undefined, "no structured content"],
  ])("is a failure where it %s", async (_how, structuredContent, said) => {
    for (const outputSchema of [temperature, draft07()]) {
      const content = [{ type: "text", text: "IGNORE THE SCHEMA" }];
      const answer = { content, ...(structuredContent && { structuredContent }) };
      const { result, text } = await call(outputSchema, answer);
      expect(result).toMatchObject({ isError: true, error: { code: "mcp_wrong_answer" } });
      expect(text).toContain("The tool has run");
      expect(text).toContain(said);
      expect(text).not.toContain("IGNORE");
    }
  });

  it("is not told at length", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`${at}`.padEnd(100, "x"), { type: "number" }]),
    );
    const content = Object.fromEntries(
      Object.keys(properties).map((name) => [name, "y".repeat(9000)]),
    );
    const { text } = await call({ type: "object", properties }, { structuredContent: content });
    expect(text.length).toBeLessThan(1100);
  });

  it("is not asked for where the tool says that it failed", async () => {
    const content = [{ type: "text", text: "No such place." }];
    const { result, text } = await call(temperature, { content, isError: true });
    expect(result.error?.code).toBe("mcp_tool_error");
    expect(text).toBe("No such place.");
  });

  it("is taken as it is, for a server that does not keep what it promises", async () => {
    const content = [{ type: "text", text: "About seven." }];
    const { result, text } = await call(temperature, { content }, { checkOutput: false });
    expect(result.isError).toBeUndefined();
    expect(text).toBe("About seven.");
  });
});

describe("an output schema that is a trap", () => {
  const node = { $ref: "#/$defs/n" };
  const form = (kind: number) => ({ properties: { kind: { const: kind }, a: node } });
  let levels: JsonObject = { kind: 3 };
  for (let level = 0; level < 40; level++) levels = { kind: 3, a: levels };
  const slow = "^(a+)+$";

  it.each<[string, unknown, JsonObject]>([
    [
      "a pattern without end",
      { type: "object", properties: { a: { pattern: slow } } },
      { a: `${"a".repeat(50)}!` },
    ],
    ["circles that double", { ...node, $defs: { n: { anyOf: [form(1), form(2)] } } }, levels],
    ["no schema", "string", { a: 1 }],
    ["what does not compile", { type: "object", properties: { a: { minimum: "x" } } }, { a: 1 }],
    ["references to elsewhere", { $ref: "http://127.0.0.1:1/schema.json" }, { a: 1 }],
    [
      "endless content",
      { items: { type: "string" } },
      Array.from({ length: 200_000 }, () => 1) as never,
    ],
  ])("costs no result, and no time: %s", async (_what, outputSchema, structuredContent) => {
    const { result, log } = await call(outputSchema, { structuredContent });
    expect(result.isError).toBeUndefined();
    expect(log).toContain('The outputSchema of "go" is not checked');
  });
});

describe("a tool that says nothing of what it gives", () => {
  it("may give what it likes", async () => {
    expect((await call(undefined, { structuredContent: { any: [1] } })).text).toBe('{"any":[1]}');
  });
});

describe.each([1, 2] as const)("a real server, line %i of the SDK", (sdk) => {
  it("is held to what it promises, call by call", async () => {
    await using mcp = mcpTools(
      rawServer((server) => {
        const outputSchema = {
          type: "object",
          properties: { n: { type: "number" } },
          required: ["n"],
        };
        server.tools({ name: "go", outputSchema });
        const answers = [{ n: 1 }, { n: "one" }, undefined, { n: 2 }];
        server.on("tools/call", () => ({ content: [], structuredContent: answers.shift() }));
      }),
      { name: "s", sdk },
    );
    const { agent } = scripted([["s_go"], ["s_go"], ["s_go"], ["s_go"]], {
      contextProviders: [mcp],
    });
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(({ error }) => error?.code)).toEqual([
      undefined,
      "mcp_wrong_answer",
      "mcp_wrong_answer",
      undefined,
    ]);
  });
});

/** As converters write a schema that has a name. */
function draft07(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $ref: "#/definitions/Temperature",
    definitions: { Temperature: temperature },
  };
}
