import {
  Agent,
  AgentSession,
  approve,
  deny,
  hostedTool,
  type JsonObject,
  type Message,
  pending,
  tool,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { OpenAIResponsesClient } from "../../src/index.js";
import { asEvents } from "./as-events.js";
import { called, type Item, response, said, thought } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

const wiki = hostedTool({
  provider: "openai",
  name: "wiki",
  definition: {
    type: "mcp",
    server_label: "wiki",
    server_url: "https://mcp.example.com",
    require_approval: "always",
  },
});

const list: Item = {
  type: "mcp_list_tools",
  id: "mcpl_1",
  server_label: "wiki",
  tools: [{ name: "ask", input_schema: { type: "object" } }],
};
const question: Item = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "wiki",
  name: "ask",
  arguments: '{"q":"tunic"}',
};
const ran: Item = {
  type: "mcp_call",
  id: "mcp_1",
  approval_request_id: "mcpr_1",
  server_label: "wiki",
  name: "ask",
  arguments: '{"q":"tunic"}',
  output: "A layer of an onion.",
};
const asked = response([list, thought("rs_1", "E1"), question], { id: "resp_1" });
const answered = response([ran, said("A layer of an onion.")], { id: "resp_2" });
const denied = response([said("Then not.")], { id: "resp_2" });
const thanked = response([said("Welcome.", { id: "msg_3" })], { id: "resp_3" });

const manners = [
  { manner: "whole", reply: (body: JsonObject) => ({ body }), onUpdate: undefined },
  {
    manner: "streamed",
    reply: (body: JsonObject) => ({ chunks: asEvents(body) }),
    onUpdate: () => {},
  },
];
const cases = [true, false].flatMap((store) => manners.map((each) => ({ store, ...each })));

describe.each(cases)(
  "a remote server's tool that wants approval, store: $store, $manner",
  ({ store, reply, onUpdate }) => {
    const agentOf = (server: ResponsesServer) =>
      new Agent({
        client: new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url, store }),
        tools: wiki,
      });

    async function asking(server: ResponsesServer) {
      const agent = agentOf(server);
      const session = new AgentSession();
      const first = await agent.run("What is a tunic?", { session, onUpdate });
      expect(first.outcome).toBe("paused");
      expect(first.approvalRequests).toMatchObject([
        {
          requestId: "mcpr_1",
          provider: "openai",
          call: { name: "ask", arguments: { q: "tunic" } },
          reason: expect.stringContaining('"wiki"'),
        },
      ]);
      // A restart.
      const restored = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
      const [request] = restored.pending;
      if (request === undefined) throw new Error("nothing was asked");
      return { agent: agentOf(server), session: restored, request, first };
    }

    it("B38: pauses, survives a restart, and goes on with the person's answer", async () => {
      await using server = await ResponsesServer.start();
      server.reply(reply(asked), reply(answered), reply(thanked));
      const { agent, session, request } = await asking(server);
      const second = await agent.run(approve(request), { session, onUpdate });
      expect(second.text).toBe("A layer of an onion.");
      expect(server.lastInput).toMatchObject([
        { role: "user", content: "What is a tunic?" },
        list,
        { type: "reasoning", id: "rs_1", encrypted_content: "E1" },
        question,
        { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      ]);
      expect(session.pending).toEqual([]);
      await agent.run("Thanks.", { session, onUpdate });
      expect(server.lastInput.map((item) => item["type"])).toEqual([
        "message",
        "mcp_list_tools",
        "reasoning",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "message",
        "message",
      ]);
      expect(server.lastInput[5]).toEqual(ran);
    });

    it("B33: a denial goes back with its reason", async () => {
      await using server = await ResponsesServer.start();
      server.reply(reply(asked), reply(denied));
      const { agent, session, request } = await asking(server);
      const second = await agent.run(deny(request, { reason: "Not today." }), {
        session,
        onUpdate,
      });
      expect(second.text).toBe("Then not.");
      expect(server.lastInput.at(-1)).toEqual({
        type: "mcp_approval_response",
        approval_request_id: "mcpr_1",
        approve: false,
        reason: "Not today.",
      });
    });

    it("B39: a person who goes on talking leaves the question out", async () => {
      await using server = await ResponsesServer.start();
      server.reply(reply(asked), reply(thanked));
      const { agent, session } = await asking(server);
      await agent.run("Never mind.", { session, onUpdate });
      expect(server.lastInput.map((item) => item["content"])).toEqual([
        "What is a tunic?",
        "Never mind.",
      ]);
    });
  },
);

it("a held conversation gets the answer alone", async () => {
  await using server = await ResponsesServer.start();
  server.reply({ body: asked }, { body: answered });
  const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url, store: true });
  const agent = new Agent({ client, tools: wiki });
  const first = await agent.run("What is a tunic?");
  const history: Message[] = JSON.parse(JSON.stringify(first.newMessages));
  const [request] = pending(history);
  if (request === undefined) throw new Error("nothing was asked");
  const options = { conversationId: first.conversationId };
  const second = await agent.run([...history, approve(request)], { options });
  expect(second.text).toBe("A layer of an onion.");
  expect(server.lastBody["previous_response_id"]).toBe("resp_1");
  expect(server.lastInput).toEqual([
    { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  ]);
});

it("B32: beside calls of ours, each gets its own answer, ours before the service's", async () => {
  await using server = await ResponsesServer.start();
  const both = response([list, question, called("c1", "wipe"), called("c2", "read")]);
  server.reply({ body: both }, { body: answered });
  const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url });
  const wiped: string[] = [];
  const wipe = tool({
    name: "wipe",
    approvalMode: "always_require",
    execute: () => {
      wiped.push("wiped");
      return "wiped";
    },
  });
  const read = tool({ name: "read", execute: () => "read" });
  const agent = new Agent({ client, tools: [wiki, wipe, read] });
  const session = new AgentSession();
  await agent.run("Go.", { session });
  for (const request of session.pending) await agent.run(approve(request), { session });
  expect(wiped).toEqual(["wiped"]);
  expect(server.requests).toHaveLength(2);
  expect(server.lastInput.map((item) => item["call_id"] ?? item["type"])).toEqual([
    "message",
    "mcp_list_tools",
    "mcp_approval_request",
    "c1",
    "c2",
    "c1",
    "c2",
    "mcp_approval_response",
  ]);
});

it("another service's question, and the answer to it, are not sent here", async () => {
  await using server = await ResponsesServer.start();
  server.reply({ body: thanked });
  const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url });
  const log: Message[] = [
    { id: "1", role: "user", contents: [{ type: "text", text: "Hi." }], createdAt: 0 },
    {
      id: "2",
      role: "assistant",
      contents: [
        {
          type: "function_approval_request",
          requestId: "mcpr_9",
          provider: "other",
          call: { type: "function_call", callId: "mcpr_9", name: "ask", arguments: {} },
        },
      ],
      createdAt: 0,
    },
    {
      id: "3",
      role: "user",
      contents: [{ type: "function_approval_response", requestId: "mcpr_9", approved: true }],
      createdAt: 0,
    },
  ];
  await client.getResponse({ messages: log, options: {} });
  expect(server.lastInput).toEqual([{ type: "message", role: "user", content: "Hi." }]);
});
