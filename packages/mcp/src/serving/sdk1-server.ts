import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject, type Principal } from "@tunic/core";
import type { CallingClient } from "./answer-requests.js";
import { callerOf } from "./caller.js";
import type { RunCall } from "./run-call.js";
import { definitionOf, type ToolsNow } from "./served-tools.js";

/** What all connections of a server share. */
export interface ServerTerms {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  readonly toolsNow: ToolsNow;
  readonly runCall: RunCall;
  readonly onError: (error: unknown) => void;
}

/** One client's connection. */
export interface ClientConnection {
  /** Resolves when it is over, whoever ended it. */
  readonly closed: Promise<void>;
  toolsChanged(): Promise<void>;
  close(): Promise<void>;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const invalidParams = -32602;
const internalError = -32603;
const methodNotFound = -32601;

/** An error of the protocol: the SDK sends its code and its text, as they are. */
class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Serves one client over a transport of the first line of the SDK: revisions up to 2025-11-25. */
export async function openServer(
  transport: Transport,
  principal: Principal | undefined,
  terms: ServerTerms,
): Promise<ClientConnection> {
  const { name, version, instructions, onError } = terms;
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: { listChanged: true } },
      ...(instructions !== undefined && { instructions }),
    },
  );
  server.fallbackRequestHandler = async ({ method, params }, extra) => {
    const read = isJsonObject(params) ? params : {};
    try {
      if (method === "tools/list") return { tools: listTools(terms) };
      if (method === "tools/call") {
        return await callTool(
          read,
          callingClient(server, extra, read, callerOf(extra.authInfo) ?? principal),
          terms,
        );
      }
    } catch (error) {
      if (error instanceof RpcError || extra.signal.aborted) throw error;
      // Its message may hold anything; it is not for the other side.
      onError(error);
      throw new RpcError(internalError, "Internal error");
    }
    throw new RpcError(methodNotFound, "Method not found");
  };
  server.onerror = onError;
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  await server.connect(transport);
  return {
    closed,
    toolsChanged: () => server.sendToolListChanged(),
    close: () => server.close(),
  };
}

function listTools({ toolsNow }: ServerTerms): JsonObject[] {
  return [...toolsNow().values()].map(definitionOf);
}

/** @throws RpcError for what is no call of a listed tool. */
async function callTool(
  params: JsonObject,
  client: CallingClient,
  { toolsNow, runCall }: ServerTerms,
): Promise<JsonObject> {
  const { name, arguments: args = {} } = params;
  const tool = typeof name === "string" ? toolsNow().get(name) : undefined;
  if (tool === undefined) throw new RpcError(invalidParams, `Unknown tool: ${String(name)}`);
  if (!isJsonObject(args)) throw new RpcError(invalidParams, "`arguments` must be an object");
  return runCall(tool, args, client);
}

function callingClient(
  server: Server,
  extra: Extra,
  params: JsonObject,
  principal: Principal | undefined,
): CallingClient {
  const { signal } = extra;
  return {
    principal,
    signal,
    progress: progressTo(extra, params),
    elicit:
      server.getClientCapabilities()?.elicitation?.form === undefined
        ? undefined
        : async (form, timeout) => {
            const request = { method: "elicitation/create", params: { ...form } };
            // As part of the call, so that it goes out over the call's own stream.
            const send = extra.sendRequest as unknown as SendAny;
            return (await send(request, ResultSchema, { signal, timeout })) as JsonObject;
          },
  };
}

/** The SDK's type knows the protocol's requests only, with its own types of their schemas. */
type SendAny = (
  request: { readonly method: string; readonly params: JsonObject },
  schema: typeof ResultSchema,
  options: { readonly signal: AbortSignal; readonly timeout: number },
) => Promise<unknown>;

function progressTo(extra: Extra, params: JsonObject): CallingClient["progress"] {
  const { _meta: meta } = params;
  const progressToken = isJsonObject(meta) ? meta["progressToken"] : undefined;
  if (typeof progressToken !== "string" && typeof progressToken !== "number") return undefined;
  let progress = 0;
  return (message) => {
    progress++;
    const told = { progressToken, progress, ...(message !== undefined && { message }) };
    // A client that is not there any more does not stop a call: its signal does.
    extra.sendNotification({ method: "notifications/progress", params: told }).catch(() => {});
  };
}
