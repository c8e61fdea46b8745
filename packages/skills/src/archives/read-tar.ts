import { ArchiveError, type ArchiveLimits } from "./archive-error.js";
import { type ArchiveIntake, tooLarge } from "./archive-files.js";
import { joined } from "./joined.js";

/** Headers and padding of a file with a long name, at most. */
const bytesAroundFile = 4096;

/** Unpacks a tar archive, compressed with gzip or not, as far as the intake lets it. */
export async function readTar(
  bytes: Uint8Array,
  intake: ArchiveIntake,
  limits: ArchiveLimits,
): Promise<void> {
  const tar = isGzip(bytes) ? await gunzip(bytes, limits) : bytes;
  // Loaded with the first archive: most who use skills never see one.
  const { unpackTar } = await import("modern-tar");
  const paths: string[] = [];
  const entries = await unpackTar(tar, {
    strict: true,
    filter({ name, size, type = "file" }) {
      const kind = type === "file" ? "file" : type === "directory" ? "folder" : "other";
      const path = intake.admit({ name, kind, size });
      if (path === undefined) return false;
      paths.push(path);
      return true;
    },
  });
  for (const [at, { header, data }] of entries.entries()) {
    const path = paths[at];
    if (path === undefined || data?.length !== header.size) throw new ArchiveError("it is cut off");
    intake.keep(path, data);
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses piece by piece, and stops where there is more than an archive within the limits can have. */
async function gunzip(bytes: Uint8Array, limits: ArchiveLimits): Promise<Uint8Array> {
  const most = limits.maxBytes + limits.maxFiles * bytesAroundFile;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const source = new Blob([new Uint8Array(bytes)]).stream();
  // Not by iterating over the stream, which not every browser can.
  const reader = source.pipeThrough(new DecompressionStream("gzip")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joined(chunks, length);
    length += value.length;
    chunks.push(value);
    if (length <= most) continue;
    await reader.cancel();
    throw tooLarge(limits.maxBytes);
  }
}
