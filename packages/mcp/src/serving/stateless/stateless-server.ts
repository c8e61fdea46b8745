import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { isJsonObject, type JsonObject, type Principal, type RunEnvironment } from "@tunic/core";
import { McpError } from "../../mcp-error.js";
import type { HttpSettings } from "../http/http-options.js";
import { internalError, invalidParams, methodNotFound, ProtocolError } from "../protocol-error.js";
import { callTool, listTools, type ServerTerms } from "../serve-method.js";
import { checkArgumentHeaders } from "./argument-headers.js";
import { OpenCall } from "./open-call.js";
import { idOf, isNotification, readRequest } from "./read-request.js";
import { Reply } from "./reply.js";
import { metaKeys, type StatelessRequest, statelessRevision } from "./revision.js";
import { Subscriptions } from "./subscriptions.js";
import { WaitingCalls } from "./waiting-calls.js";

/** A request that has been let in. */
export interface StatelessVisit {
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly response: ServerResponse;
  readonly principal: Principal | undefined;
}

/** Serves revision 2026-07-28: no handshake and no sessions. Whoever makes a request has been identified before. */
export class StatelessServer {
  readonly #terms: ServerTerms;
  readonly #clock: Pick<RunEnvironment, "setTimer">;
  readonly #waiting = new WaitingCalls();
  readonly #calls = new Set<OpenCall>();
  readonly #subscriptions: Subscriptions;

  constructor(
    terms: ServerTerms,
    { maxSessions, sessionMaxAgeMs }: HttpSettings,
    clock: Pick<RunEnvironment, "setTimer">,
  ) {
    this.#terms = terms;
    this.#clock = clock;
    this.#subscriptions = new Subscriptions(maxSessions, sessionMaxAgeMs, clock);
  }

  async serve({ headers, body, response, principal }: StatelessVisit): Promise<void> {
    if (isNotification(body)) {
      // There is none that a server of tools would act on.
      response.writeHead(202).end();
      return;
    }
    const reply = new Reply(response, idOf(body), this.#clock);
    let request: StatelessRequest;
    try {
      request = readRequest(headers, body);
    } catch (error) {
      return reply.error(error instanceof ProtocolError ? error : this.#failure(error), 400);
    }
    try {
      await this.#answer(request, headers, principal, reply);
    } catch (error) {
      reply.error(error instanceof ProtocolError ? error : this.#failure(error));
    }
  }

  toolsChanged(): void {
    this.#subscriptions.toolsChanged();
  }

  /** Ends what is open. */
  close(): void {
    this.#subscriptions.close();
    const over = new McpError("mcp_closed", "The server has been closed.");
    for (const call of this.#calls) call.abort(over);
  }

  async #answer(
    request: StatelessRequest,
    headers: IncomingHttpHeaders,
    principal: Principal | undefined,
    reply: Reply,
  ): Promise<void> {
    const { instructions } = this.#terms;
    switch (request.method) {
      case "server/discover":
        return reply.result(
          this.#complete({
            supportedVersions: [statelessRevision],
            capabilities: { tools: { listChanged: true } },
            ...(instructions !== undefined && { instructions }),
            ...notKept,
          }),
        );
      case "tools/list":
        return reply.result(this.#complete({ tools: listTools(this.#terms), ...notKept }));
      case "tools/call":
        return this.#call(request, headers, principal, reply);
      case "subscriptions/listen":
        return this.#subscriptions.listen(request, reply, this.#meta());
      default:
        throw new ProtocolError(methodNotFound, "Method not found");
    }
  }

  async #call(
    request: StatelessRequest,
    headers: IncomingHttpHeaders,
    principal: Principal | undefined,
    reply: Reply,
  ): Promise<void> {
    const { params } = request;
    const { name, arguments: args, inputResponses, requestState } = params;
    if (inputResponses !== undefined && !isJsonObject(inputResponses)) {
      throw new ProtocolError(invalidParams, "Invalid params: `inputResponses` must be an object");
    }
    const tool = typeof name === "string" ? this.#terms.toolsNow().get(name) : undefined;
    if (tool !== undefined) checkArgumentHeaders(tool, args, headers);
    const call =
      requestState === undefined
        ? this.#start(request, principal)
        : this.#waiting.take(requestState, params, principal);
    if (requestState !== undefined) call.resume(params);
    const next = await call.next(reply).catch((error: unknown) => {
      throw call.signal.aborted ? cancelled() : error;
    });
    if ("result" in next) return reply.result(this.#complete(next.result));
    reply.result({
      resultType: "input_required",
      inputRequests: next.asks,
      requestState: this.#waiting.add(call),
      _meta: this.#meta(),
    });
  }

  #start(request: StatelessRequest, principal: Principal | undefined): OpenCall {
    const call = new OpenCall(request, principal, this.#clock, (client) =>
      callTool(request.params, client, this.#terms),
    );
    this.#calls.add(call);
    void call.settled.then(() => this.#calls.delete(call));
    return call;
  }

  #complete(result: JsonObject): JsonObject {
    return { ...result, resultType: "complete", _meta: this.#meta() };
  }

  #meta(): JsonObject {
    const { name, version } = this.#terms;
    return { [metaKeys.server]: { name, version } };
  }

  /** What the other side is told of an error that is not its own. */
  #failure(error: unknown): ProtocolError {
    this.#terms.onError(error);
    return new ProtocolError(internalError, "Internal error");
  }
}

/** Mostly, nobody hears it any more. */
function cancelled(): ProtocolError {
  return new ProtocolError(internalError, "The call was cancelled");
}

/** What is served may change at any time, and may be somebody's own. */
const notKept = { ttlMs: 0, cacheScope: "private" };
