import { Agent, type ChatClient, ConfigurationError, hostedTool, type Tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { fallbackClient } from "../src/index.js";
import { busy, rejection, request, scripted } from "./support.js";

describe("tools", () => {
  const picky = (provider: string): ChatClient =>
    Object.assign(scripted(provider, []), {
      checkTools(tools: readonly Tool[]) {
        const foreign = tools.find((each) => "provider" in each && each.provider !== provider);
        if (foreign) throw new ConfigurationError("invalid_tool", `${foreign.name} is foreign.`);
      },
    });

  it("that one of the clients cannot take are refused when the agent is made", () => {
    const search = hostedTool({ name: "search", provider: "a", definition: {} });
    const client = fallbackClient([picky("a"), { client: picky("b"), name: "spare" }]);
    const make = () => new Agent({ client, tools: [search] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow('the client "spare" cannot take these tools: search is foreign.');
    expect(() => fallbackClient([picky("a"), scripted("c", [])]).checkTools?.([])).not.toThrow();
  });
});

describe("options", () => {
  const a = scripted("a", []);
  it.each<[unknown, object, string]>([
    [[], {}, "needs at least one client"],
    [a, {}, "takes a list of clients"],
    [[a, {}], {}, "clients[1]: client must be a chat client"],
    [[a, "b"], {}, "clients[1] must be a chat client, or { client, … }"],
    [[{ client: a, wen: () => true }], {}, 'did you mean "when"'],
    [[{ client: a, when: () => true }], {}, "clients[0] is asked first"],
    [[a, { client: a, when: true }], {}, "clients[1]: when must be a function"],
    [[a, { client: a, models: { x: 1 } }], {}, "clients[1]: models must be an object of names"],
    [[a, { client: a, name: "b:c" }], {}, "name must be a text without a colon"],
    [[a, { client: a, name: "a" }], {}, 'two clients are named "a"'],
    [[a], { fallbackon: () => true }, 'did you mean "fallbackOn"'],
    [[a], { fallbackOn: "always" }, "fallbackOn must be a function"],
    [[a], { afterUpdates: 1 }, "afterUpdates must be true or false"],
  ])("such as %o with %o are refused when the client is made", (clients, options, message) => {
    const make = () => fallbackClient(clients as ChatClient[], options);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  it("several clients of one provider are told apart by numbers", async () => {
    const same = () => new ScriptedChatClient([{ error: busy() }]);
    const client = fallbackClient([same(), same(), same()]);
    const error = await rejection(client.getResponse(request()));
    expect(String(error)).toMatch(/"scripted" .*"scripted-2" .*"scripted-3" /);
  });
});
