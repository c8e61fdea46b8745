import { ArchiveError } from "./archive-error.js";
import type { ArchiveIntake } from "./archive-files.js";
import { joined } from "./joined.js";

/** Unpacks a zip archive as far as the intake lets it. The sizes that it states are not relied upon. */
export async function readZip(bytes: Uint8Array, intake: ArchiveIntake): Promise<void> {
  // Loaded with the first archive: most who use skills never see one.
  const { Uint8ArrayReader, ZipReader } = await import("@zip.js/zip.js");
  const reader = new ZipReader(new Uint8ArrayReader(bytes), {
    // Both directories of an archive must say the same, nothing may stand before or behind it, and no two
    // entries may share their bytes.
    strictness: "strict",
    // By the intake, which says why.
    filenameValidation: "tolerant",
    checkCrc32: true,
    checkOverlappingEntry: true,
    useWebWorkers: false,
  });
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      const { filename, symlink, uncompressedSize } = entry;
      const kind = entry.directory ? "folder" : symlink ? "other" : "file";
      const path = intake.admit({ name: filename, kind, size: uncompressedSize });
      if (path === undefined || entry.directory) continue;
      if (entry.encrypted) throw new ArchiveError("it is encrypted");
      const file = boundedBuffer(intake.room);
      await entry.getData(file.writable);
      intake.keep(path, file.bytes());
    }
  } finally {
    await reader.close();
  }
}

/** Takes what is written to it, and stops whoever writes more than there is room for. */
function boundedBuffer(room: number) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const writable = new WritableStream<Uint8Array>({
    write(chunk) {
      length += chunk.length;
      if (length > room) throw new ArchiveError("it unpacks to more than it says or may");
      chunks.push(chunk);
    },
  });
  return { writable, bytes: () => joined(chunks, length) };
}
