import { ConfigurationError } from "@tunic/core";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { OpenAIChatClient, type OpenAIChatClientOptions, toOpenAITools } from "../src/index.js";
import { completion, request, tool } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;

beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stop());
afterEach(() => vi.unstubAllEnvs());

const sdk = () => new OpenAI({ apiKey: "k", baseURL: server.url });

it.each([
  ["an unknown option", { model: "m", apikey: "k" }, 'did you mean "apiKey"'],
  ["no model", { apiKey: "k" }, "needs a model"],
  ["an empty model", { model: "", apiKey: "k" }, "needs a model"],
])("refuses %s", (_, options, text) => {
  const make = () => new OpenAIChatClient(options as OpenAIChatClientOptions);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(text);
});

it.each([
  { apiKey: "k" },
  { baseURL: "http://127.0.0.1:1/v1" },
  { organization: "o" },
  { maxRetries: 2 },
  { defaultHeaders: {} },
])("refuses a ready client together with %j", (settings) => {
  const make = () => new OpenAIChatClient({ model: "m", client: sdk(), ...settings });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(Object.keys(settings)[0]);
});

it("says what to do where there is no key", () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  vi.stubEnv("OPENAI_BASE_URL", "");
  expect(() => new OpenAIChatClient({ model: "m" })).toThrow(/Set OPENAI_API_KEY/);
});

it("needs no key for another server, and takes the one of the environment", async () => {
  vi.stubEnv("OPENAI_API_KEY", "");
  server.reply({ body: completion({ content: "ok" }) });
  await new OpenAIChatClient({ model: "m", baseURL: server.url }).getResponse(request());
  expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer none");
  vi.stubEnv("OPENAI_API_KEY", "from-environment");
  server.reply({ body: completion({ content: "ok" }) });
  await new OpenAIChatClient({ model: "m", baseURL: server.url }).getResponse(request());
  expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer from-environment");
});

it("sends its settings with every request", async () => {
  const client = new OpenAIChatClient({
    model: "m",
    baseURL: server.url,
    apiKey: async () => "fresh",
    organization: "org_1",
    defaultHeaders: { "x-team": "lamps" },
  });
  server.reply({ body: completion({ content: "ok" }) });
  await client.getResponse(request());
  expect(server.requests.at(-1)?.headers).toMatchObject({
    authorization: "Bearer fresh",
    "openai-organization": "org_1",
    "x-team": "lamps",
  });
});

it("uses a ready client as it is", async () => {
  const client = new OpenAIChatClient({ model: "m", client: sdk() });
  server.reply({ body: completion({ content: "ok" }) });
  const response = await client.getResponse(request(undefined, { model: "other" }));
  expect(server.lastBody["model"]).toBe("other");
  expect(response).toMatchObject({ responseId: "chatcmpl-1", model: "test-model" });
  expect(client.metadata).toEqual({ provider: "openai", defaultModel: "m" });
});

it("names the token limit as the service does", async () => {
  const bodies: unknown[] = [];
  const fetch = async (_: unknown, init?: { body?: unknown }) => {
    bodies.push(JSON.parse(String(init?.body)));
    return Response.json(completion({ content: "ok" }));
  };
  for (const baseURL of ["https://api.openai.com/v1", "https://llm.example/v1"]) {
    const client = new OpenAI({ apiKey: "k", baseURL, fetch });
    await new OpenAIChatClient({ model: "m", client }).getResponse(
      request(undefined, { maxTokens: 9 }),
    );
  }
  expect(bodies).toMatchObject([{ max_completion_tokens: 9 }, { max_tokens: 9 }]);
  expect(bodies[0]).not.toHaveProperty("max_tokens");
});

it("tells early which tools the service would refuse", () => {
  const client = new OpenAIChatClient({ model: "m", apiKey: "k" });
  const open = { type: "object", additionalProperties: { type: "string" } };
  expect(() =>
    client.checkTools([tool("fine-tool_1"), tool("look.up"), tool("o", open)]),
  ).not.toThrow();
  expect(() => client.checkTools([{ ...tool("o", open), strict: true }])).toThrow(
    expect.objectContaining({ code: "tool_not_strict", message: expect.stringContaining('"o"') }),
  );
  // What one name comes to on the wire, another one may be already.
  const cleaned = toOpenAITools([tool("look.up")])[0];
  const taken = cleaned?.type === "function" ? cleaned.function.name : "";
  expect(() => client.checkTools([tool("look.up"), tool(taken)])).toThrow(
    expect.objectContaining({ code: "tool_name_collision" }),
  );
});

it.each([
  { strictTools: "yes" },
  { responseFormat: "json" },
  { replayReasoning: "thoughts" },
  { replayReasoning: "reasoning" },
])("refuses %j at OpenAI itself", (settings) => {
  const make = () => new OpenAIChatClient({ model: "m", apiKey: "k", ...(settings as object) });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(Object.keys(settings)[0]);
});

it("takes its own settings beside a ready client", () => {
  const settings = {
    strictTools: true,
    structuredOutputs: "tool",
    replayReasoning: "never",
  } as const;
  expect(() => new OpenAIChatClient({ model: "m", client: sdk(), ...settings })).not.toThrow();
});
