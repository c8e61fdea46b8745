import { describe, expect, it } from "vitest";
import { type McpHooks, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { type FakeTerms, fakeClient } from "./support/fake-client.js";

const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const named = (...names: string[]) => names.map((name) => ({ name }));

/** Connections of our own making, one after the other. */
function opener(terms: FakeTerms) {
  const opened: McpHooks[] = [];
  let closed = 0;
  const mcp = mcpTools(
    (hooks) => {
      opened.push(hooks);
      return {
        ...fakeClient(terms),
        async close() {
          closed += 1;
        },
      };
    },
    { name: "own" },
  );
  return { mcp, opened, closed: () => closed };
}

describe("a connection that the program opens itself", () => {
  it("is opened when it is needed, again when it has ended, and closed with the tools", async () => {
    const { mcp, opened, closed } = opener({ tools: named("go"), call: () => text("went") });
    const { agent } = scripted([["own_go"]], { contextProviders: [mcp] }, ["done", "again"]);
    expect(opened).toHaveLength(0);
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("went");
    expect(opened).toHaveLength(1);
    opened[0]?.closed?.();
    expect((await agent.run("go")).text).toBe("again");
    expect(opened).toHaveLength(2);
    await agent.close();
    expect(closed()).toBe(1);
  });

  it("tells of lists that change", async () => {
    let names = ["go"];
    const { mcp, opened } = opener({
      tools: () => ({ items: named(...names) }),
      call() {
        names = ["stop"];
        opened[0]?.notifications?.["notifications/tools/list_changed"]?.({});
        return text("went");
      },
    });
    const { agent, client } = scripted([["own_go"]], { contextProviders: [mcp] });
    await agent.run("go");
    const shown = client.requests.map(({ options }) => options.tools?.map(({ name }) => name));
    expect(shown).toEqual([["own_go"], ["own_stop"]]);
    await mcp.close();
  });

  it("has the server's questions answered", async () => {
    const { mcp, opened } = opener({
      tools: named("go"),
      async call() {
        const { signal } = new AbortController();
        const asked = { mode: "url", message: "Sign in", url: "https://example.com/" };
        const answer = opened[0]?.requests?.["elicitation/create"];
        return text(JSON.stringify(await answer?.(asked, { signal, origin: undefined })));
      },
    });
    const { agent } = scripted([["own_go"]], { contextProviders: [mcp] });
    const paused = await agent.run("go");
    expect(paused.outcome).toBe("paused");
    expect(paused.approvalRequests[0]?.summary).toBe("Sign in");
    await agent.close();
  });

  it("fails the run where it cannot be opened, with the error as its cause", async () => {
    const cause = new Error("no such line");
    const mcp = mcpTools(() => Promise.reject(cause), { name: "own" });
    const { agent } = scripted([], { contextProviders: [mcp] });
    await expect(agent.run("go")).rejects.toMatchObject({ code: "provider_failed", cause });
    await mcp.close();
  });
});
