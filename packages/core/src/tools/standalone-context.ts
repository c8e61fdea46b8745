import { ConfigurationError } from "../errors/configuration-error.js";
import type { JsonObject } from "../messages/json.js";
import { Run } from "../run/run.js";
import type { Services } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import { checkProgress } from "./check-progress.js";
import type { FunctionInvocationContext, FunctionTool } from "./tool.js";

/** What code that invokes a tool can hand to it. */
interface Surroundings {
  readonly services?: Services | undefined;
  readonly session?: AgentSession | undefined;
}

/** What a function is told when its tool is invoked by code, outside every run. */
export function standaloneContext(
  tool: FunctionTool,
  args: JsonObject,
  { services, session }: Surroundings = {},
): FunctionInvocationContext {
  const run = new Run({ ...(services && { services }), ...(session && { session }) });
  const outside = (): never => {
    throw new ConfigurationError(
      "no_live_run",
      `The tool "${tool.name}" was invoked outside a run, which has no tools to change. Call it through an agent, or give invoke() a context.`,
    );
  };
  return {
    agentId: undefined,
    agentName: undefined,
    session,
    streamed: false,
    approval: undefined,
    resumed: undefined,
    run,
    tool,
    call: {
      type: "function_call",
      callId: run.newId("call"),
      name: tool.name,
      arguments: args,
    },
    arguments: args,
    messages: [],
    tools: [tool],
    services: run.services,
    iteration: 1,
    get signal() {
      return run.signal;
    },
    addTools: outside,
    removeTools: outside,
    reportProgress: checkProgress,
  };
}
