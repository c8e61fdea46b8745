import {
  Agent,
  type AgentResponse,
  AgentSession,
  ApprovalError,
  type ApprovalOptions,
  type Content,
  type FunctionApprovalRequestContent,
  type Message,
  pending,
  type RunOptions,
  type Tool,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { expect } from "vitest";
import { rejection } from "./play.js";

export const approvalSecret = "a secret of more than 32 characters";
const id = {
  type: "object",
  properties: { id: { type: "number" } },
  required: ["id"],
  additionalProperties: false,
} as const;

/** A desk with a free tool and one that asks, and what ran at it. */
export function desk(wipeOptions: { description?: string; asks?: (id: number) => boolean } = {}) {
  const ran: string[] = [];
  const asks = wipeOptions.asks;
  const read = tool({ name: "read", parameters: id, execute: ({ id }) => ran.push(`read ${id}`) });
  const wipe = tool({
    name: "wipe",
    description: wipeOptions.description ?? "Wipes a disk.",
    parameters: id,
    approvalMode: asks ? ({ id }) => asks(id) : "always_require",
    execute({ id }) {
      ran.push(`wipe ${id}`);
      return `wiped ${id}`;
    },
  });
  return { ran, tools: [read, wipe] as const };
}

export const calls = (...made: readonly (readonly [string, number])[]): ScriptedTurn => ({
  calls: made.map(([name, id], at) => ({ name, arguments: { id }, id: `c${at + 1}` })),
});

export function agentOf(
  tools: readonly Tool[],
  turns: readonly ScriptedTurn[],
  approvals: ApprovalOptions = {},
) {
  const client = new ScriptedChatClient(turns);
  return { client, agent: new Agent({ client, tools, invocation: { approvals } }) };
}

/** A history as a browser has it: after a pause, through JSON. */
export async function paused(
  tools: readonly Tool[],
  turn: ScriptedTurn,
  approvals: ApprovalOptions = { approvalSecret },
) {
  const { agent } = agentOf(tools, [turn], approvals);
  const { newMessages } = await agent.run("go");
  const history = JSON.parse(JSON.stringify(newMessages)) as Message[];
  const requests = pending(history);
  return { history, requests, request: requests[0] as FunctionApprovalRequestContent };
}

export async function expectRefused(
  promise: Promise<unknown>,
  code: string,
  ran: readonly string[],
): Promise<void> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(ApprovalError);
  expect((error as ApprovalError).code).toBe(code);
  expect(ran).toEqual([]);
}

/** A conversation that is kept in a session, or as a history that travels. */
export class Conversation {
  #session: AgentSession | undefined;
  #history: readonly Message[] = [];
  readonly #agent: Agent;

  constructor(agent: Agent, kept: "session" | "history") {
    this.#agent = agent;
    if (kept === "session") this.#session = new AgentSession();
  }

  get log(): readonly Message[] {
    return this.#session?.messages ?? this.#history;
  }

  get pending(): readonly FunctionApprovalRequestContent[] {
    return this.#session?.pending ?? pending(this.#history);
  }

  async say(...parts: readonly (string | Content | RunOptions)[]): Promise<AgentResponse> {
    const session = this.#session;
    const isInput = (part: string | Content | RunOptions): part is string | Content =>
      typeof part === "string" || "type" in part;
    const options = parts.find((part) => !isInput(part)) as RunOptions | undefined;
    const input = [...(session ? [] : this.#history), ...parts.filter(isInput)];
    const response = await this.#agent.run(input, { ...options, session });
    this.#history = [...this.#history, ...response.newMessages];
    return response;
  }

  /** Everything goes through JSON. */
  restart(): void {
    this.#history = JSON.parse(JSON.stringify(this.#history)) as Message[];
    if (!this.#session) return;
    this.#session = AgentSession.fromJSON(JSON.parse(JSON.stringify(this.#session)));
  }
}
