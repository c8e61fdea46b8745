import {
  ChatClientError,
  type ChatOptions,
  ConfigurationError,
  type JsonObject,
} from "@tunic/core";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { OpenAIResponsesClient, type OpenAIResponsesClientOptions } from "../../src/index.js";
import { failureOf, noticingRun, request, tool } from "../helpers.js";
import { response, said } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

let server: ResponsesServer;
let client: OpenAIResponsesClient;

beforeAll(async () => {
  server = await ResponsesServer.start();
  server.always(() => ({ body: response([said("ok")]) }));
});
afterAll(() => server.stop());
beforeEach(() => {
  client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
});
afterEach(() => vi.unstubAllEnvs());

async function sent(options: ChatOptions): Promise<Record<string, unknown>> {
  await client.getResponse(request(undefined, options));
  return server.lastBody;
}

async function refusal(options: ChatOptions): Promise<unknown> {
  const before = server.requests.length;
  const failure = await failureOf(client.getResponse(request(undefined, options)));
  expect(server.requests).toHaveLength(before);
  return failure;
}

describe("the client", () => {
  it.each([
    ["an unknown option", { model: "m", sotre: true, apiKey: "k" }, "sotre"],
    ["no model", { apiKey: "k" }, "needs a model"],
    ["a store that is no answer", { model: "m", apiKey: "k", store: "yes" }, "store must be"],
    ["a string", "gpt-5", "takes an object"],
    ["nothing", undefined, "takes an object"],
  ])("refuses %s", (_, options, text) => {
    const make = () => new OpenAIResponsesClient(options as OpenAIResponsesClientOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(text);
  });

  it("takes a ready SDK, with what that leaves open beside it", async () => {
    const sdk = new OpenAI({ apiKey: "k", baseURL: server.url });
    client = new OpenAIResponsesClient({ model: "m", client: sdk, store: true, strictTools: true });
    expect(await sent({ model: "other", tools: [tool("lamp")] })).toMatchObject({
      model: "other",
      store: true,
      tools: [{ strict: true }],
    });
    expect(client.metadata).toEqual({ provider: "openai", defaultModel: "m" });
    const twice = () => new OpenAIResponsesClient({ model: "m", client: sdk, apiKey: "k" });
    expect(twice).toThrow(/given a client and apiKey/);
  });

  it("says what to do where there is no key", () => {
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("OPENAI_BASE_URL", "");
    const make = () => new OpenAIResponsesClient({ model: "m" });
    expect(make).toThrow(/OpenAIResponsesClient has no key\. Set OPENAI_API_KEY/);
  });

  it("is strict with tools at OpenAI and Azure alone, unless it is told", async () => {
    const strictAt = async (baseURL: string): Promise<unknown> => {
      let body: { tools?: readonly { strict?: unknown }[] } = {};
      const fetch = async (_: unknown, init?: { body?: unknown }) => {
        body = JSON.parse(String(init?.body));
        return Response.json(response([said("ok")]));
      };
      const sdk = new OpenAI({ apiKey: "k", baseURL, fetch });
      const asked = request(undefined, { tools: [tool("lamp")] });
      await new OpenAIResponsesClient({ model: "m", client: sdk }).getResponse(asked);
      return body.tools?.[0]?.strict;
    };
    expect(await strictAt("https://api.openai.com/v1")).toBe(true);
    expect(await strictAt("https://me.openai.azure.com/openai/v1")).toBe(true);
    expect(await strictAt("https://llm.example/v1")).toBe(false);
  });
});

describe("an option", () => {
  it("is sent in the service's words", async () => {
    const body = await sent({
      instructions: [
        { source: "agent", text: "Be brief." },
        { source: "run", text: "Be kind." },
      ],
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 50,
      parallelToolCalls: false,
      tools: [tool("lamp")],
      metadata: { user: "u1" },
      stop: [],
    });
    expect(body).toEqual({
      model: "m",
      instructions: "Be brief.\n\nBe kind.",
      input: [{ type: "message", role: "user", content: "Hello" }],
      store: false,
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 50,
      parallel_tool_calls: false,
      metadata: { user: "u1" },
      tools: [
        {
          type: "function",
          name: "lamp",
          description: "Does lamp.",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
      ],
    });
  });

  it.each<[keyof ChatOptions, ChatOptions]>([
    ["seed", { seed: 1 }],
    ["stop", { stop: ["END"] }],
    ["frequencyPenalty", { frequencyPenalty: 1 }],
    ["presencePenalty", { presencePenalty: 1 }],
  ])("%s is refused before anything is sent", async (name, options) => {
    const failure = await refusal(options);
    expect(failure).toBeInstanceOf(ChatClientError);
    expect(failure).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining(`options.${name}`),
    });
  });

  it("settings of tools are left out where there are none", async () => {
    const body = await sent({ toolChoice: "auto", parallelToolCalls: true, tools: [] });
    expect(Object.keys(body).sort()).toEqual(["input", "model", "store"]);
  });
});

