import { type BigIntStats, constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";

/** Why a file is not read. */
export interface Refusal {
  readonly code:
    | "link"
    | "not_a_file"
    | "file_size"
    | "encoding"
    | "outside"
    | "changed"
    | "unreadable";
  readonly message: string;
}

export type GuardedBytes =
  | {
      readonly bytes: Uint8Array;
      /** Whether its owner may start it. */
      readonly executable: boolean;
      readonly refusal?: undefined;
    }
  | { readonly refusal: Refusal };

export type GuardedText =
  | { readonly text: string; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

/**
 * Reads a regular file below a root, and nothing else: no folder on the way and not the file itself may be a
 * link (or a junction), it may be no device, pipe or socket, and it may not be larger than `maxSize` bytes. What
 * cannot be looked at is refused.
 *
 * The file is opened first and compared afterwards: what stands at the path now, reached without links, must be
 * the very file that is open. So nothing is won by a change between the look and the reading. A hard link is
 * the file itself and cannot be told from it.
 *
 * @param root A real path: the boundary, itself free of links.
 * @param segments The names from the root to the file, at least one.
 */
export async function readBytes(
  root: string,
  segments: readonly string[],
  maxSize: number,
): Promise<GuardedBytes> {
  if (!segments.every(isPlainName)) return refuse("outside", "its path leads out of the folder");
  try {
    const before = inspect(root, segments);
    if ("refusal" in before) return before;
    // A pipe without a writer would hold an ordinary open forever.
    const handle = await open(
      join(root, ...segments),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      return await readOpen(handle, root, segments, maxSize);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return refusalOf(error);
  }
}

/** As {@link readBytes}, for a text in UTF-8. */
export async function readText(
  root: string,
  segments: readonly string[],
  maxSize: number,
): Promise<GuardedText> {
  const read = await readBytes(root, segments, maxSize);
  return read.refusal === undefined ? decodeText(read.bytes) : read;
}

/** Bytes as a text, where they are one. */
export function decodeText(bytes: Uint8Array): GuardedText {
  try {
    // The byte order mark is left to whoever reads the text: it is worth a remark.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.includes("\0")) return refuse("encoding", "it holds a zero byte, so it is no text");
    return { text };
  } catch {
    return refuse("encoding", "it is not in UTF-8");
  }
}

async function readOpen(
  handle: FileHandle,
  root: string,
  segments: readonly string[],
  maxSize: number,
): Promise<GuardedBytes> {
  const opened = await handle.stat({ bigint: true });
  if (!opened.isFile()) return refuse("not_a_file", "it is no regular file");
  const now = inspect(root, segments);
  if ("refusal" in now) return now;
  if (!isSame(opened, now.stats)) return refuse("changed", "it was replaced while it was read");
  if (opened.size > BigInt(maxSize)) return tooLarge(maxSize);
  const bytes = await readAll(handle, Number(opened.size), maxSize);
  if (bytes === undefined) return tooLarge(maxSize);
  return { bytes, executable: (opened.mode & BigInt(constants.S_IXUSR ?? 0)) !== 0n };
}

/** What stands at a path, where nothing on the way is a link. */
function inspect(
  root: string,
  segments: readonly string[],
): { readonly stats: BigIntStats } | { readonly refusal: Refusal } {
  const paths = segments.map((_, at) => join(root, ...segments.slice(0, at + 1)));
  // Without waiting: less can happen in between, and it is ten times as fast.
  const all = paths.map((path) => lstatSync(path, { bigint: true }));
  const link = all.findIndex((stats) => stats.isSymbolicLink());
  if (link !== -1) {
    return refuse("link", `${segments.slice(0, link + 1).join("/")} is a link`);
  }
  const stats = all.at(-1);
  if (stats?.isFile() !== true) return refuse("not_a_file", "it is no regular file");
  return { stats };
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** All of a file, which may have grown since its size was read; undefined where it is too large. */
async function readAll(
  handle: FileHandle,
  expected: number,
  maxSize: number,
): Promise<Uint8Array | undefined> {
  // One byte more, to see the end.
  let buffer = new Uint8Array(expected + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    // With room for one byte more, less than that is the end.
    if (bytesRead === 0 || length === expected) return buffer.subarray(0, length);
    if (length > maxSize) return undefined;
    if (length < buffer.length) continue;
    const larger = new Uint8Array(Math.min(buffer.length * 2, maxSize + 1));
    larger.set(buffer);
    buffer = larger;
  }
}

/** A name of one entry of a folder, on every system. */
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

function refusalOf(error: unknown): { readonly refusal: Refusal } {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ELOOP" || code === "EMLINK") return refuse("link", "it is a link");
  if (code === "ENOENT" || code === "ENOTDIR") return refuse("unreadable", "it is not there");
  if (code === "ENXIO") return refuse("not_a_file", "it is no regular file");
  return refuse("unreadable", `it cannot be read (${code || "unknown reason"})`);
}

function tooLarge(maxSize: number): { readonly refusal: Refusal } {
  return refuse("file_size", `it has more than ${maxSize} bytes`);
}

function refuse(code: Refusal["code"], message: string): { readonly refusal: Refusal } {
  return { refusal: { code, message } };
}
