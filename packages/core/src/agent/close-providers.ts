import type { AgentOptions } from "./agent-options.js";

/** @throws AggregateError with what went wrong, after all of them have been closed. */
export async function closeProviders({
  contextProviders = [],
}: Pick<AgentOptions, "contextProviders">): Promise<void> {
  const settled = await Promise.allSettled(
    contextProviders.map(async (provider) => provider.close?.()),
  );
  const errors = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (errors.length > 0) {
    throw new AggregateError(errors, "agent.close: some context providers could not be closed.");
  }
}