describe("a response format", () => {
  const schema: JsonObject = { type: "object", properties: { a: { type: "string" } } };

  it("is strict where it can be, and says so where it cannot", async () => {
    client = new OpenAIResponsesClient({ model: "m", baseURL: server.url, strictTools: true });
    expect(await sent({ responseFormat: { type: "json_schema", schema } })).toMatchObject({
      text: {
        format: {
          type: "json_schema",
          name: "response",
          strict: true,
          schema: { additionalProperties: false, required: ["a"] },
        },
      },
    });
    const open: JsonObject = { type: "object", additionalProperties: { type: "string" } };
    const asked = request(undefined, {
      responseFormat: { type: "json_schema", name: "any_map", schema: open },
    });
    const notices: string[] = [];
    for (const _ of [1, 2]) await client.getResponse({ ...asked, run: noticingRun(notices) });
    expect(server.lastBody["text"]).toMatchObject({ format: { name: "any_map", strict: false } });
    expect(notices).toEqual([expect.stringContaining("response_format_not_strict")]);
    const forced = { ...asked.options.responseFormat, strict: true } as never;
    expect(await refusal({ responseFormat: forced })).toBeInstanceOf(ConfigurationError);
  });

  it("stands beside the service's own settings of the text", async () => {
    const options: ChatOptions = {
      responseFormat: { type: "json_schema", schema, strict: false },
      providerOptions: { openai: { text: { verbosity: "low" } } },
    };
    expect(await sent(options)).toMatchObject({
      text: { verbosity: "low", format: { strict: false, schema } },
    });
  });

  it("has a name that the service takes", async () => {
    const responseFormat = { type: "json_schema", name: "my format", schema } as const;
    expect(await refusal({ responseFormat })).toMatchObject({ code: "invalid_option" });
  });
});

describe("providerOptions.openai", () => {
  const given = (openai: JsonObject): ChatOptions => ({ providerOptions: { openai } });

  it("go into the request as they are", async () => {
    const own = { reasoning: { effort: "low", summary: "auto" }, service_tier: "flex" };
    expect(await sent(given(own))).toMatchObject(own);
  });

  it.each<[string, JsonObject, string]>([
    ["model", { model: "x" }, "options.model"],
    ["input", { input: "x" }, "the messages"],
    ["instructions", { instructions: "x" }, "options.instructions"],
    ["stream", { stream: true }, "asked"],
    ["store", { store: true }, "OpenAIResponsesClient"],
    ["previous_response_id", { previous_response_id: "resp_1" }, "options.conversationId"],
    ["conversation", { conversation: "conv_1" }, "options.conversationId"],
    ["temperature", { temperature: 1 }, "chat options"],
  ])("are no second source of %s", async (_, own, place) => {
    const failure = await refusal({ ...given(own), temperature: 0 });
    expect(failure).toMatchObject({ code: "two_sources" });
    expect(Object(failure).message).toContain(place);
  });

  it("are no second source of a part of a setting", async () => {
    const responseFormat = { type: "json_schema", schema: { type: "object" } } as const;
    const options = { ...given({ text: { format: { type: "text" } } }), responseFormat };
    expect(await refusal(options)).toMatchObject({
      code: "two_sources",
      message: expect.stringContaining("text.format"),
    });
  });

  it("ask for nothing in the background", async () => {
    expect(await refusal(given({ background: true }))).toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("background"),
    });
  });
});

describe("reasoning in a form that can be sent back", () => {
  const encrypted = "reasoning.encrypted_content";

  it.each(["o3", "o4-mini", "gpt-5", "gpt-5.6-mini", "gpt-5.3-codex", "openai/gpt-5", "gpt-10"])(
    "is asked for of %s",
    async (model) => {
      expect((await sent({ model }))["include"]).toEqual([encrypted]);
    },
  );

  it.each(["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "qwen3"])(
    "is not asked for of %s, which would refuse it",
    async (model) => {
      expect(await sent({ model })).not.toHaveProperty("include");
    },
  );

  it("is asked for where the request sets reasoning, beside what else is to be included", async () => {
    const include = ["file_search_call.results"];
    const options = { openai: { include, reasoning: { effort: "low" } } };
    expect((await sent({ providerOptions: options }))["include"]).toEqual([...include, encrypted]);
    const own = { openai: { include: [encrypted] } };
    expect((await sent({ model: "o3", providerOptions: own }))["include"]).toEqual([encrypted]);
  });
});
