import type { Content, JsonObject } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIResponsesClient } from "../../src/index.js";
import { message, noticingRun, request } from "../helpers.js";
import { response, said } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

let server: ResponsesServer;
let client: OpenAIResponsesClient;
beforeEach(async () => {
  server = await ResponsesServer.start();
  server.always(() => ({ body: response([said("Fine.")], { id: "resp_9" }) }));
  client = new OpenAIResponsesClient({ model: "m", baseURL: server.url, store: true });
});
afterEach(() => server.stop());

function heldText(text: string, data: JsonObject): Content {
  return { type: "text", text, providerData: { openai: data } };
}

const words = () => server.lastInput.map(({ content }) => content);

describe("an answer that another service holds", () => {
  it.each([
    ["by the id of a response", "resp_1"],
    ["by the id of a conversation", "conv_1"],
  ])("(%s) is told in words, and its id stays with that service", async (_how, conversationId) => {
    const data = { origin: "other.example", responseId: "resp_1", conversationId: "conv_1" };
    const log = [message("user", "One"), message("assistant", heldText("Two", data))];
    const notices: string[] = [];
    await client.getResponse({
      ...request([...log, message("user", "Three")], { conversationId }),
      run: noticingRun(notices),
    });
    expect(words()).toEqual(["One", "Two", "Three"]);
    expect(JSON.stringify(server.lastBody)).not.toMatch(/resp_1|conv_1/);
    expect(notices).toEqual([expect.stringMatching(/^conversation_elsewhere: .*another service/)]);
  });

  it("is followed by one that this service holds: from there it goes on", async () => {
    const origin = new URL(server.url).host;
    const log = [
      message("assistant", heldText("One", { origin, responseId: "resp_0" })),
      message("assistant", heldText("Two", { origin: "other.example", responseId: "resp_1" })),
      message("user", "Three"),
    ];
    await client.getResponse(request(log, { conversationId: "resp_1" }));
    expect(server.lastBody["previous_response_id"]).toBe("resp_0");
    expect(words()).toEqual(["Two", "Three"]);
  });
});

describe("where the service holds what stands before", () => {
  const held = () =>
    message(
      "assistant",
      heldText("Two", { origin: new URL(server.url).host, responseId: "resp_1" }),
    );

  it("and nothing that is new can be sent, all is said anew", async () => {
    const decision: Content = {
      type: "function_approval_response",
      requestId: "nobody-asked",
      approved: true,
    };
    for (const last of [message("user", ""), message("user", decision)]) {
      const log = [message("user", "One"), held(), last];
      await client.getResponse(request(log, { conversationId: "resp_1" }));
      expect(server.lastBody).not.toHaveProperty("previous_response_id");
      expect(words()).toEqual(["One", "Two"]);
    }
  });

  it("a question is answered once, by the first decision", async () => {
    const answers = [false, true].map((approved) =>
      message("user", { type: "function_approval_response", requestId: "mcpr_1", approved }),
    );
    await client.getResponse(request([held(), ...answers], { conversationId: "resp_1" }));
    expect(server.lastInput).toEqual([
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false },
    ]);
  });
});

it.each(["constructor", "__proto__", "toString"])(
  "an item of the type %s is kept like any that is not known",
  async (type) => {
    server.reply({ body: response([{ type, id: "w" }]) });
    const { messages } = await client.getResponse(request());
    expect(messages[0]?.contents).toMatchObject([
      { type, providerData: { openai: { itemId: "w" } } },
    ]);
  },
);
