import { skillKey } from "../sources/deduplicate-skills.js";
import { ArchiveError, type ArchiveLimits } from "./archive-error.js";

/** What an archive says of one entry. */
interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
  /** As the archive has it, which may be a lie. */
  readonly size: number;
}

/** Files of an archive, by path with slashes. */
export interface ArchiveFiles {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** How many links, devices and the like were left out. */
  readonly leftOut: number;
}

/** Decides about each entry before it is unpacked, and keeps what was. */
export interface ArchiveIntake {
  /**
   * The path under which an entry is to be kept; undefined where it is left out.
   *
   * @throws ArchiveError where the whole archive is refused.
   */
  admit(entry: ArchiveEntry): string | undefined;
  keep(path: string, bytes: Uint8Array): void;
  /** How many bytes may still be unpacked. */
  readonly room: number;
  files(): ArchiveFiles;
}

/** Entries of all kinds for each file that there may be: folders and links are many in honest archives, too. */
const entriesPerFile = 10;
const maxPathLength = 512;

export function archiveIntake({ maxFiles, maxBytes }: ArchiveLimits): ArchiveIntake {
  const files = new Map<string, Uint8Array>();
  const keys = new Set<string>();
  let entries = 0;
  let announced = 0;
  let room = maxBytes;
  let leftOut = 0;
  return {
    admit({ name, kind, size }) {
      entries++;
      if (entries > maxFiles * entriesPerFile) throw new ArchiveError("it has too many entries");
      const path = pathOf(name);
      if (kind === "other") leftOut++;
      if (kind !== "file" || path === undefined) return undefined;
      announced += size;
      if (announced > maxBytes) throw tooLarge(maxBytes);
      const key = skillKey(path);
      if (keys.size === keys.add(key).size) {
        throw new ArchiveError("it has two files of one name, but for its case");
      }
      if (keys.size > maxFiles) throw new ArchiveError(`it has more than ${maxFiles} files`);
      return path;
    },
    keep(path, bytes) {
      room -= bytes.length;
      if (room < 0) throw tooLarge(maxBytes);
      files.set(path, bytes);
    },
    get room() {
      return room;
    },
    files: () => ({ files, leftOut }),
  };
}

export function tooLarge(maxBytes: number): ArchiveError {
  return new ArchiveError(`it has more than ${maxBytes} bytes unpacked`);
}

/**
 * A name as a path below the archive; undefined for what is no part of a skill: hidden files, and what macOS adds.
 *
 * @throws ArchiveError for a name that leads anywhere else, on any system.
 */
function pathOf(name: string): string | undefined {
  const leadsOut = /^\/|(?:^|\/)[A-Za-z]:|[\p{C}\\]/u.test(name) || name.split("/").includes("..");
  if (leadsOut || name.length > maxPathLength) {
    throw new ArchiveError("it has a file whose name leads out of it or cannot be used");
  }
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  const [first] = segments;
  if (first === undefined || first === "__MACOSX") return undefined;
  return segments.some((segment) => segment.startsWith(".")) ? undefined : segments.join("/");
}
