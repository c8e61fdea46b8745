import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { testLog } from "./support/agents.js";
import { rawServer } from "./support/raw-server.js";

/** Says its process id, and answers nothing but what it is told to. */
const silent = rawServer((server) => {
  server.on("initialize", () => undefined);
  server.on("server/discover", () => undefined);
  server.say(`pid ${process.pid}`);
});

const mute = rawServer((server) => {
  server.capabilities({ tools: {}, logging: {} });
  server.tools({ name: "go" });
  server.on("logging/setLevel", () => server.say(`pid ${process.pid}`));
});

describe.each([1, 2] as const)("close(), line %i of the SDK", (sdk) => {
  it.each([
    ["that does not answer the handshake", silent],
    ["that does not answer to the level of its log", mute],
  ])("ends the process of a server %s", async (_what, target) => {
    const log = testLog();
    const mcp = mcpTools(target, { name: "s", sdk, logLevel: "debug", onLog: log.onLog });
    const connecting = mcp.connect().catch((error: unknown) => error);
    await log.seen("pid");
    await mcp.close();
    const pids = log.entries.flatMap(({ data }) => /^pid (\d+)$/.exec(String(data))?.[1] ?? []);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow();
    expect(await connecting).toMatchObject({ code: "mcp_closed" });
  });

  it("comes to an end after a server was given up that does not answer", async () => {
    const options = { name: "s", sdk, logLevel: "debug", connectTimeoutMs: 1500 } as const;
    const mcp = mcpTools(mute, options);
    await expect(mcp.connect()).rejects.toMatchObject({ code: "mcp_timeout" });
    await mcp.close();
  });
});
