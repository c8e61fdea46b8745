import {
  Agent,
  type AgentInput,
  type AgentOptions,
  type AgentResponse,
  AgentSession,
  type ChatClient,
  type ChatRequest,
  type FunctionInvocationContext,
  type FunctionTool,
  foldUpdates,
  isJsonObject,
  type JsonObject,
  type Message,
  type RunOptions,
  type Tool,
  type ToolTraits,
  tool,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { expect, it } from "vitest";
import { explain, type FlowPolicy, type SecureAgentOptions, secureAgent } from "../../src/index.js";

/** A tool in a few words. Its arguments are optional; texts, where nothing else is said. */
export interface ToolSketch extends Partial<ToolTraits> {
  readonly takes?: readonly string[] | Readonly<Record<string, JsonObject>>;
  readonly description?: string;
  /** What it returns, or a function that does. Default `done`. */
  readonly gives?: unknown;
  readonly owner?: string;
  readonly approvalMode?: FunctionTool["approvalMode"];
  readonly editable?: boolean;
}

/** A call that really ran, with what the tool was given. */
export interface Ran {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface WorldOptions
  extends Partial<Omit<SecureAgentOptions, "tools" | "policy" | "quarantine">> {
  readonly turns: readonly ScriptedTurn[];
  /** Answers all requests, instead of the turns. */
  readonly answers?: ScriptedTurn & ((request: ChatRequest) => unknown);
  readonly tools?: Readonly<Record<string, ToolSketch>>;
  /** Tools as they are. */
  readonly more?: readonly Tool[];
  /** The tools of the policy, or all of it. */
  readonly policy?: FlowPolicy["tools"];
  readonly rules?: Omit<FlowPolicy, "version" | "tools">;
  readonly quarantine?: ChatClient | false;
  readonly agent?: Partial<Omit<AgentOptions, "client">>;
  readonly streamed?: boolean;
  readonly chunkSize?: number;
  readonly session?: AgentSession;
}

/** One secured agent in one conversation, and everything that came of it. */
export class World {
  readonly ran: Ran[] = [];
  readonly updates: Update[] = [];
  readonly notices: string[] = [];
  readonly model: ScriptedChatClient;
  readonly agent: Agent;
  session: AgentSession;
  readonly #streamed: boolean;

  constructor(options: WorldOptions) {
    const { turns, tools, more, policy, rules, quarantine, agent, streamed, chunkSize, session } =
      options;
    const { mode, hide, labels, labelSecret, limits, audit } = options;
    this.#streamed = streamed ?? false;
    this.session = session ?? new AgentSession({ id: "conversation" });
    const { answers } = options;
    const script = answers === undefined ? turns : () => answers;
    this.model = new ScriptedChatClient(script, chunkSize === undefined ? {} : { chunkSize });
    const made = Object.entries(tools ?? {}).map(([name, sketch]) =>
      sketchedTool(name, sketch, this.ran),
    );
    this.agent = new Agent({
      ...agent,
      client: this.model,
      contextProviders: [
        ...(agent?.contextProviders ?? []),
        secureAgent({
          tools: [...made, ...(more ?? [])],
          policy: { version: 1, tools: policy ?? {}, ...rules },
          quarantine: quarantine ?? false,
          mode,
          hide,
          labels,
          labelSecret,
          limits,
          audit,
        }),
      ],
    });
  }

  /** One run; where it is streamed, what was shown has to be the response. */
  async say(input: AgentInput, options: RunOptions = {}): Promise<AgentResponse> {
    const fold = foldUpdates();
    const onUpdate = (update: Update): void => {
      this.updates.push(update);
      fold.add(update);
    };
    const response = await this.agent.run(input, {
      session: this.session,
      ...options,
      ...(this.#streamed && { onUpdate }),
      onEvent: (event) => {
        if (event.type === "notice") this.notices.push(event.code);
      },
    });
    if (this.#streamed) expect(fold.messages).toEqual(response.messages);
    return response;
  }

  /** The process dies, and another one goes on. */
  restart(): void {
    this.session = AgentSession.fromJSON(JSON.parse(JSON.stringify(this.session)));
  }

  /** Every call of the conversation with what became of it, such as `pay: deny trusted_call`. */
  get verdicts(): readonly string[] {
    return verdictsIn(this.session);
  }

  /** Whether the model has seen a text in any request. */
  sees(text: string): boolean {
    return this.model.requests.some(({ messages, options: { instructions, tools } }) =>
      JSON.stringify([messages, instructions, tools]).includes(asJson(text)),
    );
  }

  /** Whether a text stands in what is stored of the conversation's messages. */
  stores(text: string): boolean {
    return JSON.stringify(this.session.messages).includes(asJson(text));
  }

  /** The texts of results, as the model has them. */
  get results(): readonly string[] {
    return resultsIn(this.session.messages);
  }

  /** Whether whoever watches the stream has seen a text, in one piece or in several. */
  shows(text: string): boolean {
    const said = foldUpdates();
    for (const update of this.updates) said.add(update);
    return [this.updates, said.messages].some((part) =>
      JSON.stringify(part).includes(asJson(text)),
    );
  }
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export function verdictsIn(session: AgentSession): readonly string[] {
  return session.messages.flatMap(({ contents }) =>
    contents.flatMap((content) => {
      if (content.type !== "function_call") return [];
      const decision = explain(session, content.callId);
      const rules = [...new Set(decision?.violations.map(({ rule }) => rule))];
      return [`${content.name}: ${[decision?.verdict ?? "not judged", ...rules].join(" ")}`];
    }),
  );
}

function resultsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ contents }) =>
    contents.flatMap((content) =>
      content.type === "function_result"
        ? [content.contents.map((each) => ("text" in each ? each.text : each.type)).join("")]
        : [],
    ),
  );
}

export function sketchedTool(name: string, sketch: ToolSketch, ran: Ran[]): FunctionTool {
  const { takes = [], gives = "done", description = `Does ${name}.`, ...traits } = sketch;
  const names = Array.isArray(takes) ? takes.map((each: string) => [each, { type: "string" }]) : [];
  const properties = Array.isArray(takes) ? Object.fromEntries(names) : takes;
  return tool({
    name,
    description,
    parameters: { type: "object", properties, additionalProperties: false },
    ...traits,
    execute(input: unknown, context: FunctionInvocationContext) {
      if (isJsonObject(input)) ran.push({ tool: name, arguments: { ...input } });
      return typeof gives === "function" ? gives(input, context) : gives;
    },
  } as Parameters<typeof tool>[0]) as FunctionTool;
}

/** A turn in which the model makes one call. */
export function call(name: string, args: JsonObject = {}) {
  return { calls: [{ name, arguments: args }] };
}

/** A test over whole and over streamed answers: what is decided has to be the same. */
export function inBothManners(
  title: string,
  test: (make: (options: WorldOptions) => World) => Promise<void>,
): void {
  for (const streamed of [false, true]) {
    it(`${title} (${streamed ? "streamed" : "whole"})`, () =>
      test((options) => new World({ streamed, chunkSize: 3, ...options })));
  }
}

export const ref = (text: string) => ({ $ref: text });
