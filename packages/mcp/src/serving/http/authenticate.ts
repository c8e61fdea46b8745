import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ConfigurationError, isJsonObject, type Principal } from "@tunic/core";
import { isPrincipal } from "../caller.js";
import { wrongServe } from "../wrong-option.js";

/** What is known of a request before it is read. */
export interface AuthRequest {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
}

/** A secret, and who has it. */
export interface ServedCredential {
  /** Of a bearer token: at least 16 characters. */
  readonly secret: string;
  readonly principal: Principal;
}

type BearerTokens = string | readonly ServedCredential[];
type BasicUsers = Readonly<Record<string, string>>;

/**
 * Who may call. Bearer: one token, whose principal is `{ id: "bearer" }`, or several with who has each; basic: passwords by user name, which is the
 * principal's id. A function returns who it is; undefined refuses.
 */
export type HttpAuth =
  | { readonly bearer: BearerTokens }
  | { readonly basic: BasicUsers }
  | ((request: AuthRequest) => Principal | undefined | Promise<Principal | undefined>);

/** Says who makes a request. */
export interface Authenticator {
  /** Of the header that asks for it; undefined where a function decides. */
  readonly challenge: string | undefined;
  /** Undefined: nobody who may call. */
  identify(request: AuthRequest): Promise<Principal | undefined>;
}

const shortestToken = 16;

/** @throws ConfigurationError `invalid_option`, without the secret. */
export function readAuth(auth: HttpAuth): Authenticator {
  if (typeof auth === "function") {
    return { challenge: undefined, identify: async (request) => checked(await auth(request)) };
  }
  if (typeof auth === "object" && auth !== null) {
    checkMembers("http.auth", auth, ["bearer", "basic"]);
    const { bearer: tokens, basic: users }: { bearer?: BearerTokens; basic?: BasicUsers } = auth;
    if (tokens !== undefined && users !== undefined) {
      throw wrongServe("http.auth", "either { bearer } or { basic }; a function can take both");
    }
    if (tokens !== undefined) return bearer(tokens);
    if (users !== undefined) return basic(users);
  }
  throw wrongServe("http.auth", "{ bearer }, { basic } or a function");
}

/** Without the name that is wrong: where tokens are names, it is a secret. */
function checkMembers(option: string, value: object, known: readonly string[]): void {
  if (Object.keys(value).every((name) => known.includes(name))) return;
  throw new ConfigurationError(
    "unknown_option",
    `serveTools(): ${option} has a member that is unknown. It takes: ${known.join(", ")}.`,
  );
}

function bearer(tokens: BearerTokens): Authenticator {
  const list =
    typeof tokens === "string" ? [{ secret: tokens, principal: { id: "bearer" } }] : tokens;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isCredential)) {
    throw wrongServe(
      "http.auth.bearer",
      `a token of at least ${shortestToken} characters, or a list of { secret, principal: { id } } with such tokens`,
    );
  }
  if (new Set(list.map(({ secret }) => secret)).size < list.length) {
    throw wrongServe("http.auth.bearer", "a list without the same token twice: it says who calls");
  }
  for (const each of list) {
    checkMembers("http.auth.bearer[]", each, ["secret", "principal"]);
  }
  return { challenge: "Bearer", identify: compare("bearer", list) };
}

function basic(users: BasicUsers): Authenticator {
  const entries = isJsonObject(users) ? Object.entries(users) : [];
  // RFC 7617, section 2: a colon ends the name.
  const isFit = ([user, password]: readonly [string, unknown]): boolean =>
    user !== "" && !user.includes(":") && typeof password === "string" && password !== "";
  if (entries.length === 0 || !entries.every(isFit)) {
    throw wrongServe("http.auth.basic", "passwords by user name, such as { mara: password }");
  }
  const list = entries.map(([user, password]) => ({
    secret: Buffer.from(`${user}:${password}`).toString("base64"),
    principal: { id: user },
  }));
  return { challenge: 'Basic realm="mcp", charset="UTF-8"', identify: compare("basic", list) };
}

/**
 * Compares with every credential, and digests instead of texts: how long it takes tells neither how much of a secret is
 * right, nor how long it is, nor whose it is.
 */
function compare(
  scheme: string,
  credentials: readonly ServedCredential[],
): Authenticator["identify"] {
  const key = randomBytes(32);
  const digest = (text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const known = credentials.map(({ secret, principal }) => ({ digest: digest(secret), principal }));
  return async ({ headers: { authorization = "" } }) => {
    const [, given = "", text = ""] = /^([a-z]+) +(\S+)$/i.exec(authorization) ?? [];
    const claimed = digest(text);
    let found: Principal | undefined;
    for (const each of known) {
      if (timingSafeEqual(each.digest, claimed)) found = each.principal;
    }
    return given.toLowerCase() === scheme ? found : undefined;
  };
}

function isCredential(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { secret, principal } = value;
  if (typeof secret !== "string" || secret.length < shortestToken || /\s/.test(secret))
    return false;
  return isPrincipal(principal);
}

function checked(principal: unknown): Principal | undefined {
  if (principal === undefined || isPrincipal(principal)) return principal;
  throw new TypeError("http.auth must return a principal such as { id }, or undefined.");
}
