import type { SkillResource } from "../skill.js";
import { isRelativeName, resourceOf } from "./mcp-resource.js";
import { type McpServer, readSkillFile } from "./mcp-server.js";

/** A file beside a `SKILL.md`, by its name; whether the server has it shows when it is read. */
export function relativeResource(
  server: McpServer,
  root: string,
  name: string,
): SkillResource | undefined {
  if (!isRelativeName(name)) return undefined;
  const file = { uri: `${root}/${encodeURI(name)}`, maxBytes: server.limits.fileBytes };
  return resourceOf(name, (signal) => readSkillFile(server, file, signal));
}
