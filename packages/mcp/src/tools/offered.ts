import type { ReadOptions } from "../options.js";

/** Whether a tool is shown, and may be called: by the server's own name, exactly. */
export function isOffered(
  remoteName: string,
  { allowed, blocked }: Pick<ReadOptions, "allowed" | "blocked">,
): boolean {
  return !blocked.has(remoteName) && (allowed === undefined || allowed.has(remoteName));
}

/** Whether the options let no tool through, whatever the server has. */
export function offersNothing({
  allowed,
  blocked,
}: Pick<ReadOptions, "allowed" | "blocked">): boolean {
  return allowed !== undefined && [...allowed].every((name) => blocked.has(name));
}
