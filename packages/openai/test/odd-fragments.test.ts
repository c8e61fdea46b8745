import type { Content, JsonObject } from "@tunic/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { chunk, contentsOf, failureOf, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;
beforeEach(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterEach(() => server.stop());

type Fragment = JsonObject;

function piece(own: JsonObject, args?: string, name?: string): Fragment {
  return {
    ...own,
    function: {
      ...(name !== undefined && { name }),
      ...(args !== undefined && { arguments: args }),
    },
  };
}

async function callsOf(...lists: readonly (readonly Fragment[])[]): Promise<readonly unknown[]> {
  const chunks = lists.map((tool_calls) => chunk({ tool_calls }));
  server.reply({ chunks: [...chunks, chunk({}, "tool_calls")] });
  return contentsOf(await stream(client, request())).map(toolCall);
}

function toolCall(content: Content): unknown {
  if (content.type !== "function_call") return content;
  const { name, arguments: args, parseError } = content;
  return parseError === undefined ? [name, args] : [name, parseError];
}

const both = [
  ["f", { x: 1 }],
  ["g", { y: 2 }],
];

describe("calls that share one index", () => {
  it("are told apart by their ids, in whatever order their fragments come", async () => {
    const calls = [
      { id: "a", name: "f", pieces: ['{"x"', ":", "1}"] },
      { id: "b", name: "g", pieces: ['{"y"', ":", "2}"] },
    ];
    const turns = fc.array(fc.boolean(), { minLength: 6, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(turns, fc.boolean(), async (order, named) => {
        const left = calls.map(({ id, name, pieces }) =>
          pieces.map((args, at) =>
            piece({ index: 0, id }, args, at === 0 || named ? name : undefined),
          ),
        );
        const sent = [
          ...order,
          ...order.map((turn) => !turn),
          true,
          true,
          true,
          false,
          false,
          false,
        ]
          .flatMap((turn) => left[turn ? 0 : 1]?.splice(0, 1) ?? [])
          .map((fragment) => [fragment]);
        expect(new Set(await callsOf(...sent))).toEqual(new Set(both));
      }),
      { numRuns: 30 },
    );
  });

  it.each<[string, readonly (readonly Fragment[])[]]>([
    [
      "without ids, one after the other",
      [[piece({ index: 0 }, '{"x":1}', "f")], [piece({ index: 0 }, '{"y":2}', "g")]],
    ],
    [
      "without ids, in one list",
      [[piece({ index: 0 }, '{"x":1}', "f"), piece({ index: 0 }, '{"y":2}', "g")]],
    ],
    [
      "and one id",
      [
        [piece({ index: 0, id: "z" }, '{"x":1}', "f")],
        [piece({ index: 0, id: "z" }, '{"y":2}', "g")],
      ],
    ],
  ])("%s, are told apart by their names", async (_how, lists) => {
    expect(await callsOf(...lists)).toEqual(both);
  });

  it("and one name are told apart where the arguments before are complete", async () => {
    const lists = [1, 2].map((x) => [piece({ index: 0 }, `{"x":${x}}`, "f")]);
    expect(await callsOf(...lists)).toEqual([
      ["f", { x: 1 }],
      ["f", { x: 2 }],
    ]);
  });

  it("do not run twice where one is said twice", async () => {
    const said = [piece({ index: 0, id: "z" }, '{"x":1}', "f")];
    expect(await callsOf(said, said)).toEqual([["f", expect.stringContaining("not valid JSON")]]);
  });
});

describe("a call whose index", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["comes late", { id: "a" }, { index: 0, id: "a" }],
    ["comes once only", { index: 0, id: "a" }, { id: "a" }],
    ["is text the second time", { index: 0, id: "a" }, { index: "0" }],
  ])("%s is one call", async (_what, first, second) => {
    expect(await callsOf([piece(first, '{"x"', "f")], [piece(second, ":1}")])).toEqual([both[0]]);
  });
});

describe("what is no answer", () => {
  const deep = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;

  it.each<[string, string, string]>([
    ["a list of lists of lists …", deep, "malformed_response"],
    ["an error that is one", `{"error":{"x":${deep}}}`, "unknown"],
    [
      "sound that is no base64",
      JSON.stringify({ choices: [{ message: { audio: { id: "a", data: "!!" } } }] }),
      "malformed_response",
    ],
  ])("%s is a typed failure", async (_what, body, code) => {
    server.reply({ body });
    const failure = await failureOf(client.getResponse(request()));
    expect(failure).toMatchObject({ name: "ChatClientError", code });
  });

  it("is a page, which is shown, where a stream was asked for", async () => {
    const headers = { "content-type": "text/html" };
    server.reply({ body: "<html>Welcome", headers });
    expect(await failureOf(stream(client, request()))).toMatchObject({
      code: "malformed_response",
      message: expect.stringContaining("Welcome"),
    });
  });
});

it("reads an answer beside which an empty error is written down", async () => {
  server.reply({ body: { ...chunk({ content: "Fine." }, "stop"), error: "" } });
  expect(contentsOf(await client.getResponse(request()))).toMatchObject([{ text: "Fine." }]);
});
