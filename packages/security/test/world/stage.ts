import {
  Agent,
  type AgentResponse,
  AgentSession,
  type ApprovalOptions,
  type ChatRequest,
  type Content,
  type FunctionTool,
  type JsonObject,
  type JsonValue,
  type Message,
  type Middleware,
  type RunEnvironment,
  type RunOptions,
  tool,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import fc from "fast-check";
import {
  explain,
  type FlowAudit,
  type FlowDecision,
  type FlowMode,
  secureAgent,
} from "../../src/index.js";
import type { LabelSecret } from "../../src/labels/label-keys.js";
import type { World, WorldData, WorldTool } from "./flow-world.js";
import { type Program, plan, talkedInto } from "./planner.js";

/** A call that really ran, with what the tool itself got. */
export interface Executed {
  readonly tool: string;
  readonly callId: string;
  readonly args: JsonObject;
  /** What the tool gave back; absent where it failed. */
  result?: JsonValue;
}

/** What is to be different from the usual. */
export interface StageOptions {
  readonly mode?: FlowMode;
  readonly labelSecret?: LabelSecret;
  readonly middleware?: readonly Middleware[];
  readonly environment?: RunEnvironment;
  readonly approvals?: ApprovalOptions;
  readonly chunkSize?: number;
  readonly audit?: FlowAudit;
  /** Asked before a tool does what it does. */
  readonly before?: (call: Executed) => Promise<void> | void;
}

/** A secured agent in a world. */
export interface Stage {
  readonly agent: Agent;
  readonly client: ScriptedChatClient;
  /** In the order in which they ran. */
  readonly executed: Executed[];
  /** Turns that the model makes instead of what its program says; the last of them goes on for ever. */
  readonly script: ScriptedTurn[];
}

/** Sets up a secured agent in a world, with a program for a model. */
export function stage(
  world: World,
  data: WorldData,
  program: Program,
  options: StageOptions = {},
): Stage {
  const { mode, labelSecret, middleware, environment, approvals, chunkSize, audit, before } =
    options;
  const executed: Executed[] = [];
  const state = { data, notes: new Map() };
  const id = `stage_${stages.size}`;
  stages.set(id, async (call) => {
    await before?.(call);
    executed.push(call);
    const result = world.tools.find(({ name }) => name === call.tool)?.does(call.args, state);
    if (result !== undefined) call.result = result;
    return result;
  });
  const rounds = new Map<string, number>();
  const script: ScriptedTurn[] = [];
  const answer = (request: ChatRequest) => {
    const [turn, ...others] = script;
    if (turn !== undefined) {
      if (others.length > 0) script.shift();
      return turn;
    }
    const round = rounds.get(request.run?.id ?? "") ?? 0;
    rounds.set(request.run?.id ?? "", round + 1);
    return plan(program, world.tools, request, round);
  };
  const client = new ScriptedChatClient(answer, {
    ...(chunkSize !== undefined && { chunkSize }),
  });
  const agent = new Agent({
    id,
    client,
    environment: environment ?? manualEnvironment(),
    // What a tool complains of is somebody else's text, too.
    invocation: { includeDetailedErrors: true, maxConsecutiveErrors: 100 },
    contextProviders: [
      secureAgent({
        tools: world.tools.map(toolOf),
        policy: world.policy,
        hide: world.hide,
        quarantine: new ScriptedChatClient((request) => talkedInto(request)),
        ...(mode && { mode }),
        ...(labelSecret && { labelSecret }),
        ...(audit && { audit }),
      }),
    ],
    ...(middleware && { middleware }),
    ...(approvals && { approvals }),
  });
  return { agent, client, executed, script };
}

/** What the tools of an agent do, by its id: the tools themselves are made once, as schemas take long to compile. */
const stages = new Map<string, (call: Executed) => Promise<unknown>>();

const made = new Map<string, FunctionTool>();

/** A tool that takes anything for each of its arguments. */
function toolOf({ name, arguments: names }: WorldTool): FunctionTool {
  const key = `${name}(${names.join()})`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const worldTool = tool({
    name,
    description: `Does ${name}.`,
    parameters: {
      type: "object",
      properties: Object.fromEntries(names.map((each) => [each, {}])),
      additionalProperties: false,
    },
    execute: (args, { call, run }) =>
      stages.get(run.agent?.id ?? "")?.({
        tool: name,
        callId: call.callId,
        args: args as JsonObject,
      }),
  }) as FunctionTool;
  made.set(key, worldTool);
  return worldTool;
}

/** One run of a new agent with a new session. */
export async function play(
  world: World,
  data: WorldData,
  program: Program,
  { runOptions, ...options }: StageOptions & { readonly runOptions?: RunOptions } = {},
): Promise<Played> {
  const staged = stage(world, data, program, options);
  const session = new AgentSession({ id: "s" });
  const response = await staged.agent.run("Pay alice.", { ...runOptions, session });
  return { ...staged, session, response };
}

/** A run and everything that can be seen of it. */
export interface Played extends Stage {
  readonly session: AgentSession;
  readonly response: AgentResponse;
}

/** The decisions on all calls of a session, in the order of the calls. */
export function decisionsOf(session: AgentSession): readonly FlowDecision[] {
  return callsIn(session.messages).flatMap(({ callId }) => explain(session, callId) ?? []);
}

/** All calls in messages. */
export function callsIn(messages: readonly Message[]) {
  return contentsOf(messages, "function_call");
}

/** All contents of one type in messages. */
export function contentsOf<Type extends Content["type"]>(messages: readonly Message[], type: Type) {
  return messages.flatMap(({ contents }) =>
    contents.filter((each): each is Extract<Content, { type: Type }> => each.type === type),
  );
}

/** Any program whose model depends on all that it sees. */
export const programs: fc.Arbitrary<Program> = fc.record({
  seed: fc.nat(),
  rounds: fc.integer({ min: 1, max: 5 }),
  sees: fc.constant(true),
});

/** Any program that goes by places. */
export const blindPrograms: fc.Arbitrary<Program> = programs.map((program) => ({
  ...program,
  sees: false,
}));
