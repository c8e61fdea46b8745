import { Agent, AgentSession, type Content, type Message, tool as makeTool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import {
  OpenAIResponsesClient,
  toOpenAIResponsesInput,
  toOpenAIResponsesTools,
} from "../../src/index.js";
import { call, message, noticingRun, request, result, tool } from "../helpers.js";
import { asEvents } from "./as-events.js";
import { called, response, said, thought } from "./build.js";
import { streamed } from "./read-answer.js";
import { ResponsesServer } from "./responses-server.js";

async function setUp(store = true) {
  const server = await ResponsesServer.start();
  let count = 0;
  server.always(() => ({
    body: response([said(`Answer ${++count}`, { id: `msg_${count}` })], { id: `resp_${count}` }),
  }));
  const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url, store });
  return { server, client };
}

const words = (server: ResponsesServer) =>
  server.lastInput.map((item) => item["content"] ?? item["output"]);

describe("a conversation that the service holds", () => {
  it("has the id of its last response, and is continued with what is new", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const log: Message[] = [message("user", "One")];
    const first = await client.getResponse(request(log, { instructions: "Be brief." }));
    expect(first.conversationId).toBe("resp_1");
    expect(server.lastBody).toMatchObject({ store: true, instructions: "Be brief." });
    expect(server.lastBody).not.toHaveProperty("previous_response_id");
    // The service has its own reasoning.
    expect(server.lastBody).not.toHaveProperty("include");
    log.push(...first.messages, message("user", "Two"));
    const stored: Message[] = JSON.parse(JSON.stringify(log));
    const second = await client.getResponse(
      request(stored, { instructions: "Be long.", conversationId: "resp_1" }),
    );
    expect(server.lastBody).toMatchObject({
      previous_response_id: "resp_1",
      // They are not carried over by the service.
      instructions: "Be long.",
    });
    expect(words(server)).toEqual(["Two"]);
    expect(second.conversationId).toBe("resp_2");
  });

  it("gets the results of its calls alone, in one run and in the next", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    server.reply({
      body: response([thought("rs_1"), called("c1", "lamp"), called("c2", "lamp")], {
        id: "resp_c",
      }),
    });
    const lamp = makeTool({ name: "lamp", execute: () => "on" });
    const agent = new Agent({ client, tools: lamp });
    const session = new AgentSession();
    const first = await agent.run("Light!", { session });
    expect(server.lastBody["previous_response_id"]).toBe("resp_c");
    expect(server.lastInput).toEqual([
      { type: "function_call_output", call_id: "c1", output: "on" },
      { type: "function_call_output", call_id: "c2", output: "on" },
    ]);
    await agent.run("And now?", {
      session,
      options: { conversationId: first.conversationId },
    });
    expect(server.lastBody["previous_response_id"]).toBe("resp_1");
    expect(words(server)).toEqual(["And now?"]);
  });

  it("knows its calls by their own ids, whatever they are called in the log", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const renamed: Content = {
      type: "function_call",
      callId: "c_2",
      name: "lamp",
      arguments: {},
      providerData: { openai: { callId: "c", responseId: "resp_b" } },
    };
    const log = [
      message("user", "Light!"),
      message("assistant", call("c", "lamp")),
      message("tool", result("c", "on")),
      message("assistant", renamed),
      message("tool", result("c_2", "on")),
    ];
    await client.getResponse(request(log, { conversationId: "resp_b" }));
    expect(server.lastInput).toEqual([
      { type: "function_call_output", call_id: "c", output: "on" },
    ]);
    await client.getResponse(request(log));
    expect(server.lastInput.at(-1)).toMatchObject({ call_id: "c_2" });
  });

  it("is found again where the service says only at the end which response it was", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    for (const item of [said("Yes."), called("c1", "lamp")]) {
      const answer = response([item], { id: "resp_late" });
      const chunks = asEvents(answer).filter(
        (event) => !/created|progress/.test(`${event["type"]}`),
      );
      server.reply({ chunks });
      const log = [message("user", "One")];
      const { response: first } = await streamed(client, request(log));
      const more = [
        ...log,
        ...first.messages,
        message("tool", result("c1", "on")),
        message("user", "Two"),
      ];
      const news = item.type === "message" ? more.filter(({ role }) => role !== "tool") : more;
      await client.getResponse(request(news, { conversationId: first.conversationId }));
      expect(server.lastBody["previous_response_id"]).toBe("resp_late");
      expect(words(server)).toEqual(item.type === "message" ? ["Two"] : ["on", "Two"]);
    }
  });

  it("of somebody else is continued with all that is given", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const given = [message("user", "One"), message("assistant", "Hm."), message("user", "Two")];
    await client.getResponse(request(given, { conversationId: "resp_elsewhere" }));
    expect(server.lastBody["previous_response_id"]).toBe("resp_elsewhere");
    expect(words(server)).toEqual(["One", "Hm.", "Two"]);
  });

  it("goes on from the last answer among the messages where none belongs to it, and says so", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const one = await client.getResponse(request([message("user", "One")]));
    const given = [message("user", "One"), ...one.messages, message("user", "Two")];
    const notices: string[] = [];
    const asked = request(given, { conversationId: "resp_of_a_batch_that_waits" });
    await client.getResponse({ ...asked, run: noticingRun(notices) });
    expect(server.lastBody["previous_response_id"]).toBe("resp_1");
    expect(words(server)).toEqual(["Two"]);
    expect(notices).toEqual([expect.stringContaining("conversation_elsewhere")]);
  });

  it("is told anew where nothing is new", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const one = await client.getResponse(request([message("user", "One")]));
    const given = [message("user", "One"), ...one.messages];
    await client.getResponse(request(given, { conversationId: "resp_1" }));
    expect(server.lastBody).not.toHaveProperty("previous_response_id");
    expect(server.lastInput).toHaveLength(2);
  });

  it("may have a lasting id, under which the service collects all", async () => {
    const { server, client } = await setUp();
    await using _ = server;
    const conversation = { id: "conv_1" };
    server.reply({ body: response([said("Yes.")], { conversation }) });
    const asked = [message("user", "One")];
    const first = await client.getResponse(request(asked, { conversationId: "conv_1" }));
    expect(server.lastBody["conversation"]).toBe("conv_1");
    expect(first.conversationId).toBe("conv_1");
    const log = [...asked, ...first.messages, message("user", "Two")];
    await client.getResponse(request(log, { conversationId: "conv_1" }));
    expect(server.lastBody["conversation"]).toBe("conv_1");
    expect(server.lastBody).not.toHaveProperty("previous_response_id");
    expect(words(server)).toEqual(["Two"]);
  });
});

