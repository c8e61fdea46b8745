import { fileURLToPath } from "node:url";
import { Agent, AgentSession, approve, type JsonObject, type Message, textOf } from "@tunic/core";
import { mcpTools } from "@tunic/mcp";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { toolSearch } from "@tunic/toolbox";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("harbor-server.mjs", import.meta.url));

/** As a program that begins: its agent has the tools of a server in another process. */
function started(turns: readonly (readonly [name: string, args?: JsonObject] | string)[]) {
  const client = new ScriptedChatClient(
    turns.map(
      (turn): ScriptedTurn =>
        typeof turn === "string" ? turn : { calls: [{ name: turn[0], arguments: turn[1] ?? {} }] },
    ),
  );
  return agentOf(client);
}

function agentOf(client: ScriptedChatClient) {
  const harbor = mcpTools(
    { command: process.execPath, args: [program] },
    {
      name: "harbor",
      blockedTools: ["gauge_7"],
      approvalMode: { alwaysRequire: ["addBerth"] },
    },
  );
  const agent = new Agent({ client, contextProviders: [toolSearch({ providers: [harbor] })] });
  const offered = () =>
    client.requests.map(({ options }) => options.tools?.map(({ name }) => name) ?? []);
  return { agent, offered };
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ contents }) =>
    contents.flatMap((content) =>
      content.type !== "function_result"
        ? []
        : content.contents.map((part) => (part.type === "text" ? part.text : "")),
    ),
  );
}

describe.each(["run", "stream"] as const)("a server with hundreds of tools, %s", (mode) => {
  const go = (agent: Agent, input: Parameters<Agent["run"]>[0], session: AgentSession) =>
    mode === "run" ? agent.run(input, { session }) : agent.stream(input, { session }).response;

  it("is searched; what was found pauses, goes on after a restart, and follows the server's list", async () => {
    const session = new AgentSession();
    const first = started([
      ["search_tools", { query: "gauge_7" }],
      ["search_tools", { query: "add berth" }],
      ["harbor_addBerth"],
    ]);
    const asked = await go(first.agent, "A berth, please.", session);
    await first.agent.close();
    const [gauges, berth] = textsOf(asked.messages);
    expect(gauges).not.toContain('harbor_gauge_7"');
    expect(JSON.parse(berth ?? "").tools[0].name).toBe("harbor_addBerth");
    const [request] = asked.approvalRequests;
    if (request === undefined) throw new Error("somebody is asked");
    expect(request.tool).toMatchObject({ owner: "harbor", traits: { trust: "external" } });

    const second = started([
      ["search_tools", { query: "lock" }],
      ["harbor_open_lock"],
      ["search_tools", { query: "sluice" }],
      ["harbor_sluice_gate"],
      "done",
    ]);
    const restored = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
    const done = await go(second.agent, approve(request), restored);
    await second.agent.close();
    const texts = textsOf(done.messages);
    expect(texts[0]).toBe("addBerth done");
    expect(texts[2]).toBe("open_lock done");
    expect(texts[4]).toBe("sluice_gate done");
    const offered = second.offered();
    expect(offered[0]).toContain("harbor_addBerth");
    expect(offered[2]).not.toContain("harbor_sluice_gate");
    // The gauges that the first search had found have gone.
    expect(offered[2]).toEqual(["search_tools", "harbor_addBerth", "harbor_open_lock"]);
    expect(offered[3]).toEqual([...(offered[2] ?? []), "harbor_sluice_gate"]);
  });

  it("serves several runs at once over one connection", async () => {
    const client = new ScriptedChatClient(({ messages, options }) => {
      const [first] = messages;
      const query = first === undefined ? "" : textOf(first);
      const [found] = options.tools?.slice(1) ?? [];
      if (found === undefined) {
        return { calls: [{ name: "search_tools", arguments: { query, limit: 1 } }] };
      }
      return messages.length === 3 ? { calls: [{ name: found.name }] } : "done";
    });
    const { agent } = agentOf(client);
    const names = ["gauge_3", "gauge_44", "open_lock"];
    const done = await Promise.all(
      names.map((name) => go(agent, `harbor_${name}`, new AgentSession())),
    );
    await agent.close();
    expect(done.map(({ messages }) => textsOf(messages)[1])).toEqual([
      "gauge_3 done",
      "gauge_44 done",
      "open_lock done",
    ]);
  });
});
