import { isJsonObject, type JsonObject, type Principal, type RunEnvironment } from "@tunic/core";
import { McpError } from "../../mcp-error.js";
import type { CallingClient, Question } from "../calling-client.js";
import { ProtocolError } from "../protocol-error.js";
import type { Reply } from "./reply.js";
import { missingCapability, type StatelessRequest } from "./revision.js";

interface Asked {
  readonly question: Question;
  answer(answer: JsonObject): void;
  fail(error: Error): void;
}

/**
 * A call that outlives its request: where something has to be asked, the request is answered with the questions, and the
 * call waits here until the client calls again with what they are answered.
 */
export class OpenCall {
  readonly principal: Principal | undefined;
  readonly params: JsonObject;
  /** Resolves when the work is over, however it went. */
  readonly settled: Promise<void>;
  readonly #controller = new AbortController();
  readonly #clock: Pick<RunEnvironment, "setTimer">;
  readonly #capabilities: JsonObject;
  readonly #asked = new Map<string, Asked>();
  /** Answers that came before the questions. */
  readonly #given: Map<string, JsonObject>;
  readonly #answer: Promise<JsonObject>;
  #missed: JsonObject = {};
  #questions = 0;
  #progress = 0;
  #reply: Reply | undefined;
  #token: string | number | undefined;
  #tellAsked: () => void = () => {};

  constructor(
    { params, capabilities }: StatelessRequest,
    principal: Principal | undefined,
    clock: Pick<RunEnvironment, "setTimer">,
    work: (client: CallingClient) => Promise<JsonObject>,
  ) {
    this.principal = principal;
    this.params = params;
    this.#capabilities = capabilities;
    this.#clock = clock;
    this.#given = new Map(answersIn(params));
    this.#token = tokenIn(params);
    this.#answer = work(this.#client());
    this.settled = this.#answer.then(
      () => {},
      () => {},
    );
  }

  /** Takes answers; what is none stays asked. */
  resume(params: JsonObject): void {
    this.#token = tokenIn(params);
    for (const [id, answer] of answersIn(params)) {
      this.#asked.get(id)?.answer(answer);
      this.#asked.delete(id);
    }
  }

  /**
   * Waits for what there is to say to a request: the call's result, or its questions.
   *
   * @throws What the call throws, also when it is aborted, and ProtocolError -32021 where it has failed for want of a capability.
   */
  async next(
    reply: Reply,
  ): Promise<{ readonly result: JsonObject } | { readonly asks: JsonObject }> {
    reply.onGone(() => this.abort(new McpError("mcp_connection_lost", "The client has gone.")));
    this.#reply = reply;
    try {
      const asked = new Promise<undefined>((resolve) => {
        this.#tellAsked = () => resolve(undefined);
      });
      if (this.#asked.size > 0) this.#tellAsked();
      const result = await Promise.race([this.#answer, asked]);
      if (result === undefined) return { asks: this.#asks() };
      if (result["isError"] !== true || Object.keys(this.#missed).length === 0) return { result };
      throw new ProtocolError(missingCapability, "The client lacks a capability that this needs", {
        requiredCapabilities: this.#missed,
      });
    } finally {
      this.#reply = undefined;
    }
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
    for (const { fail } of this.#asked.values()) fail(reason);
    this.#asked.clear();
  }

  /** Fires when nobody will come back for it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #client(): CallingClient {
    return {
      principal: this.principal,
      signal: this.#controller.signal,
      capabilities: this.#capabilities,
      progress: this.#token === undefined ? undefined : (message) => this.#tell(message),
      ask: (question, timeoutMs) => this.#ask(question, timeoutMs),
      missed: (question) => {
        this.#missed = { ...this.#missed, ...capabilityFor(question) };
      },
    };
  }

  #ask(question: Question, timeoutMs: number): Promise<JsonObject> {
    const { id: name } = question;
    const given = name === undefined ? undefined : this.#given.get(name);
    if (name !== undefined && given !== undefined) {
      this.#given.delete(name);
      return Promise.resolve(given);
    }
    this.#controller.signal.throwIfAborted();
    const isFree = name !== undefined && !this.#asked.has(name);
    const id = isFree ? name : `input_${++this.#questions}`;
    return new Promise((resolve, reject) => {
      const late = new McpError("mcp_timeout", "There was no answer in time.");
      // Nobody would hear what becomes of the call.
      const cancel = this.#clock.setTimer(() => this.abort(late), timeoutMs);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          cancel();
          settle(value);
        };
      this.#asked.set(id, { question, answer: settled(resolve), fail: settled(reject) });
      // What is asked at the same time goes out together.
      setImmediate(() => this.#tellAsked());
    });
  }

  #asks(): JsonObject {
    const asks = [...this.#asked].map(
      ([
        id,
        {
          question: { method, params },
        },
      ]) => [id, { method, params }],
    );
    return Object.fromEntries(asks);
  }

  #tell(message: string | undefined): void {
    this.#progress++;
    const told = { progress: this.#progress, ...(message !== undefined && { message }) };
    const progressToken = this.#token;
    if (progressToken === undefined) return;
    this.#reply?.notify("notifications/progress", { progressToken, ...told });
  }
}

function answersIn({ inputResponses }: JsonObject): [string, JsonObject][] {
  const answers = isJsonObject(inputResponses) ? Object.entries(inputResponses) : [];
  return answers.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}

function tokenIn({ _meta: meta }: JsonObject): string | number | undefined {
  const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}

function capabilityFor({ method, params }: Question): JsonObject {
  switch (method) {
    case "elicitation/create":
      return { elicitation: params["mode"] === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return { sampling: "tools" in params || "toolChoice" in params ? { tools: {} } : {} };
    default:
      return { roots: {} };
  }
}
