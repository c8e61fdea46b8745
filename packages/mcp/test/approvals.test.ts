import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentSession, approve, deny, type JsonObject } from "@tunic/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyRequest,
  onlyResult,
  readable,
  runIn,
  scripted,
  stored,
} from "./support/agents.js";
import { type HttpServerProcess, serverProgram, startEverything } from "./support/everything.js";
import { goServer, noNativeServers, rustServer } from "./support/native-servers.js";
import { httpRelay, type Relay, stdioRelay } from "./support/relay.js";

let http: HttpServerProcess;
let sse: HttpServerProcess;

beforeAll(async () => {
  [http, sse] = await Promise.all([startEverything("streamableHttp"), startEverything("sse")]);
});

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await sse[Symbol.asyncDispose]();
});

interface RealServer {
  /** Why it does not run here. */
  readonly missing?: string | undefined;
  /** @param folder For what it writes. */
  readonly start: (folder: string) => Relay | Promise<Relay>;
  readonly tool: string;
  readonly args: (folder: string) => JsonObject;
  readonly answer: string;
}

const node = (name: Parameters<typeof serverProgram>[0], ...args: readonly string[]) => ({
  command: process.execPath,
  args: [serverProgram(name), ...args],
});

const echo = { tool: "echo", args: () => ({ message: "hello" }), answer: "Echo: hello" };

const servers: Readonly<Record<string, RealServer>> = {
  "everything over stdio": { ...echo, start: () => stdioRelay(node("everything")) },
  "everything over streamable HTTP": { ...echo, start: () => httpRelay(http.url) },
  "everything over SSE": { ...echo, start: () => httpRelay(sse.url) },
  filesystem: {
    start: (folder) => stdioRelay(node("filesystem", folder)),
    tool: "write_file",
    args: (folder) => ({ path: join(folder, "tide.txt"), content: "high at noon" }),
    answer: "Successfully wrote",
  },
  memory: {
    start: (folder) =>
      stdioRelay({ ...node("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } }),
    tool: "create_entities",
    args: () => ({
      entities: [{ name: "Mara", entityType: "person", observations: ["is on holiday"] }],
    }),
    answer: "is on holiday",
  },
  "sequential-thinking": {
    start: () => stdioRelay(node("sequential-thinking")),
    tool: "sequentialthinking",
    args: () => ({ thought: "t", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
    // The server counts them, too.
    answer: '"thoughtHistoryLength": 1',
  },
  "a server in Go": {
    missing: noNativeServers,
    start: () => stdioRelay(goServer),
    tool: "add_time",
    args: () => ({ time: "2026-03-01T12:00:00Z", duration: "90m" }),
    answer: "2026-03-01T13:30:00Z",
  },
  "a server in Rust": {
    missing: noNativeServers,
    start: (folder) => stdioRelay({ ...rustServer, env: { HOME: folder } }),
    tool: "adjust_timestamp",
    args: () => ({ datetime: "2026-03-01T12:00:00Z", adjustment: "+90m" }),
    answer: "2026-03-01T13:30:00+00:00",
  },
};

describe.each(Object.entries(servers))("a real server that needs approval: %s", (_name, server) => {
  const { missing, start, tool, args, answer } = server;
  const reason = missing === undefined ? "" : ` (skipped: ${missing})`;

  it.skipIf(missing !== undefined).each(linesAndModes)(
    `is called once, when somebody has said yes, and not after a no: line $sdk of the SDK, $mode${reason}`,
    async ({ sdk, mode }) => {
      const folder = mkdtempSync(join(tmpdir(), "tunic-mcp-"));
      await using relay = await start(folder);
      await using mcp = mcpTools(relay.target, {
        name: "s",
        sdk,
        approvalMode: { alwaysRequire: [tool] },
      });
      const call = { calls: [{ name: `s_${tool}`, arguments: args(folder) }] };
      const { agent } = scripted([], { contextProviders: [mcp] }, [call, "left", call, "done"]);
      let session = new AgentSession();

      const refused = onlyRequest(await runIn(mode, agent, "go", { session }));
      expect(refused.tool).toMatchObject({ owner: "s", traits: { trust: "external" } });
      session = stored(session);
      const left = await runIn(mode, agent, deny(refused, { reason: "not now" }), { session });
      expect(left.text).toBe("left");
      expect(onlyResult(left).isError).toBe(true);
      expect(readable(onlyResult(left))).toContain("not now");
      expect(relay.calls()).toBe(0);

      const asked = onlyRequest(await runIn(mode, agent, "go on", { session }));
      expect(relay.calls()).toBe(0);
      session = stored(session);
      const done = await runIn(mode, agent, approve(asked), { session });
      expect(done.text).toBe("done");
      expect(onlyResult(done).isError).toBeUndefined();
      expect(readable(onlyResult(done))).toContain(answer);
      expect(relay.calls()).toBe(1);
    },
  );
});
