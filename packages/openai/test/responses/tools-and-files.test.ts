import { type ChatOptions, hostedTool, type JsonObject } from "@tunic/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OpenAIResponsesClient } from "../../src/index.js";
import { failureOf, message, noticingRun, request, tool } from "../helpers.js";
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

describe("tools", () => {
  const hosted = (name: string, definition: JsonObject) =>
    hostedTool({ provider: "openai", name, definition });
  const search = hosted("search", { type: "web_search" });
  const files = hosted("files", { type: "file_search", vector_store_ids: ["vs_1"] });
  const python = hosted("python", { type: "code_interpreter", container: { type: "auto" } });
  const paint = hosted("paint", { type: "image_generation" });
  const wiki = hosted("wiki", {
    type: "mcp",
    server_label: "wiki",
    server_url: "https://mcp.example.com",
  });
  const tools = [search, files, python, paint, wiki, tool("my.lamp")];

  it("that the service hosts are sent as they are defined", async () => {
    const body = await sent({ tools });
    const definitions = [search, files, python, paint, wiki].map((each) => each.definition);
    expect(body["tools"]).toMatchObject([...definitions, { type: "function" }]);
  });

  it.each<[ChatOptions["toolChoice"], unknown]>([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "my.lamp" }, { type: "function", name: expect.stringMatching(/^my_lamp_/) }],
    [{ name: "files" }, { type: "file_search" }],
    [{ name: "wiki" }, { type: "mcp", server_label: "wiki" }],
    [
      { name: "search" },
      { type: "allowed_tools", mode: "required", tools: [{ type: "web_search" }] },
    ],
    [
      { allowed: ["my.lamp", "paint", "wiki"] },
      {
        type: "allowed_tools",
        mode: "auto",
        tools: [
          { type: "function", name: expect.stringMatching(/^my_lamp_/) },
          { type: "image_generation" },
          { type: "mcp", server_label: "wiki" },
        ],
      },
    ],
  ])("can be chosen: %j", async (toolChoice, choice) => {
    expect((await sent({ tools, ...(toolChoice && { toolChoice }) }))["tool_choice"]).toEqual(
      choice,
    );
  });

  it("cannot be chosen where they are not", async () => {
    expect(await refusal({ tools, toolChoice: { name: "gone" } })).toMatchObject({
      code: "invalid_option",
    });
    expect(await refusal({ toolChoice: "required" })).toMatchObject({ code: "invalid_option" });
  });

  it("are told early which the service would refuse", () => {
    expect(() => client.checkTools(tools)).not.toThrow();
    const foreign = hostedTool({ provider: "anthropic", name: "x", definition: { type: "y" } });
    expect(() => client.checkTools([foreign])).toThrow(/run by anthropic/);
    for (const type of ["custom", "function", "computer", "local_shell", "apply_patch"]) {
      expect(() => client.checkTools([hosted("x", { type })])).toThrow(/does not run the tool "x"/);
    }
    const alike = tool("my_lamp_c0ffee00");
    expect(() => client.checkTools([alike, tool("my.lamp")])).not.toThrow();
  });
});

describe("files", () => {
  const png = { type: "data", data: "iVBORw0KGgo=", mediaType: "image/png" } as const;
  const pdf = {
    type: "data",
    data: "JVBERi0=",
    mediaType: "application/pdf",
    name: "a.pdf",
  } as const;
  const pdfAt = {
    type: "uri",
    uri: "https://example.com/a.pdf",
    mediaType: "application/pdf",
  } as const;
  const note = { type: "data", data: "aGk=", mediaType: "text/plain" } as const;
  const sound = { type: "data", data: "AAAA", mediaType: "audio/wav" } as const;
  const parts = [
    { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
    {
      type: "input_file",
      filename: "a.pdf",
      file_data: "data:application/pdf;base64,JVBERi0=",
    },
    { type: "input_file", file_url: "https://example.com/a.pdf" },
    { type: "input_text", text: "hi" },
  ];

  it("of a user are parts of the message", async () => {
    await client.getResponse(request([message("user", "See:", png, pdf, pdfAt, note)]));
    const [item] = server.lastInput;
    expect(item?.["content"]).toEqual([{ type: "input_text", text: "See:" }, ...parts]);
  });

  it("that the service cannot take are refused before anything is sent", async () => {
    const before = server.requests.length;
    const failure = await failureOf(client.getResponse(request([message("user", sound)])));
    expect(failure).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("audio/wav"),
    });
    expect(server.requests).toHaveLength(before);
  });

  it("of a tool's result stand in the result; what cannot be shown is told", async () => {
    const result = {
      type: "function_result",
      callId: "c1",
      contents: [{ type: "text", text: "See:" }, png, pdf, pdfAt, note, sound],
    } as const;
    const call = { type: "function_call", callId: "c1", name: "t", arguments: {} } as const;
    const log = [message("user", "Hi."), message("assistant", call), message("tool", result)];
    await client.getResponse(request(log));
    expect(server.lastInput[2]?.["output"]).toEqual([
      { type: "input_text", text: "See:" },
      ...parts,
      { type: "input_text", text: expect.stringContaining("audio/wav") },
    ]);
  });
});

it("what cannot be said is told once in a message's life", async () => {
  const foreign = { type: "hosted_tool_call", callId: "x", name: "y" } as const;
  const log = [
    message("user", "Hi."),
    message("assistant", "Yes.", foreign),
    message("user", "So?"),
  ];
  const notices: string[] = [];
  const asked = { ...request(log), run: noticingRun(notices) };
  for (const _ of [1, 2]) await client.getResponse(asked);
  expect(notices).toEqual([expect.stringMatching(/^content_left_out: .*hosted_tool_call/)]);
});
