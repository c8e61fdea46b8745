import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as sdk2 from "@modelcontextprotocol/client";
import { StdioClientTransport as Sdk2Stdio } from "@modelcontextprotocol/client/stdio";
import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Sdk1Stdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Sdk1Http } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Agent, tool } from "@tunic/core";
import { type McpTarget, mcpTools } from "@tunic/mcp";
import { ScriptedChatClient } from "@tunic/testing";

const program = fileURLToPath(new URL("./mcp-server.ts", import.meta.url));
const stdio = { command: process.execPath, args: ["--import", "tsx", program] };
const identity = { name: "bench", version: "1.0.0" };
const message = "The tide is high at noon.";

/** What both lines of the SDK have. */
interface SdkClient<Transport> {
  connect(transport: Transport): Promise<void>;
  callTool(call: { name: string; arguments: { message: string } }): Promise<unknown>;
  close(): Promise<void>;
}

/** A call of the tool that echoes; resolves with what came back. */
type Call = () => Promise<unknown>;

/**
 * Time of one call of a server's tool in a run, as a ratio to the same call through the client of the SDK alone:
 * over stdio and HTTP, with both lines of the SDK. The server is one of the SDK, too.
 */
export async function callRatios(): Promise<
  Record<"stdio1" | "stdio2" | "http1" | "http2", number>
> {
  const server = fork(program, ["http"], { execArgv: ["--import", "tsx"] });
  try {
    const url = new URL(`http://127.0.0.1:${await portOf(server)}/mcp`);
    const sdk2Client = () => new sdk2.Client(identity);
    return {
      stdio1: await callRatio(new Sdk1Client(identity), new Sdk1Stdio(stdio), stdio, 1),
      stdio2: await callRatio(sdk2Client(), new Sdk2Stdio(stdio), stdio, 2),
      http1: await callRatio(new Sdk1Client(identity), new Sdk1Http(url) as never, url.href, 1),
      http2: await callRatio(
        sdk2Client(),
        new sdk2.StreamableHTTPClientTransport(url),
        url.href,
        2,
      ),
    };
  } finally {
    server.kill();
  }
}

async function callRatio<Transport>(
  client: SdkClient<Transport>,
  transport: Transport,
  target: McpTarget,
  sdk: 1 | 2,
): Promise<number> {
  await using mcp = mcpTools(target, { name: "bench", sdk });
  await client.connect(transport);
  const call = { name: "echo", arguments: { message } };
  const best = { sdk: Infinity, tunic: Infinity };
  await inRunOf(await mcp.connect(), async (ours) => {
    for (let round = 0; round < rounds; round++) {
      best.sdk = Math.min(best.sdk, await timeOf(() => client.callTool(call)));
      best.tunic = Math.min(best.tunic, await timeOf(ours));
    }
  });
  await client.close();
  return best.tunic / best.sdk;
}

/** Of so many calls each; the best of them counts, so that noise hits both alike. */
const rounds = 60;
const callsPerRound = 200;

async function timeOf(call: Call): Promise<number> {
  if (!JSON.stringify(await call()).includes(message)) throw new Error("bench: it does not echo");
  const started = performance.now();
  for (let made = 0; made < callsPerRound; made++) await call();
  return performance.now() - started;
}

/** Does some work inside a run, with a call as the loop makes it. */
async function inRunOf(
  { tools: [echo] }: Awaited<ReturnType<ReturnType<typeof mcpTools>["connect"]>>,
  work: (call: Call) => Promise<void>,
): Promise<void> {
  if (echo === undefined) throw new Error("bench: the server has no tool");
  const worker = tool({
    name: "work",
    async execute(_input: unknown, context) {
      await work(() => echo.invoke({ message }, { context }));
      return "worked";
    },
  });
  const client = new ScriptedChatClient([{ calls: [{ name: "work" }] }, "done"]);
  const { messages } = await new Agent({ client, tools: [worker] }).run("go");
  if (!JSON.stringify(messages).includes("worked")) throw new Error("bench: the work failed");
}

async function portOf(server: ChildProcess): Promise<number> {
  const [port] = await once(server, "message");
  return Number(port);
}

/**
 * Time of a first run with ten servers as a ratio to one with one server: each takes 100 ms to answer when it is
 * connected to.
 */
export async function connectRatio(): Promise<number> {
  const server = fork(program, ["http", "100"], { execArgv: ["--import", "tsx"] });
  try {
    const url = `http://127.0.0.1:${await portOf(server)}/mcp`;
    const best = { one: Infinity, ten: Infinity };
    for (let round = 0; round < 10; round++) {
      best.one = Math.min(best.one, await firstRun(url, 1));
      best.ten = Math.min(best.ten, await firstRun(url, 10));
    }
    return best.ten / best.one;
  } finally {
    server.kill();
  }
}

async function firstRun(url: string, servers: number): Promise<number> {
  const contextProviders = Array.from({ length: servers }, (_, at) =>
    mcpTools(url, { name: `server${at}` }),
  );
  const agent = new Agent({ client: new ScriptedChatClient(["done"]), contextProviders });
  const started = performance.now();
  await agent.run("go");
  const time = performance.now() - started;
  await agent.close();
  return time;
}
