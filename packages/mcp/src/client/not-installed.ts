const missing: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/** Whether a package could not be imported because it is not there; not because of something that it needs. */
export function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || !missing.has(error.code)) return false;
  return /'([^']*)'/.exec(error.message)?.[1] === name;
}
