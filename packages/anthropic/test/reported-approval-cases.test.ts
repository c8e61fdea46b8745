import type Anthropic from "@anthropic-ai/sdk";
import { Agent, approve, deny, type Message, pending, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { AnthropicChatClient } from "../src/index.js";
import { asEvents, asText } from "./as-events.js";
import { answer, messageProblems } from "./build.js";
import { streamed, whole, wireServer } from "./wire-server.js";

const call = answer([{ type: "tool_use", id: "c1", name: "wipe", input: { id: 1 } }]);
const done = answer([{ type: "text", text: "Done." }]);

describe.each([
  { manner: "whole", reply: whole, onUpdate: undefined },
  {
    manner: "streamed",
    reply: (each: Anthropic.Message) => streamed(asText(asEvents(each))),
    onUpdate: () => {},
  },
])("B28: a call that was approved, $manner", ({ reply, onUpdate }) => {
  it.each([
    { decision: "approved", ran: 1, text: "wiped", isError: false },
    { decision: "approved, and throws", ran: 1, text: "Error: Function failed.", isError: true },
    { decision: "denied", ran: 0, text: "a person has denied this call", isError: true },
  ])(
    "$decision: its result stands right behind it, and nothing else reaches the wire",
    async (each) => {
      await using server = await wireServer(reply(call), reply(done));
      let ran = 0;
      const asked: number[] = [];
      const wipe = tool({
        name: "wipe",
        parameters: { type: "object", properties: { id: { type: "number" } } },
        approvalMode: "always_require",
        execute() {
          ran++;
          asked.push(server.bodies.length);
          if (each.decision === "approved, and throws") throw new Error("no disk");
          return "wiped";
        },
      });
      const client = new AnthropicChatClient({ model: "m", apiKey: "key", baseURL: server.url });
      const agent = new Agent({ client, tools: wipe });
      const first = await agent.run("wipe it", { onUpdate });
      const history = JSON.parse(JSON.stringify(first.newMessages)) as Message[];
      const [request] = pending(history);
      if (request === undefined) throw new Error("nothing was asked");
      const decision = each.decision === "denied" ? deny(request) : approve(request);
      const second = await agent.run([...history, decision], { onUpdate });
      expect(second.text).toBe("Done.");
      // Once, and before the model was asked again.
      expect(ran).toBe(each.ran);
      expect(asked).toEqual(each.ran === 0 ? [] : [1]);
      const messages = server.bodies[1]?.["messages"] as Anthropic.MessageParam[];
      expect(messageProblems(messages)).toEqual([]);
      expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
      expect(messages[1]?.content).toMatchObject([{ type: "tool_use", id: "c1" }]);
      const [result] = (messages[2]?.content ?? []) as Anthropic.ToolResultBlockParam[];
      expect(result).toMatchObject({ type: "tool_result", tool_use_id: "c1" });
      expect(result?.is_error ?? false).toBe(each.isError);
      expect(JSON.stringify(result?.content)).toContain(each.text);
      expect(JSON.stringify(messages)).not.toMatch(/approval|request_/);
    },
  );
});
