import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type ElicitRequest, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@tunic/core";
import { type Served, type ServeOptions, serveTools, type ToolServer } from "../../src/server.js";

export type Answer = { readonly text: string; readonly isError: boolean };

/** A server, and a client of the first line of the SDK that talks to it over HTTP. */
export interface ServedPair extends AsyncDisposable {
  readonly server: ToolServer;
  readonly client: Sdk1Client;
  /** What clients are not told. */
  readonly errors: unknown[];
  call(name: string, args?: JsonObject, signal?: AbortSignal): Promise<Answer>;
}

type Elicited = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: { readonly approve?: boolean | string };
};

export async function serve(
  served: Served,
  options: Omit<ServeOptions, "transport"> = {},
  elicit?: (params: ElicitRequest["params"]) => Elicited,
): Promise<ServedPair> {
  const errors: unknown[] = [];
  const server = await serveTools(served, {
    transport: { http: {} },
    onError: (error) => errors.push(error),
    ...options,
  });
  const client = await connected(server.url ?? "", {}, elicit);
  return {
    server,
    client,
    errors,
    async call(name, args = {}, signal) {
      const answer = await client.callTool(
        { name, arguments: { ...args } },
        undefined,
        signal && { signal },
      );
      return answerOf(answer);
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

export async function connected(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  elicit?: (params: ElicitRequest["params"]) => Elicited,
): Promise<Sdk1Client> {
  const client = new Sdk1Client(
    { name: "test", version: "1" },
    { capabilities: elicit ? { elicitation: { form: {} } } : {} },
  );
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  });
  await client.connect(transport as Transport);
  return client;
}

export function answerOf(answer: object): Answer {
  const { content, isError } = answer as { content: unknown; isError?: unknown };
  const blocks = content as readonly { type: string; text?: string }[];
  const text = blocks.map((block) => block.text ?? `[${block.type}]`).join("\n");
  return { text, isError: isError === true };
}
