import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { SessionBusyError } from "../errors/run-errors.js";
import type { Content, FunctionApprovalRequestContent, Spent } from "../messages/content.js";
import { copyJson, isJsonObject, type JsonValue } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import { isRequest, openRequests, requestsIn, unanswered } from "../messages/requests.js";
import { randomHex } from "./random-hex.js";
import type { RememberedDecision } from "./remembered-decision.js";

/** A session as plain JSON. */
export interface SessionData {
  readonly version: 1;
  readonly id: string;
  readonly messages: readonly Message[];
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly paused?: Spent;
  /** The requests of this session's own runs whose calls still wait. */
  readonly requests?: readonly FunctionApprovalRequestContent[];
  readonly remembered?: readonly RememberedDecision[];
}

const optionNames: ReadonlySet<string> = new Set(["id"]);

/** One conversation over several runs: grows by what each run adds, in one step at its end. */
export class AgentSession {
  readonly id: string;
  /** The log. Only runs append to it. */
  messages: readonly Message[];
  /** Data of tools and providers that lives as long as the conversation; JSON only. */
  readonly state: Record<string, JsonValue>;
  /** Counters of the run that paused last; its continuation goes on from them. */
  paused?: Spent;
  #requests: readonly FunctionApprovalRequestContent[] = [];
  #remembered: readonly RememberedDecision[] = [];

  /**
   * Begins an empty conversation; {@link AgentSession.fromJSON} goes on with a stored one.
   *
   * @param options.id Default: a random id.
   * @throws ConfigurationError `invalid_option`, `unknown_option`, or `session_data` for the data of
   * a stored session.
   */
  constructor(options: { readonly id?: string | undefined } = {}) {
    checkOptions(options);
    this.id = options.id ?? `session_${randomHex()}`;
    this.messages = [];
    this.state = {};
  }