describe("without storing", () => {
  it("no response has a conversation, and all is sent every time", async () => {
    const { server, client } = await setUp(false);
    await using _ = server;
    const log = [message("user", "One")];
    const first = await client.getResponse(request(log));
    expect(first.conversationId).toBeUndefined();
    expect(JSON.stringify(first.messages)).not.toContain("resp_1");
    await client.getResponse(request([...log, ...first.messages, message("user", "Two")]));
    expect(server.lastBody).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    expect(server.lastInput).toHaveLength(3);
  });

  it("a stored response can be gone on from, and everything since is sent", async () => {
    const { server, client } = await setUp(false);
    await using _ = server;
    server.reply({ body: response([called("c1", "lamp")], { id: "resp_c" }) });
    const agent = new Agent({ client, tools: makeTool({ name: "lamp", execute: () => "on" }) });
    const made = await agent.run("Light!", { options: { conversationId: "resp_stored" } });
    expect(server.lastBody).toMatchObject({ store: false, previous_response_id: "resp_stored" });
    expect(server.lastInput.map((item) => item["type"])).toEqual([
      "message",
      "function_call",
      "function_call_output",
    ]);
    expect(made.conversationId).toBe("resp_stored");
  });

  it("a lasting conversation is refused before anything is sent", async () => {
    const { server, client } = await setUp(false);
    await using _ = server;
    const asked = client.getResponse(request(undefined, { conversationId: "conv_1" }));
    await expect(asked).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("store: true"),
    });
    expect(server.requests).toHaveLength(0);
  });

  it("an answer that the service did not keep, whatever it was asked for, is none to go on from", async () => {
    const { server, client } = await setUp(true);
    await using _ = server;
    server.reply({ body: response([said("Yes.")], { store: false }) });
    const made = await client.getResponse(request());
    expect(made.conversationId).toBeUndefined();
    expect(JSON.stringify(made.messages)).not.toContain("resp_1");
  });
});

/** A message that counts how often its contents are looked at. */
function watched(inner: Message, looks: Map<string, number>): Message {
  const { contents, ...rest } = inner;
  return {
    ...rest,
    get contents() {
      looks.set(inner.id, (looks.get(inner.id) ?? 0) + 1);
      return contents;
    },
  };
}

describe("cost", () => {
  it("of 500 messages of which 498 are old, two are converted", () => {
    const looks = new Map<string, number>();
    const log: Message[] = [];
    for (let round = 0; round < 125; round++) {
      const id = `c${round}`;
      const turn = [
        message("user", `Question ${round}`),
        message("assistant", call(id, "lamp", { round })),
        message("tool", result(id, "on")),
        message("assistant", `Answer ${round}`),
      ];
      log.push(...turn.map((each) => watched(each, looks)));
    }
    const before = toOpenAIResponsesInput(log.slice(0, 498));
    expect(looks.size).toBe(498);
    looks.clear();
    const after = toOpenAIResponsesInput(log);
    expect([...looks.keys()]).toEqual(log.slice(498).map(({ id }) => id));
    expect(after).toHaveLength(500);
    for (const [at, item] of before.entries()) expect(after[at]).toBe(item);
  });

  it("a tool is converted once, in each of its forms", () => {
    const lamp = tool("lamp");
    for (const strict of [true, false]) {
      const [first] = toOpenAIResponsesTools([lamp], { strict });
      expect(toOpenAIResponsesTools([tool("gauge"), lamp], { strict })[1]).toBe(first);
      expect(first).toMatchObject({ strict });
    }
  });
});
