/** Why an archive is not unpacked; its message can be shown to a model, since it holds nothing of the archive. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** How much of an archive is unpacked. */
export interface ArchiveLimits {
  /** Files, links and the like left out. */
  readonly maxFiles: number;
  /** Of all files together, in bytes. */
  readonly maxBytes: number;
}
