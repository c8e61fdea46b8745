import { AsyncLocalStorage } from "node:async_hooks";

/** What belongs to one request on its way through an SDK that knows nothing of it. */
export interface CallScope {
  /** Over which it goes: what is done meanwhile at other servers is not done for it. */
  readonly connection: symbol;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The caller's own, for requests that the server makes meanwhile. */
  readonly origin: unknown;
  /** Told when the answer can no longer come. */
  readonly lost: (error: unknown) => void;
  /** Whether the answer's stream can be taken up again where it broke. */
  resumable: boolean;
}

/**
 * An SDK's transport is shared by all requests, and what it asks `fetch` for does not say which one it is for.
 * The async context does: it goes along from the request to the fetch, its stream, and its reconnects.
 */
export const callScope = new AsyncLocalStorage<CallScope>();

/** The request over a connection that something is done for. */
export function scopeOf(connection: symbol | undefined): CallScope | undefined {
  const scope = callScope.getStore();
  return scope !== undefined && scope.connection === connection ? scope : undefined;
}

/** The stream of the answer has a place that it can be taken up from. */
export function markResumable(scope: CallScope): void {
  scope.resumable = true;
}

/** What an adapter has to know of the client that it stands before. */
export interface AdapterTerms {
  /** Whether the client was made here, and ends with its adapter. */
  readonly owned: boolean;
  /** Where its transport makes an HTTP request for each of its own, which {@link callScope} goes along with. */
  readonly connection: symbol | undefined;
}
