import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { isJsonObject, type Principal } from "@tunic/core";
import { asAuthInfo } from "../caller.js";
import { idIsTaken } from "../open-requests.js";
import { invalidRequest } from "../protocol-error.js";
import { isStateless } from "../stateless/read-request.js";
import type { StatelessServer } from "../stateless/stateless-server.js";
import type { StoredEvent } from "./event-logs.js";
import type { HttpSettings } from "./http-options.js";
import type { HttpSession, HttpSessions } from "./http-sessions.js";
import { readBody } from "./read-body.js";
import { type RefusedRequest, refusedRequest } from "./refused-request.js";
import { crossOriginHeaders, preflightHeaders, type Refusal, whyForeign } from "./request-guard.js";

/** What a request is served with. */
export interface HttpDesk {
  readonly settings: HttpSettings;
  readonly sessions: HttpSessions;
  readonly stateless: StatelessServer;
  /** That is listened at. */
  readonly port: number;
  /** On whose behalf requests come where nobody is asked who they are. */
  readonly principal: Principal | undefined;
  readonly onError: (error: unknown) => void;
  readonly onRefused: ((refused: RefusedRequest) => void) | undefined;
  /** False from when the server is closed: requests may be half-way through then. */
  isOpen(): boolean;
}

/** A request that may go on, and who makes it. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal | undefined;
}

/** Serves one request, or refuses it, and tells so. */
export async function serveRequest(
  desk: HttpDesk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = await admit(desk, request, response);
  if (refusal === undefined) return;
  refuse(response, refusal);
  desk.onRefused?.(refusedRequest(request, refusal));
}

/**
 * Serves one request, or returns why not: first where it comes from is checked, then who makes it, then whose session it
 * names; only then is it read.
 */
async function admit(
  desk: HttpDesk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | undefined> {
  const { settings, sessions } = desk;
  const foreign = whyForeign(request, settings, desk.port) ?? whyMisplaced(request, settings);
  if (foreign !== undefined) return foreign;
  for (const [name, value] of Object.entries(crossOriginHeaders(request))) {
    response.setHeader(name, value);
  }
  if (request.method === "OPTIONS") {
    response.writeHead(204, preflightHeaders(request)).end();
    return undefined;
  }
  const who = await identify(desk, request);
  if (who === undefined) return unauthorized(settings);
  await sessions.sweep();
  const visit: Visit = { request, response, principal: who.principal };
  const id = request.headers["mcp-session-id"];
  if (id === undefined) return begin(desk, visit);
  const session = typeof id === "string" ? sessions.find(id, who.principal) : undefined;
  // Somebody else's session is answered like none.
  if (session === undefined) {
    return { status: 404, message: "Session not found", code: -32001 };
  }
  return goOn(desk, session, visit);
}

/** Ends a request in the words of the protocol. */
export function refuse(
  response: ServerResponse,
  { status, message, headers, code = -32000 }: Refusal,
): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  // What is still being sent is not read.
  const always = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, { ...always, ...headers }).end(body);
}

const methods = ["POST", "GET", "DELETE"];

function whyMisplaced(request: IncomingMessage, { path }: HttpSettings): Refusal | undefined {
  const { url, method = "", headers } = request;
  if (url?.split("?")[0] !== path) return { status: 404, message: "Not found" };
  const isPreflight = method === "OPTIONS" && headers.origin !== undefined;
  if (isPreflight || methods.includes(method)) return undefined;
  return { status: 405, message: "Method not allowed", headers: { allow: methods.join(", ") } };
}

async function identify(
  { settings: { authenticator }, principal, onError }: HttpDesk,
  { headers, socket }: IncomingMessage,
): Promise<{ readonly principal: Principal | undefined } | undefined> {
  if (authenticator === undefined) return { principal };
  try {
    const { remoteAddress } = socket;
    const known = await authenticator.identify({ headers, remoteAddress });
    return known && { principal: known };
  } catch (error) {
    onError(error);
    return undefined;
  }
}

function unauthorized({ authenticator }: HttpSettings): Refusal {
  const challenge = authenticator?.challenge;
  return {
    status: 401,
    message: "Unauthorized",
    ...(challenge !== undefined && { headers: { "www-authenticate": challenge } }),
  };
}

const noSession: Refusal = { status: 400, message: "Bad Request: Mcp-Session-Id is missing" };

/** A request without a session: of a revision that has none, or the handshake that begins one. */
async function begin(desk: HttpDesk, visit: Visit): Promise<Refusal | undefined> {
  const { settings, sessions, stateless } = desk;
  const { request, response, principal } = visit;
  if (request.method !== "POST") return noSession;
  const body = await readBody(request, settings.maxBodyBytes);
  if ("refusal" in body) return body.refusal;
  if (!isJsonObject(body.json)) return noSession;
  // Nothing begins for a client that has gone meanwhile, nor after the server's end.
  if (response.destroyed || !desk.isOpen()) return undefined;
  const { headers } = request;
  if (isStateless(headers, body.json)) {
    await stateless.serve({ headers, body: body.json, response, principal });
    return undefined;
  }
  if (body.json["method"] !== "initialize") return noSession;
  if (sessions.isFull) {
    return { status: 503, message: "Too many sessions; try again later" };
  }
  const session = await sessions.start(principal);
  try {
    await handle(sessions, session, visit, body.json);
  } finally {
    await sessions.discard(session);
  }
  return undefined;
}

async function goOn(
  { settings, sessions }: HttpDesk,
  session: HttpSession,
  visit: Visit,
): Promise<Refusal | undefined> {
  const { request, response } = visit;
  if (request.method === "GET") {
    const rest = session.log.restOf(String(request.headers["last-event-id"]));
    if (rest !== undefined) {
      sendRest(response, rest);
      return undefined;
    }
  }
  if (request.method !== "POST") {
    await handle(sessions, session, visit);
    return undefined;
  }
  const body = await readBody(request, settings.maxBodyBytes);
  if ("refusal" in body) return body.refusal;
  const settled = session.requests.arrive(body.json, response);
  if (settled === undefined) return { status: 400, message: idIsTaken, code: invalidRequest };
  response.once("close", settled);
  if (response.destroyed) settled();
  if (Array.isArray(body.json)) session.log.sharesStreams();
  await handle(sessions, session, visit, body.json);
  return undefined;
}

/**
 * Answers a client that comes back for what it has missed of an answer that is complete. The SDK would leave the stream
 * open, and clients come back after each answer that is an error: in the end, with 204, for the last time.
 */
function sendRest(response: ServerResponse, rest: readonly StoredEvent[]): void {
  if (rest.length === 0) {
    response.writeHead(204).end();
    return;
  }
  const events = rest.map(
    ([id, message]) => `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`,
  );
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.end(events.join(""));
}

async function handle(
  sessions: HttpSessions,
  session: HttpSession,
  { request, response, principal }: Visit,
  body?: unknown,
): Promise<void> {
  // It would never close again: the session would count as in use for good.
  if (response.destroyed) return;
  response.once("close", sessions.use(session));
  const known: IncomingMessage & { auth?: AuthInfo } = request;
  if (principal) known.auth = asAuthInfo(principal);
  await session.transport.handleRequest(known, response, body);
}
