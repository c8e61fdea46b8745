import {
  Agent,
  type AgentInput,
  type AgentResponse,
  AgentSession,
  type ApprovalBatchMode,
  ApprovalError,
  approve,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type FunctionInvocationContext,
  foldUpdates,
  type Message,
  pending,
  type Tool,
  tool,
  type Update,
} from "@tunic/core";
import {
  type ManualEnvironment,
  manualEnvironment,
  ScriptedChatClient,
  type ScriptedTurn,
} from "@tunic/testing";
import { expect } from "vitest";

/** In what surroundings a conversation happens. */
export interface Surroundings {
  readonly session: boolean;
  readonly streamed: boolean;
  readonly mode: ApprovalBatchMode;
}

/** A yes that a person has really given. */
interface Granted {
  readonly request: FunctionApprovalRequestContent;
  readonly answer: FunctionApprovalResponseContent;
  readonly toolVersion: number;
}

export const dayMs = 24 * 60 * 60 * 1000;
const secret = "0123456789abcdef0123456789abcdef";
const number = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
} as const;

/**
 * One conversation and everything around it. Its tools check, whenever they run, that they may:
 * nothing runs without a yes that was really given, for these arguments, in time; nothing runs twice.
 */
export class ApprovalWorld {
  readonly ran: string[] = [];
  readonly environment: ManualEnvironment = manualEnvironment(1000);
  readonly client: ScriptedChatClient;
  /** The log as whoever keeps it has it: of the session, or the history that travels. */
  history: readonly Message[] = [];
  session: AgentSession | undefined;
  last: AgentResponse | undefined;
  toolVersion = 1;
  /** Called whenever something outside of the loop is called. */
  probe: () => void = () => {};
  readonly #surroundings: Surroundings;
  readonly #granted = new Map<string, Granted>();
  readonly #used = new Set<string>();
  readonly #childClient: ScriptedChatClient;
  #agent: Agent;

  constructor(turns: readonly ScriptedTurn[], surroundings: Surroundings) {
    this.#surroundings = surroundings;
    const rest = Array.from({ length: 30 }, () => "nothing more to do");
    this.client = new ScriptedChatClient([...turns, ...rest], { chunkSize: 5 });
    this.#childClient = new ScriptedChatClient(childTurn);
    if (surroundings.session) this.session = new AgentSession({ id: "s" });
    this.#agent = this.#newAgent();
  }

  get log(): readonly Message[] {
    return this.session?.messages ?? this.history;
  }

  /** The questions that a page would show. */
  get pending(): readonly FunctionApprovalRequestContent[] {
    return this.session?.pending ?? pending(this.history);
  }

  /** The questions that a person could still answer in time. */
  get answerable(): readonly FunctionApprovalRequestContent[] {
    const now = this.environment.now();
    return this.pending.filter(({ expiresAt = Infinity }) => expiresAt > now);
  }

  /** Everything goes through JSON, and a new agent goes on. */
  restart(): void {
    if (this.session)
      this.session = AgentSession.fromJSON(JSON.parse(JSON.stringify(this.session)));
    this.history = JSON.parse(JSON.stringify(this.history)) as Message[];
    this.#agent = this.#newAgent();
  }

  /** The tool that has to be asked about becomes another one. */
  changeTool(): void {
    this.toolVersion++;
    this.#agent = this.#newAgent();
  }

  /** A person has really decided: from now on the call may run. */
  grant(request: FunctionApprovalRequestContent, answer: FunctionApprovalResponseContent): void {
    if (!answer.approved) return;
    const toolVersion = this.#versions.get(request.requestId) ?? this.toolVersion;
    this.#granted.set(request.requestId, { request, answer, toolVersion });
  }

  readonly #versions = new Map<string, number>();

