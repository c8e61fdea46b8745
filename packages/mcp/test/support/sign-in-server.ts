import type { IncomingMessage, ServerResponse } from "node:http";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { RawHttpServer, text } from "./raw-http-server.js";

/** A server that lets in whoever brings a token, and the authorization server that gives them, in one. */
export interface SignInServer extends AsyncDisposable {
  readonly server: RawHttpServer;
  /** Tokens that are taken. */
  readonly taken: Set<string>;
  /** Those that are given, one after the other. */
  readonly tokens: string[];
  /** Bodies of token requests. */
  readonly redeemed: URLSearchParams[];
  /** Methods that are answered with `insufficient_scope`. */
  readonly withheld: Set<string>;
}

export async function startSignInServer(): Promise<SignInServer> {
  const server = await RawHttpServer.start();
  const origin = new URL(server.url).origin;
  const taken = new Set(["token-1", "token-2"]);
  const tokens = ["token-1", "token-2"];
  const redeemed: URLSearchParams[] = [];
  const withheld = new Set<string>();
  const documents: Readonly<Record<string, object>> = {
    "/.well-known/oauth-protected-resource/mcp": {
      resource: server.url,
      authorization_servers: [origin],
    },
    "/.well-known/oauth-authorization-server": {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
    },
  };
  server.onOther = ({ url = "", method }, response) => {
    const document = documents[url];
    if (method === "GET" && document !== undefined) json(response, document);
    else response.writeHead(url === "/mcp" ? 405 : 404).end();
  };
  server.onPost = (request, response) => {
    const { url, headers } = request;
    if (url === "/token") {
      void readBody(request).then((body) => {
        redeemed.push(new URLSearchParams(body));
        json(response, { access_token: tokens.shift() ?? "none", token_type: "Bearer" });
      });
      return true;
    }
    if (url === "/register") {
      void readBody(request).then((body) =>
        json(response, { ...JSON.parse(body), client_id: "client" }, 201),
      );
      return true;
    }
    if (taken.has((headers.authorization ?? "").replace("Bearer ", ""))) return false;
    refuse(response, 401, "invalid_token");
    return true;
  };
  server.on("tools/call", ({ method }, response) => {
    if (!withheld.has(method)) return text("done");
    refuse(response, 403, 'insufficient_scope", scope="more');
    return undefined;
  });
  return {
    server,
    taken,
    tokens,
    redeemed,
    withheld,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function json(response: ServerResponse, document: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
}

function refuse(response: ServerResponse, status: number, error: string): void {
  response.writeHead(status, { "www-authenticate": `Bearer error="${error}"` }).end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** What a provider keeps, as a program would in its database. */
export interface Person {
  readonly provider: OAuthClientProvider;
  /** Where somebody was sent, page by page. */
  readonly pages: URL[];
  /** What the provider was told to forget. */
  readonly forgotten: string[];
}

export function person(): Person {
  const pages: URL[] = [];
  const forgotten: string[] = [];
  const kept = new Map<string, unknown>();
  const get = <Value>(key: string): Value => kept.get(key) as Value;
  const redirectUrl = "http://localhost:3000/callback";
  return {
    pages,
    forgotten,
    provider: {
      redirectUrl,
      clientMetadata: { client_name: "test", redirect_uris: [redirectUrl] },
      clientInformation: () => get("client"),
      saveClientInformation: (client) => void kept.set("client", client),
      tokens: () => get("tokens"),
      saveTokens: (tokens) => void kept.set("tokens", tokens),
      saveCodeVerifier: (verifier) => void kept.set("verifier", verifier),
      codeVerifier: () => get("verifier"),
      saveDiscoveryState: (state) => void kept.set("discovery", state),
      discoveryState: () => get("discovery"),
      invalidateCredentials(scope) {
        forgotten.push(scope);
        kept.delete(scope);
      },
      redirectToAuthorization: (page) => void pages.push(page),
    },
  };
}
