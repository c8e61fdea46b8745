import type { ServerResponse } from "node:http";
import { GoogleGenAI } from "@google/genai";
import { hostedTool } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GeminiChatClient, type GeminiChatClientOptions } from "../src/index.js";
import { functionTool, message, stop } from "./build.js";
import { bodyFor, failureFor } from "./request-body.js";
import { either, whole, wireServer } from "./wire-server.js";

const search = hostedTool({
  provider: "gemini",
  name: "google_search",
  definition: { googleSearch: {} },
});
const lamp = functionTool("lamp");

describe("the client", () => {
  beforeEach(() => {
    for (const name of ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"])
      vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const keyOf = async (env: Record<string, string>, own: Partial<GeminiChatClientOptions> = {}) => {
    await using server = await wireServer(either(stop()));
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const client = new GeminiChatClient({ model: "gemini-3.5-flash", baseURL: server.url, ...own });
    await client.getResponse({ messages: [message("user", "hi")], options: {} });
    return server.asked[0]?.headers["x-goog-api-key"];
  };

  it("takes its key from the options, then from the environment", async () => {
    expect(await keyOf({ GOOGLE_API_KEY: "g" })).toBe("g");
    expect(await keyOf({ GEMINI_API_KEY: "m", GOOGLE_API_KEY: "g" })).toBe("m");
    expect(await keyOf({ GEMINI_API_KEY: "m" }, { apiKey: "own" })).toBe("own");
  });

  it("prints nothing, whatever is in the environment and in the answer", async () => {
    const printed = [
      ...(["log", "info", "warn", "error", "debug"] as const).map((name) =>
        vi.spyOn(console, name).mockImplementation(() => {}),
      ),
    ];
    await keyOf({ GEMINI_API_KEY: "m", GOOGLE_API_KEY: "g", GOOGLE_GENAI_USE_VERTEXAI: "true" });
    await using server = await wireServer(
      whole({ candidates: [{}, {}].map((_, index) => ({ index, finishReason: "STOP" })) }),
    );
    await server.client().getResponse({ messages: [message("user", "hi")], options: {} });
    for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  });

  it("asks the Gemini API, whatever the environment wants of Vertex AI", async () => {
    vi.stubEnv("GOOGLE_GENAI_USE_VERTEXAI", "true");
    await using server = await wireServer(either(stop()));
    await server.client().getResponse({ messages: [message("user", "hi")], options: {} });
    expect(server.asked[0]?.path).toBe("/v1beta/models/gemini-3.5-flash:generateContent");
  });

  it("without a key says where to put one", () => {
    expect(() => new GeminiChatClient({ model: "m" })).toThrow(/Set GEMINI_API_KEY or pass apiKey/);
  });

  it.each<[object, RegExp]>([
    [{ model: "m", apikey: "x" }, /apikey/],
    [{ apiKey: "x" }, /needs a model/],
    [{ model: "m", apiKey: "x", modelGeneration: "3" }, /modelGeneration/],
    [{ model: "m", apiKey: "x", client: new GoogleGenAI({ apiKey: "k" }) }, /client and apiKey/],
  ])("%#: what is wrong with its options is told", (options, text) => {
    expect(() => new GeminiChatClient(options as GeminiChatClientOptions)).toThrow(text);
    expect(() => new GeminiChatClient("m" as unknown as GeminiChatClientOptions)).toThrow(
      /takes an object/,
    );
  });

  it("sends headers of its own and repeats only when it is told to", async () => {
    const busy = (response: ServerResponse): void => {
      response.writeHead(503, { "content-type": "application/json" });
      response.end('{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}');
    };
    await using server = await wireServer(busy, either(stop()));
    const request = { messages: [message("user", "hi")], options: {} };
    const headers = { "x-team": "a" };
    const once = server.client({ defaultHeaders: headers });
    await expect(once.getResponse(request)).rejects.toMatchObject({ code: "overloaded" });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.headers).toMatchObject(headers);
  });

  it("Vertex AI: a ready client, its path, tags as labels, and no flag that it does not know", async () => {
    await using server = await wireServer(either(stop()));
    const sdk = new GoogleGenAI({
      vertexai: true,
      apiKey: "key",
      httpOptions: { baseUrl: server.url },
    });
    const client = new GeminiChatClient({ model: "gemini-3.5-flash", client: sdk });
    await client.getResponse({
      messages: [message("user", "hi")],
      options: { metadata: { team: "a" }, tools: [lamp, search] },
    });
    expect(server.asked[0]?.path).toContain("publishers/google/models/gemini-3.5-flash");
    expect(server.bodies[0]).toMatchObject({ labels: { team: "a" } });
    expect(server.bodies[0]?.["toolConfig"]).not.toHaveProperty("includeServerSideToolInvocations");
  });

  it("what only the other of the two services knows is refused before the request", async () => {
    const options = { providerOptions: { gemini: { audioTimestamp: true } } };
    expect(await failureFor(options)).toMatchObject({ code: "unsupported" });
  });

  it("the generation can be told where the name does not tell", async () => {
    const own = { model: "tunedModels/mine", modelGeneration: 3 };
    expect(await bodyFor({ tools: [search, lamp] }, own)).toHaveProperty("toolConfig");
    const client = { model: "tunedModels/mine" };
    expect(await failureFor({ tools: [search, lamp] }, client)).toMatchObject({
      code: "unsupported",
    });
  });
});
