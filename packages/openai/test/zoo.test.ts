import { readdirSync, readFileSync } from "node:fs";
import type { ChatResponse, Content, Message } from "@tunic/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { completion, message, request, result, stream, tool } from "./helpers.js";
import { WireServer } from "./wire-server.js";

/** One answer in the form of one server: the same as all the others', as far as it shows it. */
interface Animal {
  /** Where this form was seen or is described. */
  readonly source: string;
  readonly about: string;
  readonly shows: { readonly reasoning: boolean; readonly text: boolean; readonly usage: boolean };
  readonly chunks: readonly unknown[];
  readonly whole: unknown;
  /** The member that has to go back with the results of the calls. */
  readonly replayed?: string;
}

const folder = new URL("./fixtures/zoo/", import.meta.url);
const zoo = readdirSync(folder).map((file): [string, Animal] => [
  file.replace(".json", ""),
  JSON.parse(readFileSync(new URL(file, folder), "utf8")),
]);

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "m", baseURL: server.url });
});
afterAll(() => server.stop());

const asked = request([message("user", "The weather in Oslo and Rome?")], {
  tools: [tool("weather")],
});

/** What an answer says, without ids and what belongs to one service. */
function said(response: ChatResponse): unknown[] {
  return response.messages.flatMap(({ contents }) => contents.map(plain));
}

function plain(content: Content): unknown {
  if (content.type === "text" || content.type === "text_reasoning")
    return [content.type, content.text];
  if (content.type === "function_call") return [content.name, content.arguments];
  return content;
}

function expected({ shows }: Animal): unknown[] {
  return [
    ...(shows.reasoning ? [["text_reasoning", "Both cities, then."]] : []),
    ...(shows.text ? [["text", "I will look."]] : []),
    ["weather", { city: "Oslo" }],
    ["weather", { city: "Rome" }],
  ];
}

/** The conversation with the results of an answer's calls. */
function continued(answer: readonly Message[]): Message[] {
  const calls = answer.flatMap(({ contents }) =>
    contents.filter((content) => content.type === "function_call"),
  );
  return [
    ...asked.messages,
    ...answer,
    message("tool", ...calls.map(({ callId }) => result(callId, "sunny"))),
  ];
}

describe.each(zoo)("an answer in the form of %s", (_, animal) => {
  it("is the same as everybody's, streamed and whole", async () => {
    server.reply({ chunks: animal.chunks }, { body: animal.whole });
    for (const response of [await stream(client, asked), await client.getResponse(asked)]) {
      expect(said(response)).toEqual(expected(animal));
      const ids = response.messages.flatMap(({ contents }) =>
        contents.flatMap((content) => (content.type === "function_call" ? content.callId : [])),
      );
      expect(new Set(ids).size).toBe(2);
      expect(ids).not.toContain("");
      if (animal.shows.usage) {
        expect(response.usage).toMatchObject({
          inputTokens: 10,
          outputTokens: 20,
          totalTokens: 30,
        });
      } else expect(response.usage).toBeUndefined();
    }
  });

  it("goes back with what its server wants, and without it to anybody else", async () => {
    server.reply({ chunks: animal.chunks }, { body: completion({ content: "ok" }) });
    const { messages } = await stream(client, asked);
    const history = continued(messages);
    await client.getResponse(request(history, asked.options));
    const sent = JSON.stringify(server.lastBody["messages"]);
    if (animal.replayed) expect(sent).toContain(`"${animal.replayed}":`);
    else expect(sent).not.toMatch(/reasoning|extra_content/);
    const other = await WireServer.start();
    other.reply({ body: completion({ content: "ok" }) });
    await new OpenAIChatClient({ model: "m", baseURL: other.url }).getResponse(
      request(history, asked.options),
    );
    expect(JSON.stringify(other.lastBody["messages"])).not.toMatch(
      /reasoning|extra_content|Both cities|SIG/,
    );
    await other.stop();
  });

  it("has a source", () => {
    expect(animal.source).toMatch(/https:\/\//);
    expect(animal.about).not.toBe("");
  });
});
