import type { Skill, SkillFrontmatter } from "../skill.js";
import type { McpServer } from "./mcp-server.js";

/** A skill of a server, with what tells it from another of its name. */
export interface ServedSkill {
  readonly skill: Skill;
  /** The path of its folder on the server. Undefined where it has none. */
  readonly path?: string | undefined;
}

/** Where a `SKILL.md` is. */
export interface SkillAddress {
  /** The address of its folder, without a slash at the end. */
  readonly root: string;
  /** The folder, as a path on the server. */
  readonly path: string;
  /** The last part of the path. */
  readonly folder: string;
}

/** Takes the address of a `SKILL.md` apart; undefined for any other. */
export function skillAddress(uri: unknown): SkillAddress | undefined {
  if (typeof uri !== "string" || uri.length > 1024 || /[\p{C}\s\\?#]/u.test(uri)) return undefined;
  const path = /^[a-z][a-z0-9+.-]*:\/\/(.+)\/SKILL\.md$/i.exec(uri)?.[1];
  const segments = path?.split("/").map(decoded);
  if (path === undefined || segments === undefined || !segments.every(isSegment)) return undefined;
  return {
    root: uri.slice(0, -"/SKILL.md".length),
    path: segments.join("/"),
    folder: segments.at(-1) ?? "",
  };
}

/** The name of a file below a folder; undefined for what is not there, or tries to lead out of it. */
export function nameBelow(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`)) return undefined;
  const segments = uri
    .slice(root.length + 1)
    .split("/")
    .map(decoded);
  return segments.every(isSegment) ? segments.join("/") : undefined;
}

/** Undefined where it is no valid encoding. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function isSegment(segment: string | undefined): segment is string {
  return segment !== undefined && !/^\.{0,2}$/.test(segment) && !/[\p{C}/\\]/u.test(segment);
}

/** What is the same in all skills of a server. They have no scripts: what a server sends is never run. */
export function servedSkill(
  server: McpServer,
  frontmatter: SkillFrontmatter,
  parts: Pick<Skill, "load"> & Partial<Pick<Skill, "resources" | "findResource" | "fingerprint">>,
): Skill {
  return {
    frontmatter,
    origin: server.name,
    trust: server.trust,
    resources: [],
    scripts: [],
    ...parts,
  };
}

/** Instructions that say whose they are. */
export function servedText({ name }: McpServer, body: string, note = ""): string {
  const more = note === "" ? "" : ` ${note}`;
  return `These instructions are from the MCP server "${name}".${more}\n\n${body.trim()}`;
}

/** An address in a problem: no longer than helps, and without what would turn a terminal. */
export function shownAddress({ name }: McpServer, uri: unknown): string {
  const text = typeof uri === "string" ? uri.slice(0, 200).replace(/\p{C}/gu, "�") : "";
  return `${name} ${text}`.trim();
}
