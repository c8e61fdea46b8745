import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ToolError, withAbort } from "@tunic/core";
import type { Skill } from "../skill.js";
import {
  isAbsent,
  type ListMcpSkills,
  type McpResourceContents,
  type McpSkillsClient,
} from "./mcp-client.js";

/** Bounds of what is taken from a server. */
export interface McpSkillsLimits {
  /** Skills of one listing. Default 1000. */
  readonly skills: number;
  /** Files that the manifest of a skill may name. Default 512, which the extension asks of every host. */
  readonly files: number;
  /** Bytes of all files of a manifest. Default 16 MiB, which the extension asks of every host. */
  readonly skillBytes: number;
  /** Bytes of a file without a manifest, of the index and of an archive before it is unpacked. Default 1 MiB. */
  readonly fileBytes: number;
  /** Files of an archive. Default 20. */
  readonly archiveFiles: number;
  /** Bytes of all files of an archive. Default 1 MiB. */
  readonly unpackedBytes: number;
}

/** A server with what was said of it. */
export interface McpServer {
  readonly client: McpSkillsClient;
  readonly listSkills: ListMcpSkills | undefined;
  /** Given by whoever runs the agent, never by the server. */
  readonly name: string;
  readonly trust: Skill["trust"];
  readonly limits: McpSkillsLimits;
}

/** What a file has to be. */
export interface McpFile {
  readonly uri: string;
  readonly maxBytes: number;
  /** Undefined where the server promises none. */
  readonly size?: number | undefined;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest?: string | undefined;
}

const digestForm = /^sha256:[0-9a-f]{64}$/;

export function isDigest(value: unknown): value is string {
  return typeof value === "string" && digestForm.test(value);
}

/**
 * Reads a file of a server and checks it against what was promised.
 *
 * @throws ToolError `skill_changed` where it is not what was promised, `skill_file_size`, or `skill_unreadable`.
 * What the client throws.
 */
export async function readMcpFile(
  { client, name }: McpServer,
  { uri, maxBytes, size, digest }: McpFile,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const contents = partsOf(
    await withAbort(signal, (own) => client.readResource({ uri }, { signal: own })),
  );
  // A server may write the address in another way, but then there must be no doubt.
  const part = contents.find((each) => each.uri === uri) ?? (contents.length === 1 && contents[0]);
  const changed = () =>
    refusal(
      "skill_changed",
      `The server "${name}" gave a file that is not the one it listed; go on without it.`,
    );
  const tooLarge = () => refusal("skill_file_size", `The file has more than ${maxBytes} bytes.`);
  if (part && leastSize(part) > maxBytes) throw size === undefined ? tooLarge() : changed();
  const bytes = part ? bytesOf(part) : undefined;
  if (bytes === undefined) {
    throw refusal("skill_unreadable", `The server "${name}" gave no file for what was asked for.`);
  }
  if (size !== undefined && bytes.length !== size) throw changed();
  if (bytes.length > maxBytes) throw tooLarge();
  if (digest !== undefined && `sha256:${bytesToHex(sha256(bytes))}` !== digest) throw changed();
  return bytes;
}

/** As {@link readMcpFile}, for a model: a file that there is not is an error that says so. */
export async function readSkillFile(
  server: McpServer,
  file: McpFile,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await readMcpFile(server, file, signal);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw refusal("skill_unreadable", `The server "${server.name}" has no such file.`);
  }
}

/** An error whose words are ours alone, and can be shown. */
export function refusal(code: string, message: string): ToolError {
  return new ToolError(message, { code, fix: message });
}

/** Seen from outside its types: not every client looks at what a server gives. */
function partsOf(result: { readonly contents?: unknown } | null): readonly McpResourceContents[] {
  const { contents } = result ?? {};
  return Array.isArray(contents) ? contents.filter(isPart) : [];
}

function isPart(value: unknown): value is McpResourceContents {
  return typeof value === "object" && value !== null;
}

/** Known without a copy: neither encoding makes a text shorter than that. */
function leastSize({ text, blob }: McpResourceContents): number {
  if (typeof text === "string") return text.length;
  return typeof blob === "string" ? Math.floor((blob.length / 4) * 3) - 2 : 0;
}

function bytesOf({ text, blob }: McpResourceContents): Uint8Array | undefined {
  if (typeof text === "string") return new TextEncoder().encode(text);
  if (typeof blob !== "string") return undefined;
  try {
    return Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
