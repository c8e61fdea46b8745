import { Agent, AgentSession, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { expect, test } from "vitest";
import { stop } from "./build.js";
import { either, wireServer } from "./wire-server.js";

const lamp = tool({
  name: "lamp",
  description: "Switches the lamp of a room on.",
  parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
  execute: ({ room }) => `The lamp of the ${room} is on.`,
});

test("an agent calls a tool and answers", async () => {
  await using server = await wireServer(
    either(stop([{ functionCall: { name: "lamp", args: { room: "hall" } } }])),
    either(stop([{ text: "It is on." }])),
  );
  const agent = new Agent({ client: server.client(), tools: [lamp] });
  const { text, usage } = await agent.run("It is dark in the hall.", { onUpdate: () => {} });
  expect(text).toBe("It is on.");
  expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 8 });
  expect(server.bodies[0]?.["tools"]).toEqual([
    {
      functionDeclarations: [
        {
          name: "lamp",
          description: "Switches the lamp of a room on.",
          parameters: {
            type: "OBJECT",
            properties: { room: { type: "STRING" } },
            required: ["room"],
          },
        },
      ],
    },
  ]);
});

test("T9: a conversation goes from one provider to another and back", async () => {
  const scripted = new ScriptedChatClient([
    { calls: [{ name: "lamp", arguments: { room: "attic" } }] },
    "The attic is lit.",
    "And that is all.",
  ]);
  await using server = await wireServer(
    either(
      stop([{ functionCall: { name: "lamp", args: { room: "hall" } }, thoughtSignature: "VDE=" }]),
    ),
    either(stop([{ text: "The hall, too." }])),
  );
  const session = new AgentSession();
  const elsewhere = new Agent({ client: scripted, tools: [lamp] });
  const here = new Agent({ client: server.client(), tools: [lamp] });
  await elsewhere.run("Light the attic.", { session });
  const { text } = await here.run("And the hall.", { session });
  expect(text).toBe("The hall, too.");
  expect((await elsewhere.run("Thanks.", { session })).text).toBe("And that is all.");
  expect(server.bodies[1]?.contents.map(({ role }) => role)).toEqual([
    ...["user", "model", "user", "model"],
    ...["user", "model", "user"],
  ]);
  expect(JSON.stringify(scripted.requests.at(-1)?.messages)).toContain("VDE=");
});

test("a structured answer", async () => {
  await using server = await wireServer(either(stop([{ text: '{"city":"Lisbon"}' }])));
  const agent = new Agent({ client: server.client() });
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const response = await agent.run("The capital of Portugal?", {
    options: { responseFormat: { type: "json_schema", schema } },
  });
  expect(response.value).toEqual({ city: "Lisbon" });
});
