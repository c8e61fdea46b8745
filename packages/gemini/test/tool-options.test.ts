import { type ChatOptions, hostedTool, type Tool, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { GeminiChatClient, geminiToolNames, toGeminiTools } from "../src/index.js";
import { functionTool } from "./build.js";
import { bodyFor, failureFor } from "./request-body.js";

const search = hostedTool({
  provider: "gemini",
  name: "google_search",
  definition: { googleSearch: {} },
});
const lamp = functionTool("lamp");
const gauge = functionTool("gauge");
const old = { model: "gemini-2.5-flash" };

describe("T4: tool choice", () => {
  const config = async (
    toolChoice: ChatOptions["toolChoice"],
    own = {},
    tools: Tool[] = [lamp, gauge],
  ) => {
    const options = toolChoice === undefined ? { tools } : { tools, toolChoice };
    const body = await bodyFor(options, own);
    return body["toolConfig"] as object | undefined;
  };

  it.each<[ChatOptions["toolChoice"], object | undefined]>([
    [undefined, undefined],
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ name: "lamp" }, { mode: "ANY", allowedFunctionNames: ["lamp"] }],
    [{ allowed: ["gauge"] }, { mode: "VALIDATED", allowedFunctionNames: ["gauge"] }],
    [{ allowed: ["lamp", "gauge"] }, { mode: "AUTO" }],
  ])("%j", async (choice, expected) => {
    expect(await config(choice)).toEqual(expected && { functionCallingConfig: expected });
  });

  it("a list of allowed ones for an older model: the others are left out of this request", async () => {
    const options: ChatOptions = { tools: [lamp, gauge], toolChoice: { allowed: ["gauge"] } };
    const body = await bodyFor(options, old);
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "gauge" }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    });
  });

  it("a list of allowed ones without the service's own tool leaves that out", async () => {
    const options: ChatOptions = { tools: [lamp, search], toolChoice: { allowed: ["lamp"] } };
    expect(await bodyFor(options)).toMatchObject({ tools: [{ functionDeclarations: [{}] }] });
    const only: ChatOptions = { tools: [lamp, search], toolChoice: { allowed: ["google_search"] } };
    expect(await bodyFor(only)).toMatchObject({
      tools: [{ functionDeclarations: [{}] }, { googleSearch: {} }],
      toolConfig: { functionCallingConfig: { mode: "NONE" } },
    });
  });

  it("says nothing where there are no functions", async () => {
    expect(await config("none", {}, [search])).toBeUndefined();
    expect(await config("auto", {}, [])).toBeUndefined();
  });

  it("names on the wire are those of the tools", async () => {
    const odd = functionTool("my tool!");
    const choice = (await config({ name: "my tool!" }, {}, [odd])) as {
      functionCallingConfig: { allowedFunctionNames: string[] };
    };
    expect(choice.functionCallingConfig.allowedFunctionNames).toEqual([
      expect.stringMatching(/^my_tool__[0-9a-f]{8}$/),
    ]);
  });
});

describe("the service's own tools", () => {
  it("go out as they are written", async () => {
    const tools = [
      search,
      hostedTool({ provider: "gemini", name: "url_context", definition: { urlContext: {} } }),
      hostedTool({ provider: "gemini", name: "code", definition: { codeExecution: {} } }),
    ];
    expect(await bodyFor({ tools })).toMatchObject({
      tools: [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }],
    });
  });

  it("beside functions: newer models, in the mode and with the flag that the service demands", async () => {
    expect(await bodyFor({ tools: [search, lamp] })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "lamp" }] }, { googleSearch: {} }],
      toolConfig: {
        functionCallingConfig: { mode: "VALIDATED" },
        includeServerSideToolInvocations: true,
      },
    });
  });

  it("beside functions: an older model cannot", async () => {
    expect(await failureFor({ tools: [search, lamp] }, old)).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("google_search"),
    });
  });

  it("of another service are refused when they are checked", () => {
    const client = new GeminiChatClient({ model: "gemini-3.5-flash", apiKey: "key" });
    const foreign = hostedTool({ provider: "openai", name: "web_search", definition: {} });
    expect(() => client.checkTools([foreign])).toThrow(/"web_search" is run by openai/);
    expect(() => client.checkTools([lamp, search])).not.toThrow();
  });

  it("two names that become one are found when tools are checked", () => {
    const client = new GeminiChatClient({ model: "gemini-3.5-flash", apiKey: "key" });
    const [wire] = toGeminiTools([functionTool("my tool")]);
    const name = wire?.functionDeclarations?.[0]?.name ?? "";
    expect(name).toMatch(/^my_tool_[0-9a-f]{8}$/);
    const both = [functionTool("my tool"), functionTool(name)];
    expect(() => client.checkTools(both)).toThrow(/would both be called/);
  });
});

it("a tool whose arguments may have any name goes out whole: `parameters` cannot say it", () => {
  const parameters = { type: "object", additionalProperties: { type: "string" } };
  const [sent] = toGeminiTools([tool({ name: "tags", parameters, execute: () => "" })]);
  expect(sent?.functionDeclarations?.[0]).toEqual({
    name: "tags",
    parametersJsonSchema: { properties: {}, ...parameters },
  });
});

it("the way back from the names on the wire", () => {
  const odd = tool({ name: "1. fs/read", execute: () => "" });
  const [sent] = toGeminiTools([odd]);
  const name = sent?.functionDeclarations?.[0]?.name ?? "";
  expect(geminiToolNames([odd]).get(name)).toBe("1. fs/read");
});
