import { ArchiveError, type ArchiveLimits } from "./archive-error.js";
import { type ArchiveFiles, archiveIntake } from "./archive-files.js";
import { readTar } from "./read-tar.js";
import { readZip } from "./read-zip.js";

/**
 * The files of a zip, tar or tar.gz archive, in memory. What it is, its first bytes say. Links and devices are
 * left out; archives in it are files like any other. Refused as a whole is what is broken, encrypted or too large,
 * and what has names that lead out of it or that are one but for their case.
 *
 * @throws ArchiveError and nothing else.
 */
export async function unpackArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits,
): Promise<ArchiveFiles> {
  const intake = archiveIntake(limits);
  try {
    if (isZip(bytes)) await readZip(bytes, intake);
    else await readTar(bytes, intake, limits);
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    // What a library says may quote what stands in the archive.
    throw new ArchiveError("it is no intact zip, tar or tar.gz archive");
  }
  return intake.files();
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}
