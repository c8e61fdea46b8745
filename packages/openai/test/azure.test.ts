import { Agent } from "@tunic/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chunk, clientAt, completion, failureOf, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;

beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stop());

const client = () => clientAt(server, {}, "https://me.openai.azure.com/openai/v1");

/** The body of a refused request, by Azure's documentation of content filtering. */
const blocked = {
  error: {
    message:
      "The response was filtered due to the prompt triggering the content management policy.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: {
      code: "ResponsibleAIPolicyViolation",
      content_filter_result: { violence: { filtered: true, severity: "medium" } },
    },
  },
};

describe("an input that Azure's filter refuses", () => {
  it("is a refusal without an answer, streamed and whole", async () => {
    const headers = { "apim-request-id": "az_1" };
    server.reply({ status: 400, body: blocked, headers }, { status: 400, body: blocked, headers });
    const whole = await client().getResponse(request());
    const streamed = await stream(client(), request());
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({
        finishReason: "content_filter",
        metadata: { requestId: "az_1" },
        messages: [
          {
            role: "assistant",
            contents: [
              { type: "error", code: "refusal_content_filter", message: blocked.error.message },
            ],
          },
        ],
      });
    }
  });

  it("ends a run that asks for a value with a refusal", async () => {
    server.reply({ status: 400, body: blocked });
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const response = await new Agent({ client: client() }).run("Go", {
      options: { responseFormat: { type: "json_schema", schema } },
    });
    expect(() => response.value).toThrow(expect.objectContaining({ code: "refused" }));
  });

  it("is not taken for any other bad request", async () => {
    const error = { ...blocked.error, code: "invalid_request", innererror: { code: "other" } };
    server.reply({ status: 400, body: { error } });
    expect(await failureOf(client().getResponse(request()))).toMatchObject({ code: "bad_request" });
    server.reply({ status: 500, body: blocked });
    expect(await failureOf(client().getResponse(request()))).toMatchObject({
      code: "server_error",
    });
  });
});

it("an output that Azure's filter cuts off has said so much, and why it ended", async () => {
  const last = { ...chunk({}, "content_filter") };
  server.reply({ chunks: [chunk({ content: "Take the" }), last] });
  expect(await stream(client(), request())).toMatchObject({
    finishReason: "content_filter",
    messages: [{ contents: [{ type: "text", text: "Take the" }] }],
  });
  server.reply({ body: completion({ content: null }, "content_filter") });
  expect(await client().getResponse(request())).toMatchObject({
    finishReason: "content_filter",
    messages: [{ contents: [] }],
  });
});
