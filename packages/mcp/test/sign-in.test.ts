import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { person, startSignInServer } from "./support/sign-in-server.js";

const unauthorized = expect.objectContaining({ code: "mcp_unauthorized" });
const code = new URLSearchParams({ code: "code-1" });

describe.each([1, 2] as const)("signing in, with line %i of the SDK", (sdk) => {
  async function setUp() {
    const server = await startSignInServer();
    const somebody = person();
    const open = () =>
      mcpTools(server.server.url, { name: "s", sdk, authProvider: somebody.provider });
    return { ...server, ...somebody, open, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
  }

  it("fails until somebody has signed in, and goes on from there", async () => {
    await using at = await setUp();
    await using mcp = at.open();
    await expect(mcp.connect()).rejects.toThrow(/finishAuth\(\)/);
    expect(at.pages.map(({ pathname }) => pathname)).toEqual(["/authorize"]);
    await mcp.finishAuth(code);
    expect(at.redeemed.map((body) => body.get("code"))).toEqual(["code-1"]);
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("done");
  });

  it("may be finished where nothing has been begun", async () => {
    await using at = await setUp();
    await using begun = at.open();
    await expect(begun.connect()).rejects.toEqual(unauthorized);
    await using other = at.open();
    await other.finishAuth(code);
    expect((await other.connect()).tools).toHaveLength(1);
  });

  it("is no failure that a pause would follow", async () => {
    await using at = await setUp();
    await using mcp = at.open();
    for (let time = 0; time < 3; time++) {
      await expect(mcp.connect()).rejects.toEqual(unauthorized);
    }
    await mcp.finishAuth(code);
    expect((await mcp.connect()).tools).toHaveLength(1);
  });

  it("may be needed again for a call, which has not run then", async () => {
    await using at = await setUp();
    await using mcp = at.open();
    await expect(mcp.connect()).rejects.toEqual(unauthorized);
    await mcp.finishAuth(code);
    at.withheld.add("tools/call");
    const first = scripted([["s_go"]], { contextProviders: [mcp] });
    const [refused] = resultsOf((await first.agent.run("go")).messages);
    expect(refused).toMatchObject({ isError: true, error: { code: "mcp_unauthorized" } });
    expect(refused && readable(refused)).toMatch(/Not run: somebody has to sign in/);
    expect(at.pages.at(-1)?.searchParams.get("scope")).toContain("more");
    await mcp.finishAuth(code);
    at.withheld.clear();
    const second = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await second.agent.run("go")).messages);
    expect(result && readable(result)).toBe("done");
  });

  it("asks the server anew who gives tokens, when one is not taken any more", async () => {
    await using at = await setUp();
    await using mcp = at.open();
    await expect(mcp.connect()).rejects.toEqual(unauthorized);
    expect(at.forgotten).toEqual([]);
    await mcp.finishAuth(code);
    await mcp.connect();
    at.taken.delete("token-1");
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result?.error?.code).toBe("mcp_unauthorized");
    expect(at.forgotten).toContain("discovery");
  });

  it("tells of a person who says no, and of a code that is not taken", async () => {
    await using at = await setUp();
    await using mcp = at.open();
    await expect(mcp.connect()).rejects.toEqual(unauthorized);
    const denied = new URLSearchParams({ error: "access_denied" });
    await expect(mcp.finishAuth(denied)).rejects.toEqual(unauthorized);
    await expect(mcp.finishAuth(denied)).rejects.toThrow(/access_denied/);
    expect(at.redeemed).toEqual([]);
  });
});

describe("finishAuth", () => {
  it.each([["node server.js"], ["https://example.com/mcp"]])(
    "has nothing to finish for %s without a provider",
    async (target) => {
      await using mcp = mcpTools(target, { name: "s" });
      await expect(mcp.finishAuth(code)).rejects.toThrow(
        expect.objectContaining({ code: "no_auth_provider" }),
      );
    },
  );
});

describe.each([1, 2] as const)(
  "a server that wants to know who asks, with line %i of the SDK",
  (sdk) => {
    const expected = {
      code: "mcp_unauthorized",
      notSent: true,
      message: expect.stringMatching(/wants to know who asks .*`headers`.*`authProvider`/),
    };

    it.each(["http", "sse"] as const)(
      "says what to give where there is nothing, over %s",
      async (transport) => {
        await using server = await startSignInServer();
        server.server.onOther = (_request, response) => response.writeHead(401).end();
        await using mcp = mcpTools(server.server.url, { name: "s", sdk, transport });
        await expect(mcp.connect()).rejects.toMatchObject(expected);
      },
    );

    it("says so however often it is asked, and takes a token at once", async () => {
      await using server = await startSignInServer();
      let token = "none";
      const headers = () => ({ authorization: `Bearer ${token}` });
      await using mcp = mcpTools(server.server.url, { name: "s", sdk, headers });
      for (let time = 0; time < 5; time++)
        await expect(mcp.connect()).rejects.toMatchObject(expected);
      token = "token-1";
      await mcp.connect();
    });

    it("tells so of a call, when a token is not taken any more", async () => {
      await using server = await startSignInServer();
      const headers = { authorization: "Bearer token-1" };
      await using mcp = mcpTools(server.server.url, { name: "s", sdk, headers });
      await mcp.connect();
      server.taken.clear();
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(result).toMatchObject({ isError: true, error: { code: "mcp_unauthorized" } });
    });
  },
);
