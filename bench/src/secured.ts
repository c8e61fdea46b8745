import {
  Agent,
  AgentSession,
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  type FunctionCallContent,
  type Tool,
  tool,
} from "@tunic/core";
import { type FlowPolicy, secureAgent } from "@tunic/security";
import { bestTimes, processorTime } from "./measure.js";
import { addSchema, type Contender, Work } from "./script.js";

const calls = 20;
/** More than elsewhere: a difference of two times takes two quiet moments. */
const rounds = 60;

/** What a tool returns beside its sum: nothing, or so much that nobody trusted has written. */
type Payload = "none" | "text" | "structure";

const body = "Nobody trusted has written this. ".repeat(3103).slice(0, 100 * 1024);

const policy: FlowPolicy = {
  version: 1,
  tools: {
    add: {
      effects: ["consequential"],
      arguments: { a: { integrity: "trusted" } },
      result: { $: "trusted", body: "untrusted" },
    },
    read: { effects: ["read"] },
  },
};

/**
 * Microseconds that information flow control adds to a call, in a loop of 20: the same agent, model,
 * tool and session, secured and not. With a payload, each result holds 100 KB that have to be hidden.
 */
export async function addedPerCall(payload: Payload): Promise<number> {
  const contenders = [agentOf({ payload }), agentOf({ payload, secured: true })];
  const [without = 0, secured = 0] = await bestTimes(
    contenders,
    "loop",
    calls,
    rounds,
    processorTime,
  );
  return (secured - without) / calls;
}

/**
 * The same for a call that a thousand messages stand before, as microseconds: what 120 calls add, less what
 * 20 add, so that what a run does once (it reads the session) does not count.
 */
export async function addedAfter(messages: number): Promise<number> {
  const history = await historyOf(messages);
  const contenders = [agentOf({ history }), agentOf({ history, secured: true })];
  const [plain = 0, secured = 0] = await bestTimes(
    contenders,
    "loop",
    calls,
    rounds,
    processorTime,
  );
  const [plainLong = 0, securedLong = 0] = await bestTimes(
    contenders,
    "loop",
    6 * calls,
    rounds,
    processorTime,
  );
  return (securedLong - plainLong - (secured - plain)) / (5 * calls);
}

/** Bytes that a secured agent adds to each request (instructions and definitions), and for each hidden value. */
export async function promptBytes(): Promise<{
  readonly instructions: number;
  readonly definitions: number;
  readonly slots: number;
  readonly placeholder: number;
}> {
  let asked: ChatRequest | undefined;
  const client: ChatClient = {
    metadata: { provider: "mock" },
    async getResponse(request) {
      const contents =
        asked === undefined
          ? [
              {
                type: "function_call" as const,
                callId: "c",
                name: "read",
                arguments: { a: 1, b: 1 },
              },
            ]
          : [{ type: "text" as const, text: "done" }];
      asked = request;
      const id = request.run?.newId("message") ?? "";
      return { messages: [{ id, role: "assistant", contents, createdAt: 0 }] };
    },
  };
  const tools = toolsOf(() => body);
  const agent = new Agent({
    client,
    contextProviders: [secureAgent({ tools, policy, quarantine: client })],
  });
  await agent.run("go", { session: new AgentSession() });
  const { instructions = [], tools: offered = [] } = asked?.options ?? {};
  const rules = typeof instructions === "string" ? [{ text: instructions }] : instructions;
  const [result] = asked?.messages.at(-1)?.contents ?? [];
  const [shown] = result?.type === "function_result" ? result.contents : [];
  return {
    instructions: Buffer.byteLength(rules.map(({ text }) => text).join("\n")),
    definitions: bytesOf(offered.slice(tools.length)),
    // What the places for references add to each parameter; the tools have four of them.
    slots: (bytesOf(offered.slice(0, tools.length)) - bytesOf(tools)) / 4,
    placeholder: Buffer.byteLength(shown?.type === "text" ? shown.text : JSON.stringify(shown)),
  };
}

/** Tools as a service gets them, about. */
function bytesOf(tools: readonly Tool[]): number {
  const functions = tools.filter((each) => each.type === "function");
  return Buffer.byteLength(
    JSON.stringify(
      functions.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ),
  );
}

/** A session's data with so many messages: calls of the secured agent, their results, and the answer. */
async function historyOf(messages: number): Promise<unknown> {
  const size = (messages - 2) / 2;
  const session = new AgentSession();
  const work = new Work("loop", size);
  work.check(await agentOf({ secured: true, session }).run(work));
  return session.toJSON();
}

interface AgentTerms {
  readonly payload?: Payload;
  readonly secured?: boolean;
  /** What each run's session begins with. */
  readonly history?: unknown;
  /** The session of all runs. Default: each has its own. */
  readonly session?: AgentSession;
}

/** An agent that does the work of the script. */
function agentOf({ payload = "none", secured = false, history, session }: AgentTerms): Contender {
  let current: Work;
  // Services name no two calls alike, either.
  const prefix = history === undefined ? "" : "later_";
  const client: ChatClient = {
    metadata: { provider: "mock" },
    async getResponse({ run }: ChatRequest): Promise<ChatResponse> {
      const turn = current.next();
      if ("stream" in turn) throw new Error("bench: nothing is streamed here");
      const contents =
        "calls" in turn
          ? turn.calls.map(
              ({ id, args }): FunctionCallContent => ({
                type: "function_call",
                callId: prefix + id,
                name: payload === "text" ? "read" : "add",
                arguments: JSON.parse(args),
              }),
            )
          : [{ type: "text" as const, text: turn.text }];
      const message = { role: "assistant" as const, contents, createdAt: run?.now() ?? 0 };
      return { messages: [{ id: run?.newId("message") ?? "", ...message }] };
    },
  };
  const tools = toolsOf(({ a, b }) => {
    const sum = current.add(a, b);
    if (payload === "none") return sum;
    return payload === "text" ? body : { sum, body };
  });
  const agent = new Agent({
    client,
    invocation: { maxIterations: 1000 },
    ...(secured
      ? { contextProviders: [secureAgent({ tools, policy, quarantine: client })] }
      : { tools }),
  });
  return {
    async run(work) {
      current = work;
      const own =
        session ?? (history === undefined ? new AgentSession() : AgentSession.fromJSON(history));
      return { text: (await agent.run("go", { session: own })).text };
    },
    async stream() {
      throw new Error("bench: nothing is streamed here");
    },
  };
}

type Execute = (input: { readonly a: number; readonly b: number }) => unknown;

function toolsOf(execute: Execute) {
  return ["add", "read"].map((name) =>
    tool({ name, description: name, parameters: addSchema, execute }),
  );
}
