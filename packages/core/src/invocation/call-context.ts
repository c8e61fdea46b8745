import type { Content, FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import type { AbortGate } from "../onion/abort-gate.js";
import type { Run } from "../run/run.js";
import type { RunContext, Services } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import { checkProgress } from "../tools/check-progress.js";
import type {
  ApprovalDecision,
  FunctionInvocationContext,
  FunctionTool,
  ResumedCall,
  Tool,
} from "../tools/tool.js";
import type { ToolList } from "../tools/tool-list.js";
import type { ToolPause } from "../tools/tool-pause.js";
import type { Judge, RunnableCall } from "./judged-call.js";

/** What the calls of one round have in common. */
export interface InvocationScope {
  readonly run: Run;
  /** What stops the calls of this round. */
  readonly gate: AbortGate;
  readonly tools: ToolList;
  readonly iteration: number;
  /** What the model saw when it made the calls. */
  readonly messages: readonly Message[];
  readonly includeDetailedErrors: boolean;
  /** All calls of the batch, in order. */
  readonly batch: readonly FunctionCallContent[];
  /** For arguments that a handler changes. */
  readonly judge: Judge | undefined;
  /** Told who has ended the run with a verdict. */
  readonly ended: (by: string) => void;
  /** Absent when nobody watches the stream. */
  readonly emit: ((update: Update) => void | Promise<void>) | undefined;
}

/** What the contexts of one call have in common, through all layers and attempts. */
export interface CallState {
  readonly scope: InvocationScope;
  readonly runnable: RunnableCall;
  /** How often the tool's function was started. */
  attempts: number;
  /** What the function threw last. */
  thrown: unknown;
  /** Set when the call has paused. */
  pause: ToolPause | undefined;
}

/**
 * What a function handler and the function itself see; most of it is looked up only when asked for.
 * Each layer has its own: what it assigns is what the inside sees.
 */
export class CallContext implements FunctionInvocationContext {
  arguments: JsonObject;
  /** @internal */
  readonly state: CallState;
  readonly #signal: AbortSignal | undefined;

  constructor(state: CallState, args: JsonObject, signal: AbortSignal | undefined) {
    this.state = state;
    this.arguments = args;
    this.#signal = signal;
  }

  /** A context of its own for the inside. */
  inside(signal?: AbortSignal): CallContext {
    return new CallContext(this.state, this.arguments, signal ?? this.#signal);
  }

  /** Nothing new begins once the run was stopped, or the time that a handler gave was up. */
  throwIfStopped(): void {
    if (this.#signal?.aborted) throw this.#signal.reason;
    this.state.scope.gate.throwIfAborted();
  }

  get tool(): FunctionTool {
    return this.state.runnable.tool;
  }

  get call(): FunctionCallContent {
    return this.state.runnable.call;
  }

  get run(): RunContext {
    return this.state.scope.run;
  }

  get agentId(): string | undefined {
    return this.state.scope.run.agent?.id;
  }

  get agentName(): string | undefined {
    return this.state.scope.run.agent?.name;
  }

  get session(): AgentSession | undefined {
    return this.state.scope.run.session;
  }

  get messages(): readonly Message[] {
    return this.state.scope.messages;
  }

  get tools(): readonly Tool[] {
    return this.state.scope.tools.current;
  }

  get services(): Services {
    return this.state.scope.run.services;
  }

  get iteration(): number {
    return this.state.scope.iteration;
  }

  /** Of the gate that this call runs behind: a run that goes on after a time limit has a new one. */
  get signal(): AbortSignal {
    return this.#signal ?? this.state.scope.gate.signal;
  }

  get approval(): ApprovalDecision | undefined {
    const { ruling } = this.state.runnable;
    return ruling?.kind === "approved" ? ruling.decision : undefined;
  }

  get resumed(): ResumedCall | undefined {
    const { ruling } = this.state.runnable;
    return ruling?.kind === "resumed" ? ruling.resumed : undefined;
  }

  get streamed(): boolean {
    return this.state.scope.emit !== undefined;
  }

  // The methods come from getters, bound: a tool may take them out of the context, and one that
  // needs none of them pays for none.

  get addTools(): FunctionInvocationContext["addTools"] {
    const { tools, run } = this.state.scope;
    return (input) => {
      const added = tools.add(input);
      if (added.length > 0) run.emit("tools.changed", { added: namesOf(added), removed: [] });
    };
  }

  get removeTools(): FunctionInvocationContext["removeTools"] {
    const { tools, run } = this.state.scope;
    return (input) => {
      const removed = tools.remove(input);
      if (removed.length > 0) run.emit("tools.changed", { added: [], removed: namesOf(removed) });
    };
  }

  get reportProgress(): FunctionInvocationContext["reportProgress"] {
    const { emit } = this.state.scope;
    const { callId } = this.call;
    return (progress) => {
      // Also where nobody watches: a slip is to be found by the first test.
      checkProgress(progress);
      if (typeof progress === "string") {
        const contents: Content[] = [{ type: "text", text: progress }];
        return emit?.({ type: "progress", callId, contents });
      }
      if ("update" in progress) {
        return emit?.({ type: "progress", callId, update: progress.update });
      }
      return emit?.({ type: "progress", callId, contents: progress });
    };
  }
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map((tool) => tool.name);
}
