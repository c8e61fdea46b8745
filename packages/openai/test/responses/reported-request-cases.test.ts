import {
  Agent,
  type AgentInput,
  type Content,
  deny,
  type JsonObject,
  type Message,
  tool as makeTool,
} from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import { describe, expect, it } from "vitest";
import {
  OpenAIResponsesClient,
  toOpenAIMessages,
  toOpenAIResponsesInput,
} from "../../src/index.js";
import { call, message, noticingRun, request, result } from "../helpers.js";
import { asEvents } from "./as-events.js";
import { called, response, said, thought } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

const sentTypes = (input: readonly object[]) =>
  input.map((item) => Object(item).type ?? Object(item).role);

describe("B12 (d): reasoning of other services", () => {
  it("never reaches this one, nor does what they signed", () => {
    const log = [
      message("user", "Hi."),
      message(
        "assistant",
        { type: "text_reasoning", text: "hm", providerData: { anthropic: { signature: "SIG1" } } },
        { type: "text_reasoning", text: "", providerData: { anthropic: { data: "RD" } } },
        {
          type: "text_reasoning",
          text: "hm",
          providerData: { gemini: { thoughtSignature: "T1" } },
        },
        { type: "text", text: "Yes.", providerData: { gemini: { thoughtSignature: "T2" } } },
        call("c1", "lamp"),
      ),
      message("tool", result("c1", "on")),
    ];
    expect(JSON.stringify(toOpenAIResponsesInput(log))).not.toMatch(/hm|SIG1|RD|T1|T2|signature/i);
    expect(sentTypes(toOpenAIResponsesInput(log))).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
    ]);
  });

  it("of this one does not reach chat completions, nor do its ids", async () => {
    await using server = await ResponsesServer.start();
    const answer = response([thought("rs_1", "E1", "Hm."), said("Yes."), called("c1", "lamp")]);
    server.reply({ body: answer });
    const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url, store: true });
    const { messages } = await client.getResponse(request());
    const log = [message("user", "Hi."), ...messages, message("tool", result("c1", "on"))];
    // Even where both APIs are those of one server.
    const sent = toOpenAIMessages(log, { replay: { origin: new URL(server.url).host } });
    expect(wireProblems("openai-chat", { model: "m", messages: sent })).toEqual([]);
    expect(sent[1]).toMatchObject({ content: "Yes.", tool_calls: [{ id: "c1" }] });
    expect(JSON.stringify(sent)).not.toMatch(/rs_1|msg_1|fc_|resp_1|E1|Hm\./);
  });

  it("of another server of this protocol is not for this one, nor its ids", async () => {
    await using server = await ResponsesServer.start();
    await using other = await ResponsesServer.start();
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
    const output = [thought("rs_1", "E1"), said("Yes."), search, called("c1", "lamp")];
    server.reply({ body: response(output, { id: "resp_here" }) });
    other.always(() => ({ body: response([said("ok")]) }));
    const here = new OpenAIResponsesClient({ model: "m", baseURL: server.url, store: true });
    const there = new OpenAIResponsesClient({ model: "m", baseURL: other.url, store: true });
    const { messages } = await here.getResponse(request());
    const log = [message("user", "Hi."), ...messages, message("tool", result("c1", "on"))];
    await there.getResponse(request(log, { conversationId: "resp_here" }));
    expect(other.lastInput).toEqual([
      { type: "message", role: "user", content: "Hi." },
      { type: "message", role: "assistant", content: "Yes." },
      { type: "function_call", call_id: "c1", name: "lamp", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "on" },
    ]);
  });

  it("of chat completions is plain text here", () => {
    const log = [
      message("user", "Hi."),
      message(
        "assistant",
        { type: "text", text: "Yes." },
        {
          type: "function_call",
          callId: "call_2",
          name: "lamp",
          arguments: {},
          providerData: { openai: { callId: "call" } },
        },
      ),
      message("tool", result("call_2", "on")),
    ];
    expect(toOpenAIResponsesInput(log, { store: true })).toEqual([
      { type: "message", role: "user", content: "Hi." },
      { type: "message", role: "assistant", content: "Yes." },
      { type: "function_call", call_id: "call_2", name: "lamp", arguments: "{}" },
      { type: "function_call_output", call_id: "call_2", output: "on" },
    ]);
  });
});

it("B14: the results of a batch stand together, none is empty, and no text is", () => {
  const failed: Content = { ...result("c2", ""), isError: true };
  const input = toOpenAIResponsesInput([
    message("user", "Hi.", ""),
    message("assistant", "", call("c1", "lamp"), call("c2", "lamp")),
    message("tool", result("c1"), failed),
    message("user", "and tomorrow?"),
  ]);
  expect(input).toEqual([
    { type: "message", role: "user", content: "Hi." },
    { type: "function_call", call_id: "c1", name: "lamp", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "lamp", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "Done; there is no output." },
    { type: "function_call_output", call_id: "c2", output: "Error: the call failed." },
    { type: "message", role: "user", content: "and tomorrow?" },
  ]);
});

