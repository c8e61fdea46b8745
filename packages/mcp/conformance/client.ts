/**
 * The client that the protocol's own suite tests: an agent with the tools of one server, whose model is a script
 * that calls them. `client.ts <url>`; the suite says in the environment which scenario it plays.
 */
import {
  Agent,
  AgentSession,
  approve,
  type FunctionResultContent,
  type FunctionTool,
  isJsonObject,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { McpError, type McpTools, mcpTools } from "../src/index.js";
import { providerFor } from "./providers.js";
import { callsOf, type ScenarioCall } from "./scenarios.js";
import type { SignInAtOnce } from "./sign-in.js";

/** Whoever has signed in so often, and is sent to sign in again, is told that it does not help. */
const mostSignIns = 2;

const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: data = "{}" } =
  process.env;
const url = process.argv.at(-1) ?? "";
const context: unknown = JSON.parse(data);

// While dozens of these run at once, a server may close a connection just when it is used again.
const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};

await play();

async function play(): Promise<void> {
  const known = isJsonObject(context) ? context : {};
  const line = process.env["TUNIC_CONFORMANCE_SDK"] === "1" ? 1 : 2;
  const { provider, interactive } = await providerFor(scenario, known, line);
  await using server = mcpTools(url, {
    name: "it",
    sdk: line,
    authProvider: provider,
    // The suite plays all of its scenarios at once.
    connectTimeoutMs: 100_000,
    onLog: ({ level, logger, data }) => console.error(level, logger, data),
  });
  const signIn = signingIn(server, interactive);
  const { tools } = await signIn(() => server.connect());
  const byName = new Map(tools.map((tool) => [tool.name.replace(/^it_/, ""), tool]));
  for (const call of callsOf(scenario, byName, known)) {
    await signIn(() => callThroughAgent(server, byName, call));
  }
}

/** Runs something, and once more after somebody has signed in for it. */
function signingIn(server: McpTools, interactive: SignInAtOnce | undefined) {
  let left = mostSignIns;
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isUnauthorized = error instanceof McpError && error.code === "mcp_unauthorized";
        if (!isUnauthorized || interactive === undefined || left === 0) throw error;
        left -= 1;
        await server.finishAuth(interactive.callback());
      }
    }
  };
}

async function callThroughAgent(
  server: McpTools,
  tools: ReadonlyMap<string, FunctionTool>,
  { name, arguments: args }: ScenarioCall,
): Promise<void> {
  const toolName = tools.get(name)?.name ?? `it_${name}`;
  const client = new ScriptedChatClient([{ calls: [{ name: toolName, arguments: args }] }, "done"]);
  const agent = new Agent({ client, contextProviders: [server] });
  const session = new AgentSession();
  await agent.run(`Call ${name}.`, { session });
  // What the server asks a person, a person answers: with what the form holds already.
  while (session.pending.length > 0) {
    const answers = session.pending.map((each) => approve(each));
    await agent.run(answers, { session });
  }
  const result = session.messages
    .flatMap(({ contents }) => contents)
    .find((content): content is FunctionResultContent => content.type === "function_result");
  console.error(name, JSON.stringify(result));
  if (!result?.isError) return;
  const { code, message } = result.error ?? {};
  // Any other failure is for the model to read, and for the suite to judge by what was sent.
  if (code === "mcp_unauthorized") throw new McpError(code, message ?? "");
}
