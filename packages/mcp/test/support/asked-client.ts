import {
  Client as Sdk2Client,
  StreamableHTTPClientTransport as Sdk2Http,
} from "@modelcontextprotocol/client";
import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Sdk1Http } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject } from "@tunic/core";
import { type Answer, answerOf } from "./served.js";

/** What a client answers when it is asked, by method. What it has no answer for, it does not say that it can. */
export type Answers = Partial<
  Record<Method, (params: JsonObject) => JsonObject | Promise<JsonObject>>
>;
type Method = keyof typeof schemas;

const schemas = {
  "elicitation/create": ElicitRequestSchema,
  "sampling/createMessage": CreateMessageRequestSchema,
  "roots/list": ListRootsRequestSchema,
};

const capabilities = {
  "elicitation/create": { elicitation: { form: {}, url: {} } },
  "sampling/createMessage": { sampling: {} },
  "roots/list": { roots: {} },
};

/** The lines of the official SDK, and the newest revision that each speaks. */
export const lines = [
  { line: 1, revision: "2025-11-25" },
  { line: 2, revision: "2026-07-28" },
] as const;
export type Line = (typeof lines)[number]["line"];

/** A client of the official SDK that can be asked. */
export interface AskedClient extends AsyncDisposable {
  readonly client: Sdk1Client | Sdk2Client;
  call(name: string, args?: JsonObject, signal?: AbortSignal): Promise<Answer>;
}

export async function askedClient(
  line: Line,
  url: string,
  answers: Answers = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<AskedClient> {
  const can = Object.assign({}, ...methodsOf(answers).map((method) => capabilities[method]));
  const requestInit = { headers: { ...headers } };
  const client = line === 1 ? sdk1Client(can, answers) : sdk2Client(can, answers);
  if (client instanceof Sdk1Client) {
    await client.connect(new Sdk1Http(new URL(url), { requestInit }) as Transport);
  } else {
    await client.connect(new Sdk2Http(new URL(url), { requestInit }));
  }
  return {
    client,
    async call(name, args = {}, signal) {
      const params = { name, arguments: { ...args } };
      const options = signal && { signal };
      return answerOf(
        client instanceof Sdk1Client
          ? await client.callTool(params, undefined, options)
          : await client.callTool(params, options),
      );
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const info = { name: "test", version: "1" };

function sdk1Client(can: object, answers: Answers): Sdk1Client {
  const client = new Sdk1Client(info, { capabilities: can });
  for (const method of methodsOf(answers)) {
    client.setRequestHandler(schemas[method], async ({ params }) => ({
      ...(await answers[method]?.(asObject(params))),
    }));
  }
  return client;
}

function sdk2Client(can: object, answers: Answers): Sdk2Client {
  const client = new Sdk2Client(info, {
    capabilities: can,
    versionNegotiation: { mode: "auto" },
  });
  for (const method of methodsOf(answers)) {
    client.setRequestHandler(method, (async ({ params }: { params: unknown }) => ({
      ...(await answers[method]?.(asObject(params))),
    })) as never);
  }
  return client;
}

function methodsOf(answers: Answers): Method[] {
  return Object.keys(answers) as Method[];
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
