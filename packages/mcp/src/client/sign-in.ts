import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { McpError } from "../mcp-error.js";
import { shortened } from "../transports/noise-log.js";
import { isUnauthorizedError } from "./sdk-error-kinds.js";

/** Takes what the authorization server has sent back, and gets a token for it. */
export type FinishSignIn = (callback: URLSearchParams) => Promise<void>;

/** How somebody signs in at a server over HTTP. */
export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Told how to finish with the transport that is made last: it knows what the server has asked for. */
  readonly started: (finish: FinishSignIn) => void;
}

/** A transport of either line, which keeps what the server has asked for. */
interface SigningTransport {
  finishAuth(codeOrCallback: string | URLSearchParams): Promise<void>;
}

/** Tells a {@link SignIn} of a transport. */
export function offerSignIn(
  signIn: SignIn | undefined,
  transport: object,
  line: 1 | 2,
  where: string,
): void {
  signIn?.started(async (callback) => {
    try {
      // The first line takes the code alone; the second checks who has issued it, too.
      const { finishAuth } = transport as SigningTransport;
      await finishAuth.call(transport, line === 1 ? codeOf(callback) : callback);
    } catch (error) {
      if (error instanceof McpError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const message = `Signing in at ${where} failed: ${why}`;
      throw new McpError("mcp_unauthorized", message, { cause: error, notSent: true });
    }
  });
}

function codeOf(callback: URLSearchParams): string {
  const code = callback.get("code");
  if (code) return code;
  const error = callback.get("error");
  const why = error ? `it was refused (${shortened(error, 100)})` : "there is no `code`";
  throw new McpError("mcp_unauthorized", `Nobody has signed in: ${why}.`, { notSent: true });
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` that has the provider forget which authorization server the server has named, when a token is not
 * taken any more: it may be another one by now. The SDK leaves that to its user.
 */
export function forgettingFetch(
  fetch: Fetch,
  { provider }: SignIn,
  { origin, pathname }: URL,
): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const url = new URL(input);
    const isServer = url.origin === origin && url.pathname === pathname;
    const hadToken = new Headers(init?.headers).has("authorization");
    if (response.status === 401 && isServer && hadToken) {
      await provider.invalidateCredentials?.("discovery");
    }
    return response;
  };
}

/** Whether somebody has to sign in first. The provider has been asked to send them there. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && isUnauthorizedError(error);
}

/** The server does not know who asks, and there is nothing to sign in with. @param where Names the server. */
export function identityNeeded(where: string, cause: unknown): McpError {
  return new McpError(
    "mcp_unauthorized",
    `${where} wants to know who asks (HTTP 401): send \`headers\` with a token that it takes, or give \`authProvider\`.`,
    { cause, notSent: true },
  );
}

/** @param where Names the server. */
export function signInNeeded(where: string, cause: unknown): McpError {
  return new McpError(
    "mcp_unauthorized",
    `${where} wants somebody to sign in first: authProvider has been asked to send them there. Call finishAuth() with what comes back, and try again.`,
    { cause, notSent: true },
  );
}
