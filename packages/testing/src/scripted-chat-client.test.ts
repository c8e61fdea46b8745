import { ConfigurationError } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { ScriptedChatClient } from "./scripted-chat-client.js";

const request = { messages: [], options: {} };
const refused = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe("a script", () => {
  it.each<[unknown, string, string]>([
    ["hello", "invalid_option", "takes a list of turns"],
    [[{ txt: "hello" }], "unknown_option", 'turn 1 has no option "txt"; did you mean "text"?'],
    [["hello", { call: [] }], "unknown_option", 'turn 2 has no option "call"'],
    [[{ calls: { name: "lamp" } }], "invalid_option", "calls must be a list"],
    [[{ calls: ["lamp"] }], "invalid_option", "turn 1, calls[0] must be a call"],
    [[{ calls: [{ name: "lamp", args: {} }] }], "unknown_option", 'calls[0] has no option "args"'],
    [[{ contents: "hello" }], "invalid_option", "contents must be a list"],
    [[undefined], "invalid_option", "turn 1 must be a text or an answer"],
    [[["hello"]], "invalid_option", "turn 1 must be a text or an answer"],
  ])("is not made of %j", (turns, code, message) => {
    const make = () => Reflect.construct(ScriptedChatClient, [turns]);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(refused(code, message));
  });

  it("looks in the same way at what its functions give", async () => {
    const misspelt = { txt: "hello" };
    for (const turns of [() => misspelt, [() => misspelt], [async () => misspelt]]) {
      const client: ScriptedChatClient = Reflect.construct(ScriptedChatClient, [turns]);
      await expect(client.getResponse(request)).rejects.toEqual(
        refused("unknown_option", 'for request 1 has no option "txt"'),
      );
    }
    const silent: ScriptedChatClient = Reflect.construct(ScriptedChatClient, [() => undefined]);
    await expect(silent.getResponse(request)).rejects.toEqual(
      refused("invalid_option", "must be a text"),
    );
  });

  it("that is used up says how often it was asked", async () => {
    const client = new ScriptedChatClient(["one", "two"]);
    await client.getResponse(request);
    await client.getResponse(request);
    await expect(client.getResponse(request)).rejects.toEqual(
      refused("script_exhausted", "The model was asked 3 times; the script has 2 turns."),
    );
    await expect(new ScriptedChatClient([]).getResponse(request)).rejects.toThrow(
      "The model was asked 1 time; the script has 0 turns.",
    );
  });

  it("takes an error that is undefined for none", async () => {
    const client = new ScriptedChatClient([{ text: "hello", error: undefined }]);
    await expect(client.getResponse(request)).resolves.toMatchObject({ finishReason: "stop" });
  });

  it("may be one function that answers all requests, at once or later", async () => {
    for (const turns of [() => "hello", async () => "hello", async () => ({ text: "hello" })]) {
      const { messages } = await new ScriptedChatClient(turns).getResponse(request);
      expect(messages).toMatchObject([{ contents: [{ type: "text", text: "hello" }] }]);
    }
  });
});
