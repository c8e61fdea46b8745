import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import * as sdk2 from "@modelcontextprotocol/client";
import { StdioClientTransport as Sdk2Stdio } from "@modelcontextprotocol/client/stdio";
import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Sdk1Stdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Sdk1Http } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  Agent,
  type FunctionInvocationContext,
  type FunctionTool,
  type JsonObject,
  tool,
} from "@tunic/core";
import { type McpTarget, mcpTools } from "@tunic/mcp";
import { ScriptedChatClient } from "@tunic/testing";

const program = fileURLToPath(new URL("./mcp-server.ts", import.meta.url));
const stdio = { command: process.execPath, args: ["--import", "tsx", program] };
const identity = { name: "bench", version: "1.0.0" };
const message = "The tide is high at noon.";

/** What both lines of the SDK have, for whoever calls a tool by hand. */
interface SdkClient {
  connect(): Promise<void>;
  callTool(args: JsonObject, options?: SdkCallOptions): Promise<unknown>;
  close(): Promise<void>;
}

interface SdkCallOptions {
  readonly signal: AbortSignal;
  readonly onprogress: (progress: { progress: number }) => void;
}

/** Ratios over stdio and HTTP, with both lines of the SDK. */
type Ratios = Record<"stdio1" | "stdio2" | "http1" | "http2", number>;

/** Which way of calling the client of the SDK is the yardstick. */
export type Yardstick = "alike" | "bare";

/**
 * Time of one call of a server's tool in a run, as a ratio to the same through the client of the SDK; the server is one
 * of the SDK, too. `alike`: a tool written by hand around that client, which cancels a call when the run is aborted and
 * shows its progress, as ours does. `bare`: the client's `callTool` and nothing else, neither tool nor cancelling.
 */
export async function callRatios(yardstick: Yardstick): Promise<Ratios> {
  const server = fork(program, ["http"], { execArgv: ["--import", "tsx"] });
  try {
    const url = new URL(`http://127.0.0.1:${await portOf(server)}/mcp`);
    return {
      stdio1: await callRatio(yardstick, line1(new Sdk1Stdio(stdio)), stdio, 1),
      stdio2: await callRatio(yardstick, line2(new Sdk2Stdio(stdio)), stdio, 2),
      http1: await callRatio(yardstick, line1(new Sdk1Http(url) as never), url.href, 1),
      http2: await callRatio(
        yardstick,
        line2(new sdk2.StreamableHTTPClientTransport(url)),
        url.href,
        2,
      ),
    };
  } finally {
    server.kill();
  }
}

function line1(transport: Parameters<Sdk1Client["connect"]>[0]): SdkClient {
  const client = new Sdk1Client(identity);
  return {
    connect: () => client.connect(transport),
    callTool: (args, options) =>
      client.callTool({ name: "echo", arguments: { ...args } }, undefined, options),
    close: () => client.close(),
  };
}

function line2(transport: sdk2.Transport): SdkClient {
  const client = new sdk2.Client(identity);
  return {
    connect: () => client.connect(transport),
    callTool: (args, options) => client.callTool({ name: "echo", arguments: { ...args } }, options),
    close: () => client.close(),
  };
}

/** Of so many calls each; the best of them counts, so that noise hits both alike. */
const rounds = 40;
const callsPerRound = 100;

async function callRatio(
  yardstick: Yardstick,
  client: SdkClient,
  target: McpTarget,
  sdk: 1 | 2,
): Promise<number> {
  await using mcp = mcpTools(target, { name: "bench", sdk });
  await client.connect();
  const [ours] = (await mcp.connect()).tools;
  if (ours === undefined) throw new Error("bench: the server has no tool");
  const byHand = handWritten(client, ours);
  const best = { sdk: Infinity, tunic: Infinity };
  await inRun(async (context) => {
    const args = { message };
    const base =
      yardstick === "bare" ? () => client.callTool(args) : () => byHand.invoke(args, { context });
    for (let round = 0; round < rounds; round++) {
      best.sdk = Math.min(best.sdk, await timeOf(base));
      best.tunic = Math.min(best.tunic, await timeOf(() => ours.invoke(args, { context })));
    }
  });
  await client.close();
  return best.tunic / best.sdk;
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  if (!JSON.stringify(await call()).includes(message)) throw new Error("bench: it does not echo");
  const started = performance.now();
  for (let made = 0; made < callsPerRound; made++) await call();
  return performance.now() - started;
}

/** A signal of its own for each call: both lines of the SDK listen to what they get, and never stop. */
function handWritten(client: SdkClient, { name, parameters }: FunctionTool): FunctionTool {
  return tool({
    name,
    parameters,
    async execute(args, { signal, reportProgress }) {
      const controller = new AbortController();
      const stop = (): void => controller.abort(signal.reason);
      signal.addEventListener("abort", stop);
      try {
        return await client.callTool(args as JsonObject, {
          signal: controller.signal,
          onprogress: ({ progress }) => void reportProgress(`${progress}`),
        });
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  }) as FunctionTool;
}

/** Does some work in a run, with what a tool is given there. */
async function inRun(work: (context: FunctionInvocationContext) => Promise<void>): Promise<void> {
  const worker = tool({
    name: "work",
    async execute(_input: unknown, context) {
      await work(context);
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