it("an item that comes twice goes out with its id once", () => {
  const own = (itemId: string) => ({ providerData: { openai: { itemId } } });
  const once: readonly Content[] = [
    { type: "text", text: "Yes.", ...own("msg_1") },
    { type: "error", message: "But no.", code: "refusal", ...own("msg_1") },
    { type: "function_call", callId: "c1", name: "lamp", arguments: {}, ...own("fc_1") },
  ];
  const twice = once.map((each) =>
    each.type === "function_call" ? { ...each, callId: "c2" } : each,
  );
  const input = toOpenAIResponsesInput([
    message("user", "Hi."),
    message("assistant", ...once),
    message("tool", result("c1", "on")),
    message("assistant", ...twice),
    message("tool", result("c2", "on")),
  ]);
  expect(wireProblems("openai-responses", { model: "m", input })).toEqual([]);
  expect(input).toMatchObject([
    { role: "user" },
    { id: "msg_1", content: [{ text: "Yes." }, { refusal: "But no." }] },
    { id: "fc_1" },
    { call_id: "c1" },
    { role: "assistant", content: "Yes.But no." },
    { call_id: "c2", name: "lamp" },
    { call_id: "c2", output: "on" },
  ]);
});

it("a call that nobody here can answer is not sent, and that is told", async () => {
  const item = { type: "computer_call", id: "cu_1", call_id: "c1", status: "completed" };
  await using server = await ResponsesServer.start();
  server.reply({ body: response([item, said("Hm.")]) }, { body: response([said("ok")]) });
  const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
  const { messages } = await client.getResponse(request());
  expect(messages[0]?.contents[0]).toMatchObject({ type: "computer_call" });
  const notices: string[] = [];
  const asked = request([...request().messages, ...messages, message("user", "So?")]);
  await client.getResponse({ ...asked, run: noticingRun(notices) });
  expect(sentTypes(server.lastInput)).toEqual(["message", "message", "message"]);
  expect(notices).toEqual([expect.stringContaining("computer_call")]);
});

describe.each([
  { way: "whole", reply: (body: JsonObject) => ({ body }), onUpdate: undefined },
  {
    way: "streamed",
    reply: (body: JsonObject) => ({ chunks: asEvents(body) }),
    onUpdate: () => {},
  },
])("B17: reasoning that is not stored, $way", ({ reply, onUpdate }) => {
  async function afterTool(
    encrypted: string | undefined,
    pause: boolean,
  ): Promise<readonly JsonObject[]> {
    await using server = await ResponsesServer.start();
    const output = [thought("rs_1", encrypted), called("c1", "lamp", {}, { id: "fc_1" })];
    server.reply(reply(response(output)), reply(response([said("It is on.", { id: "msg_2" })])));
    const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url });
    const lamp = makeTool({
      name: "lamp",
      ...(pause && { approvalMode: "always_require" as const }),
      execute: () => "on",
    });
    const agent = new Agent({ client, tools: lamp });
    const first = await agent.run("Light!", { onUpdate });
    if (pause) {
      const history: Message[] = JSON.parse(JSON.stringify(first.newMessages));
      const [question] = first.approvalRequests;
      if (question === undefined) throw new Error("nothing was asked");
      const input: AgentInput = [...history, deny(question)];
      await agent.run(input, { onUpdate });
    }
    expect(server.bodies[0]).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    return server.bodies[1]?.["input"] as readonly JsonObject[];
  }

  it.each([
    ["(a)", false],
    ["(c) over a pause", true],
  ])("%s goes back encrypted, directly before its call", async (_, pause) => {
    expect(await afterTool("E1", pause)).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_1", encrypted_content: "E1", summary: [] },
      { type: "function_call", id: "fc_1", call_id: "c1" },
      { type: "function_call_output", call_id: "c1" },
    ]);
  });

  it("(b) does not go back where it was not encrypted, nor does its id", async () => {
    const input = await afterTool(undefined, false);
    expect(sentTypes(input)).toEqual(["message", "function_call", "function_call_output"]);
    expect(JSON.stringify(input)).not.toMatch(/rs_1|fc_1/);
  });
});

describe("B17: reasoning and what follows from it", () => {
  const from = (contents: readonly Content[], store: boolean) =>
    toOpenAIResponsesInput([message("user", "Hi."), message("assistant", ...contents)], { store });
  const rs = (id: string, after?: string): Content => ({
    type: "text_reasoning",
    text: "",
    id,
    providerData: {
      openai: {
        itemId: id,
        part: "summary",
        encryptedContent: "E",
        responseId: "resp_1",
        ...(after && { after }),
      },
    },
  });
  const text: Content = {
    type: "text",
    text: "Yes.",
    providerData: { openai: { itemId: "msg_1", after: "rs_2", responseId: "resp_1" } },
  };

  it.each([true, false])("a row of it stands before what it led to (store: %s)", (store) => {
    expect(from([rs("rs_1"), rs("rs_2", "rs_1"), text], store)).toMatchObject([
      { role: "user" },
      { id: "rs_1" },
      { id: "rs_2" },
      { id: "msg_1" },
    ]);
  });

  it("is left out where what followed is gone, and what stands there now keeps no id", () => {
    expect(sentTypes(from([rs("rs_1"), rs("rs_2", "rs_1")], false))).toEqual(["message"]);
    const other: Content = { type: "text", text: "Censored.", id: "0" };
    expect(from([rs("rs_1"), rs("rs_2", "rs_1"), other], true)[1]).toEqual({
      type: "message",
      role: "assistant",
      content: "Censored.",
    });
    expect(from([rs("rs_1"), text], true).slice(1)).toEqual([
      { type: "message", role: "assistant", content: "Yes." },
    ]);
  });
});