  /** The questions that wait for an answer. What came in with an input is never among them. */
  get pending(): readonly FunctionApprovalRequestContent[] {
    return unanswered(this.messages, this.#requests);
  }

  /** The decisions that hold for further calls, the oldest first. */
  get remembered(): readonly RememberedDecision[] {
    return this.#remembered;
  }

  /** Takes a remembered decision back. Returns whether there was one of that id. */
  revoke(id: string): boolean {
    const left = this.#remembered.filter((decision) => decision.id !== id);
    const revoked = left.length < this.#remembered.length;
    this.#remembered = left;
    return revoked;
  }

  /** @internal */
  static requestsOf(session: AgentSession): readonly FunctionApprovalRequestContent[] {
    return session.#requests;
  }

  /** Adds what one run brought, in one step. @internal */
  static commit(session: AgentSession, turn: SessionTurn): void {
    const { fresh, added, paused } = turn;
    session.messages = [...session.messages, ...fresh, ...added];
    if (paused) session.paused = paused;
    else delete session.paused;
    // Only what this run added: a request that came in with the input is nobody's question.
    const asked = requestsIn(added);
    if (session.#requests.length + asked.length === 0) return;
    const known = new Set(session.#requests.map((request) => request.requestId));
    const news = asked.filter((request) => !known.has(request.requestId));
    session.#requests = openRequests(session.messages, [...session.#requests, ...news]);
  }

  /** @internal */
  static remember(session: AgentSession, remembered: readonly RememberedDecision[]): void {
    session.#remembered = remembered;
  }

  /** The session as plain JSON; `AgentSession.fromJSON` brings it back. */
  toJSON(): SessionData {
    return {
      version: 1,
      id: this.id,
      messages: this.messages,
      state: this.state,
      ...(this.paused && { paused: this.paused }),
      ...(this.#requests.length > 0 && { requests: this.#requests }),
      ...(this.#remembered.length > 0 && { remembered: this.#remembered }),
    };
  }

  /**
   * The session that {@link toJSON} wrote down.
   *
   * @throws ConfigurationError `session_version` when a newer version wrote it, `session_data` when
   * it is no session.
   */
  static fromJSON(data: unknown): AgentSession {
    if (typeof data === "string") throw notASession(" Parse the text first: JSON.parse(text).");
    if (!isJsonObject(data) || !("version" in data || "messages" in data)) throw notASession();
    const { version, messages } = data;
    if (version !== 1 && !(version === undefined && !Array.isArray(messages))) {
      throw new ConfigurationError(
        "session_version",
        `This session has version ${String(version)}; this version of Tunic reads version 1.`,
      );
    }
    if (!isSessionData(data)) throw notASession();
    const session = new AgentSession({ id: data.id });
    session.messages = copyJson(data.messages);
    // Not Object.assign: that would take a member called "__proto__" for the prototype.
    for (const [key, value] of Object.entries(copyJson(data.state ?? {}))) {
      Object.defineProperty(session.state, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    if (data.paused) session.paused = { ...data.paused };
    session.#requests = copyJson(data.requests ?? []);
    session.#remembered = copyJson(data.remembered ?? []);
    return session;
  }
}

/** What one run brings to its session. */
export interface SessionTurn {
  /** What the caller said. */
  readonly fresh: readonly Message[];
  /** What the run made of it. */
  readonly added: readonly Message[];
  /** Counters, where it paused. */
  readonly paused?: Spent | undefined;
}

const busy = new WeakMap<AgentSession, object>();

/**
 * Takes a session for one run.
 *
 * @returns the function that gives it back.
 * @throws SessionBusyError while another run has it.
 */
export function holdSession(session: AgentSession): () => void {
  if (busy.has(session)) throw new SessionBusyError(session.id);
  const hold = {};
  busy.set(session, hold);
  return () => {
    if (busy.get(session) === hold) busy.delete(session);
  };
}

/** Seen from outside its types: a stored session that is handed over here would be lost silently. */
function checkOptions(options: unknown): void {
  if (!isJsonObject(options)) {
    throw new ConfigurationError(
      "invalid_option",
      'new AgentSession takes an object: new AgentSession({ id: "…" }). AgentSession.fromJSON(data) makes one of stored data.',
    );
  }
  if (["messages", "state", "version"].some((name) => name in options)) {
    throw new ConfigurationError(
      "session_data",
      "new AgentSession begins an empty conversation; AgentSession.fromJSON(data) makes one of stored data.",
    );
  }
  checkOptionNames("new AgentSession", options, optionNames);
  const { id } = options;
  if (id === undefined || (typeof id === "string" && id !== "")) return;
  throw new ConfigurationError("invalid_option", "`id` of a session must be a non-empty string.");
}

/** A store may hold anything: what is broken must not wait for the first run to be found. */
function isSessionData(data: object): data is SessionData {
  const { id, messages, state, paused, requests, remembered } = data as {
    [Name in keyof SessionData]?: unknown;
  };
  return (
    typeof id === "string" &&
    Array.isArray(messages) &&
    messages.every(isMessage) &&
    (state === undefined || isJsonObject(state)) &&
    (!paused || isSpent(paused)) &&
    isListOf(requests, isRequest) &&
    isListOf(remembered, isRemembered)
  );
}

function isMessage(message: Message | null): boolean {
  return (
    typeof message?.id === "string" &&
    typeof message.role === "string" &&
    Array.isArray(message.contents) &&
    message.contents.every((content: Content | null) => typeof content?.type === "string")
  );
}

/** A count below zero, or none at all, would be a budget without an end. */
function isSpent(paused: unknown): boolean {
  if (!isJsonObject(paused)) return false;
  const { iterations, functionCalls, tokens } = paused;
  return [iterations, functionCalls, tokens].every(
    (count) => Number.isFinite(count) && Number(count) >= 0,
  );
}

function isListOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isMember));
}

function isRemembered(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, approved, tool, scope, until, usesLeft } = value;
  return (
    typeof id === "string" &&
    typeof approved === "boolean" &&
    isRememberedTool(tool) &&
    isScope(scope) &&
    [until, usesLeft].every((number) => number === undefined || Number.isFinite(number))
  );
}

function isRememberedTool(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, owner = "", hash } = value;
  return [name, owner, hash].every((text) => typeof text === "string");
}

function isScope(value: unknown): boolean {
  if (!isJsonObject(value)) return value === "tool";
  return isJsonObject("arguments" in value ? value["arguments"] : value["matching"]);
}

function notASession(hint = ""): ConfigurationError {
  return new ConfigurationError(
    "session_data",
    `AgentSession.fromJSON takes what toJSON() gave.${hint}`,
  );
}
