import type { ChatResponse, Outcome, ResponseMetadata } from "../chat/chat-client.js";
import type { ValueReader } from "../chat/read-value.js";
import type { FunctionApprovalRequestContent, FunctionCallContent } from "../messages/content.js";
import { openCalls } from "../messages/log.js";
import { type Message, textOf } from "../messages/message.js";
import { blockedCallIds, openRequests, pending, requestsIn } from "../messages/requests.js";
import type { FinishReason } from "../messages/update.js";
import type { Usage } from "../messages/usage.js";
import type { LimitName } from "../run/budget.js";

/** What a run came to: the whole turn. */
export class AgentResponse<Value = unknown> {
  /** What the agent added: text, calls, results and the final text, in order. */
  readonly messages: readonly Message[];
  /** The input and what the agent added: what a history grows by. */
  readonly newMessages: readonly Message[];
  /** The answer: the text of the last message that the model wrote. */
  readonly text: string;
  /** How the run ended. */
  readonly outcome: Outcome;
  /** Who ended the run, with outcome `ended`: the name of a middleware or a tool. */
  readonly endedBy?: string;
  /** Which limit, with outcome `limit`. */
  readonly limit?: LimitName;
  /** The sum over all model calls, those of sub-agents included. */
  readonly usage?: Usage;
  /** Of the last model call alone. */
  readonly lastUsage?: Usage;
  readonly finishReason?: FinishReason;
  /** The service's own word for `finishReason`. */
  readonly rawFinishReason?: string;
  /** What the service said beside its last answer, such as its rate limits. */
  readonly metadata?: ResponseMetadata;
  readonly responseId?: string;
  readonly conversationId?: string;
  readonly model?: string;
  readonly #log: readonly Message[];
  readonly #input: readonly Message[];
  readonly #read: ValueReader | undefined;
  /** What came of reading the value, once somebody has asked for it. */
  #outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;

  /**
   * @param log The log before the agent added to it.
   * @param input What of it is new to the caller.
   * @param read Reads the value of an answer that has a form; absent where it has none.
   */
  constructor(
    log: readonly Message[],
    input: readonly Message[],
    response: ChatResponse,
    read?: ValueReader,
  ) {
    this.#log = log;
    this.#input = input;
    this.#read = read;
    this.messages = response.messages;
    this.newMessages = [...input, ...response.messages];
    const last = this.messages.findLast((message) => message.role === "assistant");
    this.text = last ? textOf(last) : "";
    this.outcome = response.outcome ?? "completed";
    if (response.endedBy !== undefined) this.endedBy = response.endedBy;
    if (response.limit) this.limit = response.limit;
    if (response.usage) this.usage = response.usage;
    if (response.lastUsage) this.lastUsage = response.lastUsage;
    if (response.finishReason !== undefined) this.finishReason = response.finishReason;
    if (response.rawFinishReason !== undefined) this.rawFinishReason = response.rawFinishReason;
    if (response.metadata) this.metadata = response.metadata;
    if (response.responseId !== undefined) this.responseId = response.responseId;
    if (response.conversationId !== undefined) this.conversationId = response.conversationId;
    if (response.model !== undefined) this.model = response.model;
  }

  /**
   * The same response with other messages or another end, for handlers that change what comes out.
   *
   * @param changes `messages` in place of those that the agent added.
   */
  with(changes: Partial<ChatResponse>): AgentResponse<Value> {
    return new AgentResponse(this.#log, this.#input, { ...this, ...changes }, this.#read);
  }

  /**
   * The answer as the value that `responseFormat` asked for, read and checked when it is first asked
   * for; undefined without a `responseFormat`.
   *
   * @throws StructuredOutputError when there is none, or it does not fit the schema.
   */
  get value(): Value {
    this.#outcome ??= this.#readValue();
    if ("error" in this.#outcome) throw this.#outcome.error;
    return this.#outcome.value as Value;
  }

  #readValue(): { readonly value: unknown } | { readonly error: unknown } {
    try {
      return { value: this.#read?.(this) };
    } catch (error) {
      return { error };
    }
  }

  /**
   * Questions to a person, with outcome `paused`: all of the conversation that have no answer. Answer
   * them with `approve` or `deny` in the next run.
   */
  get approvalRequests(): readonly FunctionApprovalRequestContent[] {
    return this.outcome === "paused" ? pending([...this.#log, ...this.messages]) : [];
  }

  /**
   * Calls that wait for the caller, with outcome `paused`: answer each with a
   * `functionResultContent` in the next run. Calls that wait for a person's decision are not among
   * them, nor are those that wait with one.
   */
  get openCalls(): readonly FunctionCallContent[] {
    if (this.outcome !== "paused") return [];
    const log = [...this.#log, ...this.messages];
    const held = blockedCallIds(openRequests(log, requestsIn(log)));
    return openCalls(log).filter((call) => !held.has(call.callId));
  }
}
