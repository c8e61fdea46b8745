import { type Content, dataContent } from "@tunic/core";
import { mediaTypeOf } from "../media-type.js";
import type { SkillResource } from "../skill.js";
import { refusal } from "./mcp-server.js";

/** A resource of bytes that somebody else has. */
export function resourceOf(
  name: string,
  bytes: (signal: AbortSignal) => Promise<Uint8Array>,
): SkillResource {
  return {
    name,
    async read({ signal }): Promise<string | Content> {
      const mediaType = mediaTypeOf(name);
      const read = await bytes(signal);
      return mediaType === undefined ? textOf(read) : dataContent(read, mediaType, { name });
    },
  };
}

/** @throws ToolError `skill_encoding` */
export function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {}
  throw refusal("skill_encoding", "The file is no text in UTF-8, and cannot be read.");
}

/**
 * Whether a name can be that of a file below a skill: no way out, nothing that an address would take for something
 * else, and not the `SKILL.md` itself.
 */
export function isRelativeName(name: string): boolean {
  return (
    name.length <= 512 &&
    !/[\p{C}\\?#]|:\/\//u.test(name) &&
    !/^[A-Za-z]:/.test(name) &&
    !name.split("/").some((segment) => segment === "" || segment === "." || segment === "..") &&
    name.toUpperCase() !== "SKILL.MD"
  );
}