  /** One run. Rejections come through; what the run did until then is in the log all the same. */
  async say(input: AgentInput, signal?: AbortSignal, log = this.history): Promise<AgentResponse> {
    const updates: Update[] = [];
    let transcript: readonly Message[] = [];
    let fresh: readonly Message[] = [];
    const parts = [input].flat() as readonly (string | Message)[];
    try {
      const response = await this.#agent.run(this.session ? input : [...log, ...parts], {
        session: this.session,
        signal,
        onEvent: (event) => {
          if (event.type === "run.end" && event.parentRunId === undefined) {
            ({ transcript } = event);
          }
          if (event.type === "run.start" && event.parentRunId === undefined) {
            fresh = event.messages;
          }
        },
        ...(this.#surroundings.streamed && {
          onUpdate: (update) => {
            updates.push(update);
          },
        }),
      });
      if (this.#surroundings.streamed) {
        expect(foldUpdates(updates).messages).toEqual(response.messages);
      }
      this.last = response;
      if (!this.session) this.history = [...log, ...response.newMessages];
      for (const { requestId } of this.pending) {
        if (!this.#versions.has(requestId)) this.#versions.set(requestId, this.toolVersion);
      }
      return response;
    } catch (error) {
      // Whoever keeps the history keeps what was done, also when the run broke off.
      const known = new Set(log.map((message) => message.id));
      const news = [...fresh, ...transcript].filter((message) => !known.has(message.id));
      if (!this.session && !(error instanceof ApprovalError) && transcript.length > 0) {
        this.history = [...log, ...news];
      }
      throw error;
    }
  }

  /** Answers everything that waits with yes. */
  approveAll(): readonly FunctionApprovalResponseContent[] {
    return this.answerable.map((request) => {
      const answer = approve(request);
      this.grant(request, answer);
      return answer;
    });
  }

  #newAgent(): Agent {
    return new Agent({
      name: "parent",
      client: this.client,
      environment: this.environment,
      tools: [...this.#tools(), this.#child()],
      invocation: {
        approvals: { mode: this.#surroundings.mode, approvalSecret: secret, expiresInMs: dayMs },
      },
    });
  }

  #child() {
    const child = new Agent({
      name: "child",
      client: this.#childClient,
      environment: this.environment,
      tools: this.#tools(),
    });
    return child.asTool();
  }

  /** How often the child was started for each of its tasks. */
  get childStarts(): readonly string[] {
    return this.#childClient.requests.flatMap(({ messages }) =>
      messages.length === 1 ? [JSON.stringify(messages[0]?.contents)] : [],
    );
  }

  #tools(): readonly Tool[] {
    const note = (name: string, n: number, context: FunctionInvocationContext): string => {
      this.ran.push(`${name} ${n}`);
      this.#check(name, n, context);
      this.probe();
      return `${name} done`;
    };
    const description = `Version ${this.toolVersion}.`;
    return [
      tool({ name: "read", parameters: number, execute: ({ n }, ctx) => note("read", n, ctx) }),
      tool({
        name: "wipe",
        description,
        parameters: number,
        approvalMode: "always_require",
        editable: ["n"],
        execute: ({ n }, ctx) => note("wipe", n, ctx),
      }),
      tool({
        name: "pay",
        description,
        parameters: number,
        approvalMode: ({ n }) => n > 2,
        execute({ n }, ctx) {
          note("pay", n, ctx);
          throw new Error("no money");
        },
      }),
      tool({ name: "ask_user" }),
    ];
  }

  /** May this run? */
  #check(name: string, n: number, context: FunctionInvocationContext): void {
    const key = `${context.agentName} ${context.run.id} ${context.call.callId}`;
    const id = context.approval?.requestId ?? key;
    expect(this.#used, `${name} ran twice`).not.toContain(id);
    this.#used.add(id);
    if (name === "read" || (name === "pay" && n <= 2)) return;
    const granted = this.#granted.get(id);
    expect(granted, `${name} ${n} ran without a yes`).toBeDefined();
    if (granted === undefined) return;
    const { request, answer, toolVersion } = granted;
    expect({ n }).toEqual(answer.arguments ?? request.call.arguments);
    expect(context.call.callId).toBe(request.call.callId);
    expect(request.expiresAt ?? Infinity).toBeGreaterThan(this.environment.now());
    if (request.path === undefined) expect(this.toolVersion).toBe(toolVersion);
  }
}

/** The child wipes something for each task, and then says so. */
function childTurn({ messages }: { readonly messages: readonly Message[] }): ScriptedTurn {
  const wiped = messages.some((message) => message.role === "tool");
  return wiped ? "child done" : { calls: [{ name: "wipe", arguments: { n: 7 }, id: "c1" }] };
}
