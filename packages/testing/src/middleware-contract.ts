import type { Middleware } from "@tunic/core";
import { describe, it } from "vitest";
import { middlewareChecks } from "./middleware-checks.js";

/** How the suite gets at a middleware. */
export interface MiddlewareContract {
  /** A new middleware, or several that belong together, as they are configured in use. */
  create(): Middleware | readonly Middleware[];
  /** Answers of a model that give the middleware something to do. Default: a few plain texts. */
  readonly texts?: readonly string[];
}

/**
 * The suite that every middleware passes, under vitest: it stays out of the way where there is
 * nothing to do, does not depend on where a stream is cut, keeps the consumer and the response
 * together, injects nothing twice when an outer layer tries again, and keeps runs apart.
 */
export function describeMiddlewareContract(name: string, contract: MiddlewareContract): void {
  describe(`middleware contract: ${name}`, () => {
    for (const [title, check] of middlewareChecks(contract)) it(title, check);
  });
}
