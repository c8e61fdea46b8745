import { createHash } from "node:crypto";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpError, ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { ListMcpSkills } from "../../src/index.js";

/** What a server gives for an address: a text, bytes, or the code of an error. */
export type Served = Readonly<Record<string, string | Uint8Array | number>>;

export interface ServerOptions {
  /** The answers to `skills/list`, page by page; a number is the code of an error. */
  readonly pages?: readonly unknown[];
}

const ListSkillsRequestSchema = z.object({
  method: z.literal("skills/list"),
  params: z.looseObject({ cursor: z.string().optional() }).optional(),
});

/** A client of the SDK, connected to a server of the SDK within this process. */
export async function connected(files: Served, { pages }: ServerOptions = {}) {
  const read: string[] = [];
  const state = { files };
  const server = new Server(
    { name: "what it calls itself", version: "1.0.0" },
    { capabilities: { resources: {} } },
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    read.push(uri);
    const file = state.files[uri] ?? -32002;
    if (typeof file === "number") throw new McpError(file, "no");
    if (typeof file === "string") return { contents: [{ uri, text: file }] };
    return { contents: [{ uri, blob: Buffer.from(file).toString("base64") }] };
  });
  if (pages !== undefined) {
    server.setRequestHandler(ListSkillsRequestSchema, ({ params }) => {
      const page = pages[Number(params?.cursor ?? 0)];
      if (typeof page === "number") throw new McpError(page, "no");
      return page as Record<string, unknown>;
    });
  }
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  const listSkills: ListMcpSkills = (params, options) =>
    client.request({ method: "skills/list", params }, z.looseObject({}), options);
  return { client, listSkills, read, state };
}

export function digestOf(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** A skill as `skills/list` has it, with its files for `resources/read`. */
export function listedSkill(
  path: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  fields: Readonly<Record<string, unknown>> = {},
) {
  const root = `skill://${path}`;
  const frontmatter = { name: path.split("/").at(-1), description: "Ties knots.", ...fields };
  const lines = Object.entries(frontmatter).map(
    ([key, value]) => `${key}: ${JSON.stringify(value)}`,
  );
  const all = { "SKILL.md": `---\n${lines.join("\n")}\n---\nBegin with ${path}.\n`, ...files };
  const uris = Object.entries(all).map(
    ([name, data]) => [`${root}/${encodeURI(name)}`, data] as const,
  );
  const entry = {
    uri: `${root}/SKILL.md`,
    frontmatter,
    resources: uris.map(([uri, data]) => ({
      uri,
      digest: digestOf(data),
      size: Buffer.byteLength(data),
    })),
  };
  return { entry, files: Object.fromEntries(uris) };
}
