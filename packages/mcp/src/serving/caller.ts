import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import { isJsonObject, type Principal } from "@tunic/core";

/** Who is behind what the SDK carries from a request to its handlers. */
const principals = new WeakMap<AuthInfo, Principal>();

/** A principal in the form that the SDK takes along with a request; the token stays where it was checked. */
export function asAuthInfo(principal: Principal): AuthInfo {
  const info: AuthInfo = { token: "", clientId: principal.id, scopes: [] };
  principals.set(info, principal);
  return info;
}

/** Who makes a request, as of that very request: roles may have changed since the session began. */
export function callerOf(info: AuthInfo | undefined): Principal | undefined {
  return info && principals.get(info);
}

/** Whether what a program without types gives as a principal is one. */
export function isPrincipal(value: unknown): value is Principal {
  return isJsonObject(value) && typeof value["id"] === "string" && value["id"] !== "";
}
