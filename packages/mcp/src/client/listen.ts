import { isJsonObject, type JsonObject } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import { scopeOf } from "./call-scope.js";
import type { McpHooks } from "./mcp-client.js";
import { readLogEntry, transportEntry } from "./read-answers.js";

/** What both lines of the SDK call when something comes that nobody asked for. */
export interface SdkListeners {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  fallbackNotificationHandler?:
    | ((notification: { method: string; params?: unknown }) => Promise<void>)
    | undefined;
}

/** Puts the hooks behind what a client has already. */
export function listen(
  client: SdkListeners,
  hooks: McpHooks,
  connection: symbol | undefined,
): void {
  const { onclose, onerror, fallbackNotificationHandler } = client;
  client.onclose = () => {
    onclose?.();
    hooks.closed?.();
  };
  client.onerror = (error) => {
    onerror?.(error);
    // The SDK has given up a stream, and would let the request wait that it was for.
    if (/^Maximum reconnection attempts/.test(error.message)) {
      const broken = "The stream of the answer broke.";
      scopeOf(connection)?.lost(new McpError("mcp_connection_lost", broken, { cause: error }));
    }
    if (isLateProgress(error)) return;
    hooks.log?.(transportEntry(error));
  };
  client.fallbackNotificationHandler = async (notification) => {
    const { method, params } = notification;
    notify(hooks, method, isJsonObject(params) ? params : {});
    await fallbackNotificationHandler?.(notification);
  };
}

/** Of a call that is over: the answer may overtake what was told before it, and nothing is wrong with that. */
function isLateProgress({ message }: Error): boolean {
  return message.startsWith("Received a progress notification for an unknown token");
}

/** Tells of a notification of the server. */
export function notify(hooks: McpHooks, method: string, params: JsonObject): void {
  if (method === "notifications/message") hooks.log?.(readLogEntry(params));
  const { notifications = {} } = hooks;
  if (Object.hasOwn(notifications, method)) notifications[method]?.(params);
}

/** How long a server may take to hear that its session is over. */
const farewellMs = 2000;

/** Ends a client, and the session of its transport, which the server need not keep then. */
export async function closeClient(client: {
  readonly transport?: object | undefined;
  close(): Promise<void>;
}): Promise<void> {
  const { transport } = client;
  if (transport !== undefined && "terminateSession" in transport) {
    const { terminateSession } = transport as { terminateSession(): Promise<void> };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, farewellMs);
    });
    // A server may not let itself be told.
    await Promise.race([terminateSession.call(transport).catch(() => {}), late]);
    clearTimeout(timer);
  }
  try {
    await client.close();
  } catch {
    // It is closed, then.
  }
}
