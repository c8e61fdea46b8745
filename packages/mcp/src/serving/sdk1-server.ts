import type { Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject, type Principal, withAbort } from "@tunic/core";
import { callerOf } from "./caller.js";
import type { CallingClient } from "./calling-client.js";
import type { OpenRequests } from "./open-requests.js";
import { internalError, methodNotFound, ProtocolError } from "./protocol-error.js";
import { callTool, listTools, type ServerTerms } from "./serve-method.js";
import { tellNewest } from "./tell-newest.js";

/** One client's connection. */
export interface ClientConnection {
  /** Resolves when it is over, whoever ended it. */
  readonly closed: Promise<void>;
  toolsChanged(): Promise<void>;
  close(): Promise<void>;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/**
 * Serves one client over a transport of the first line of the SDK: revisions up to 2025-11-25.
 *
 * @param requests Of the transport that it comes over.
 */
export async function openServer(
  requests: OpenRequests,
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
    const signal = requests.signalOf(extra.requestId) ?? extra.signal;
    try {
      if (method === "tools/list") return { tools: listTools(terms) };
      if (method === "tools/call") {
        const caller = callerOf(extra.authInfo) ?? principal;
        const progress = progressTo(extra, read, requests.outputOf(extra.requestId));
        const client = callingClient(server, { ...extra, signal }, caller, progress);
        return await callTool(read, client, terms);
      }
    } catch (error) {
      if (error instanceof ProtocolError || signal.aborted) throw error;
      // Its message may hold anything; it is not for the other side.
      onError(error);
      throw new ProtocolError(internalError, "Internal error");
    }
    throw new ProtocolError(methodNotFound, "Method not found");
  };
  server.onerror = onError;
  let isOver = false;
  const closed = new Promise<void>((resolve) => {
    server.onclose = () => {
      isOver = true;
      resolve();
    };
  });
  await server.connect(requests);
  return {
    closed,
    async toolsChanged() {
      // A client that has gone need not be told.
      if (!isOver) await server.sendToolListChanged();
    },
    close: () => server.close(),
  };
}

function callingClient(
  server: Server,
  extra: Extra,
  principal: Principal | undefined,
  progress: CallingClient["progress"],
): CallingClient {
  const { signal } = extra;
  return {
    principal,
    signal,
    progress,
    // As the client has said when it shook hands.
    capabilities: JSON.parse(JSON.stringify(server.getClientCapabilities() ?? {})),
    async ask({ method, params: asked }, timeout) {
      // As part of the call, so that it goes out over the call's own stream.
      const send = extra.sendRequest as unknown as SendAny;
      const request = { method, params: { ...asked } };
      // With a signal of its own: the SDK listens to it after the answer, too, and would cancel what has been answered.
      const answer = await withAbort(signal, (signal) =>
        send(request, ResultSchema, { signal, timeout }),
      );
      return answer as JsonObject;
    },
    missed: () => {},
  };
}

/** The SDK's type knows the protocol's requests only, with its own types of their schemas. */
type SendAny = (
  request: { readonly method: string; readonly params: JsonObject },
  schema: typeof ResultSchema,
  options: { readonly signal: AbortSignal; readonly timeout: number },
) => Promise<unknown>;

function progressTo(
  extra: Extra,
  { _meta: meta }: JsonObject,
  output: Writable | undefined,
): CallingClient["progress"] {
  const progressToken = isJsonObject(meta) ? meta["progressToken"] : undefined;
  if (typeof progressToken !== "string" && typeof progressToken !== "number") return undefined;
  let progress = 0;
  return tellNewest(output, (message) => {
    progress++;
    const told = { progressToken, progress, ...(message !== undefined && { message }) };
    // A client that is not there any more does not stop a call: its signal does.
    extra.sendNotification({ method: "notifications/progress", params: told }).catch(() => {});
  });
}
