import { type ChatOptions, hostedTool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { functionTool, message, stop } from "./build.js";
import { bodyFor, failureFor } from "./request-body.js";
import { either, wireServer } from "./wire-server.js";

const search = hostedTool({
  provider: "gemini",
  name: "google_search",
  definition: { googleSearch: {} },
});
const lamp = functionTool("lamp");
const old = { model: "gemini-2.5-flash" };

describe("options", () => {
  it("go into the words of the service", async () => {
    const body = await bodyFor({
      instructions: [
        { source: "agent", text: "Be brief." },
        { source: "run", text: "Be kind." },
      ],
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 100,
      stop: ["END"],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      providerOptions: {
        gemini: {
          thinkingConfig: { thinkingLevel: "LOW" },
          safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
          topK: 3,
        },
      },
    });
    expect(body).toEqual({
      systemInstruction: { role: "user", parts: [{ text: "Be brief.\n\nBe kind." }] },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 3,
        maxOutputTokens: 100,
        stopSequences: ["END"],
        seed: 7,
        frequencyPenalty: 0.1,
        presencePenalty: 0.2,
        thinkingConfig: { thinkingLevel: "LOW" },
      },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    });
  });

  it("the model of a request wins over that of the client", async () => {
    await using server = await wireServer(either(stop()));
    const options = { model: "gemini-3-pro-preview" };
    await server.client().getResponse({ messages: [message("user", "hi")], options });
    expect(server.asked[0]?.path).toBe("/v1beta/models/gemini-3-pro-preview:generateContent");
  });

  it.each<[string, ChatOptions, RegExp]>([
    ["conversationId", { conversationId: "c" }, /conversationId/],
    ["metadata", { metadata: { team: "a" } }, /options\.metadata.*Vertex AI/],
    ["parallelToolCalls", { tools: [lamp], parallelToolCalls: false }, /parallelToolCalls/],
    ["required", { tools: [search], toolChoice: "required" }, /needs a function/],
  ])("%s has no form there: refused before the request", async (_, options, text) => {
    const failure = await failureFor(options);
    expect(failure).toMatchObject({ code: "unsupported", message: expect.stringMatching(text) });
  });

  it.each([
    [{ temperature: 1, providerOptions: { gemini: { temperature: 0 } } }, "two_sources"],
    [{ tools: [lamp], providerOptions: { gemini: { tools: [] } } }, "two_sources"],
    [
      { instructions: "Be brief.", providerOptions: { gemini: { cachedContent: "c" } } },
      "two_sources",
    ],
    [{ providerOptions: { gemini: { contents: [] } } }, "invalid_option"],
    [{ providerOptions: { gemini: { abortSignal: {} } } }, "invalid_option"],
  ])("%j is a ConfigurationError %s", async (options, code) => {
    expect(await failureFor(options)).toMatchObject({ name: "ConfigurationError", code });
  });

  it("objects of providerOptions are merged one level deep", async () => {
    const options = {
      tools: [lamp],
      toolChoice: "required",
      providerOptions: { gemini: { toolConfig: { retrievalConfig: { languageCode: "de" } } } },
    } as const;
    expect((await bodyFor(options))["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY" },
      retrievalConfig: { languageCode: "de" },
    });
  });

  it("messages that say nothing are refused", async () => {
    await using server = await wireServer(either(stop()));
    const asked = server.client().getResponse({ messages: [message("user", " ")], options: {} });
    await expect(asked).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("responseFormat", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string" },
      size: { oneOf: [{ type: "integer" }, { type: "null" }] },
    },
    required: ["city"],
    additionalProperties: false,
  };
  const responseFormat = { type: "json_schema", schema } as const;

  it("is the service's own, beside tools too", async () => {
    const body = await bodyFor({ responseFormat, tools: [lamp] });
    expect(body["generationConfig"]).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: {
        ...schema,
        properties: {
          city: { type: "string" },
          size: { anyOf: [{ type: "integer" }, { type: "null" }] },
        },
      },
    });
  });

  it("is the service's own for an older model without tools", async () => {
    expect(await bodyFor({ responseFormat }, old)).toMatchObject({
      generationConfig: { responseMimeType: "application/json" },
    });
  });

  it("beside tools an older model is made to call a tool with the answer", async () => {
    const call = { functionCall: { name: "response", args: { city: "Bergen" } } };
    await using server = await wireServer(either(stop([call])));
    for (const more of [{}, { onUpdate: () => {} }]) {
      const response = await server.client(old).getResponse({
        messages: [message("user", "hi")],
        options: { responseFormat, tools: [lamp] },
        ...more,
      });
      expect(response).toMatchObject({
        messages: [{ contents: [{ type: "text", text: '{"city":"Bergen"}' }] }],
        finishReason: "stop",
      });
    }
    expect(server.bodies[0]).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "lamp" }, { name: "response" }] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    });
  });
});
