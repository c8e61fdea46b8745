import { afterEach, beforeEach, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { failureOf, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeEach(async () => {
  server = await WireServer.start();
});
afterEach(() => server.stop());

const deep = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;
/** Bodies of failures in the words of several servers, and what has to be told of each. */
const bodies: readonly (readonly [string, unknown, string])[] = [
  ["OpenAI's", { error: { message: "Bad." } }, "400 Bad."],
  ["a list, as Gemini's address sends it", [{ error: { code: 400, message: "Bad." } }], "400 Bad."],
  ["the error itself, as Mistral's", { object: "error", message: "Bad.", code: 3 }, "400 Bad."],
  ["a detail, as FastAPI's", { detail: "Bad." }, "400 Bad."],
  ["details", { detail: [{ msg: "Bad." }] }, '400 [{"msg":"Bad."}]'],
  ["words of its own", { msg: "Bad." }, '400 {"msg":"Bad."}'],
  ["an error of null", { error: null, message: "Bad." }, "400 Bad."],
  ["a text", JSON.stringify("Bad."), "400 Bad."],
  ["no JSON", "<html>Bad.", "400 <html>Bad."],
  ["nothing", "", "400 status code (no body)"],
  ["an empty object", {}, "400 status code (no body)"],
  ["one that is too deep", `{"error":{"x":${deep}}}`, `400 {"error":{"x":[[[`],
];

it.each(bodies)("a failure tells what the service says: %s", async (_whose, body, message) => {
  const client = new OpenAIChatClient({ model: "m", baseURL: server.url });
  const reply = { status: 400, headers: { "x-request-id": "req_1" }, body };
  server.reply(reply, reply);
  for (const ask of [client.getResponse(request()), stream(client, request())]) {
    expect(await failureOf(ask)).toMatchObject({
      name: "ChatClientError",
      code: "bad_request",
      status: 400,
      requestId: "req_1",
      message: expect.stringContaining(message),
    });
  }
});
