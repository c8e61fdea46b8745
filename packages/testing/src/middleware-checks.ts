import {
  Agent,
  type AgentResponse,
  agentMiddleware,
  type ChatRequest,
  type Content,
  chatMiddleware,
  foldUpdates,
  functionMiddleware,
  type Message,
  type Middleware,
  sortMiddleware,
  textOf,
  tool,
  type Update,
} from "@tunic/core";
import { expect } from "vitest";
import { manualEnvironment } from "./manual-environment.js";
import { ScriptedChatClient } from "./scripted-chat-client.js";
import type { ScriptedAnswer } from "./scripted-turn.js";

/** What the checks need of a contract. */
interface Checked {
  create(): Middleware | readonly Middleware[];
  readonly texts?: readonly string[];
}

type Check = readonly [title: string, check: () => Promise<void>];

const someTexts = [
  "",
  "x",
  "Grüße aus Köln 🦊, wie geht’s?",
  "one\ntwo 4111 1111 three",
  "aaaaaaaa",
];

/** One run with the middleware, and what could be seen of it. */
interface Seen {
  readonly response: AgentResponse;
  readonly updates: readonly Update[];
  readonly requests: readonly ChatRequest[];
  readonly ran: readonly unknown[];
}

interface Scene {
  readonly middleware: readonly Middleware[];
  readonly text: string;
  readonly input?: string;
  readonly chunkSize?: number;
  readonly streamed: boolean;
}

/** The checks behind `describeMiddlewareContract`; each rejects where the rule is broken. */
export function middlewareChecks({ create, texts = someTexts }: Checked): readonly Check[] {
  const made = (): readonly Middleware[] => [create()].flat();
  const seen = (text: string, streamed: boolean, chunkSize?: number): Promise<Seen> =>
    play({ middleware: made(), text, streamed, ...(chunkSize !== undefined && { chunkSize }) });
  return [
    [
      "fits into the list of an agent",
      async () => {
        sortMiddleware(made());
      },
    ],
    [
      "says the same to an empty answer, streamed and not",
      async () => {
        const whole = await seen("", false);
        const streamed = await seen("", true);
        expect(said(streamed.response.messages)).toEqual(said(whole.response.messages));
      },
    ],
    [
      "gives the same result wherever the stream is cut",
      async () => {
        for (const text of texts) {
          const whole = await seen(text, true);
          for (let size = 1; size <= Math.min(12, [...text].length); size++) {
            const cut = await seen(text, true, size);
            expect(said(cut.response.messages)).toEqual(said(whole.response.messages));
          }
        }
      },
    ],
    [
      "answers the same streamed and not",
      async () => {
        for (const text of texts) {
          const whole = await seen(text, false);
          const streamed = await seen(text, true, 3);
          expect(said(streamed.response.messages)).toEqual(said(whole.response.messages));
          expect(streamed.response.outcome).toBe(whole.response.outcome);
          expect(streamed.ran).toEqual(whole.ran);
        }
      },
    ],
    [
      "lets the consumer fold what the response is",
      async () => {
        for (const text of texts) {
          const { response, updates } = await seen(text, true, 2);
          expect(foldUpdates(updates).messages).toEqual(response.messages);
        }
      },
    ],
    [
      "injects nothing twice when an outer layer calls next() again",
      async () => {
        const [text = "x"] = texts.filter((each) => each !== "");
        const once = await play({ middleware: made(), text, streamed: false });
        for (const kind of ["agent", "chat", "function"] as const) {
          const list = [twice[kind], ...made()];
          const again = await play({ middleware: list, text, streamed: false });
          for (const request of again.requests) {
            const known = once.requests.map((each) => said(each.messages));
            expect(known).toContainEqual(said(request.messages));
          }
          for (const args of again.ran) expect(once.ran).toContainEqual(args);
        }
      },
    ],
    [
      "keeps concurrent runs apart",
      async () => {
        const inputs = ["first", "second", "third"];
        const alone = await Promise.all(
          inputs
            .map((input) => playAll(made(), texts, [input]))
            .map(async (each) => (await each)[0]),
        );
        expect(await playAll(made(), texts, inputs)).toEqual(alone);
      },
    ],
  ];
}

/** Several runs at the same time on one agent. */
async function playAll(
  middleware: readonly Middleware[],
  texts: readonly string[],
  inputs: readonly string[],
): Promise<unknown[]> {
  const { agent } = stage(middleware, (input) => `${texts.join(" ")} ${input}`, 3);
  const responses = await Promise.all(
    inputs.map((input) => agent.run(input, { onUpdate: () => Promise.resolve() })),
  );
  return responses.map((response) => said(response.messages));
}

async function play({ middleware, text, input = "go", chunkSize, streamed }: Scene): Promise<Seen> {
  const { agent, requests, ran } = stage(middleware, () => text, chunkSize);
  const updates: Update[] = [];
  const response = await agent.run(input, {
    ...(streamed && {
      onUpdate: (update) => {
        updates.push(update);
      },
    }),
  });
  return { response, updates, requests, ran };
}

/** An agent whose model calls a tool once and then says its text. */
function stage(
  middleware: readonly Middleware[],
  textFor: (input: string) => string,
  chunkSize: number | undefined,
) {
  const requests: ChatRequest[] = [];
  const ran: unknown[] = [];
  const client = new ScriptedChatClient(
    (request): ScriptedAnswer => {
      requests.push(request);
      const input = request.messages.findLast((message) => message.role === "user");
      const text = textFor(input ? textOf(input) : "");
      const answered = request.messages.some((message) => message.role === "tool");
      return answered
        ? { text }
        : { text, calls: [{ name: "contract_echo", arguments: { text }, id: "call" }] };
    },
    chunkSize === undefined ? {} : { chunkSize },
  );
  const echo = tool({
    name: "contract_echo",
    description: "Says what it was told.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: (args) => {
      ran.push(args);
      return args.text;
    },
  });
  const agent = new Agent({ client, tools: echo, middleware, environment: manualEnvironment() });
  return { agent, requests, ran };
}

/** Outer layers that call next() a second time. */
const twice: Record<"agent" | "chat" | "function", Middleware> = {
  agent: agentMiddleware("contract: twice", async (_context, next) => {
    await next();
    return next();
  }),
  chat: chatMiddleware("contract: twice", async (_context, next) => {
    await next();
    return next();
  }),
  function: functionMiddleware("contract: twice", async (_context, next) => {
    await next();
    return next();
  }),
};

/** What messages say; ids and times differ from run to run. */
function said(messages: readonly Message[]): unknown {
  return messages.map(({ role, contents }) => ({ role, contents: contents.map(withoutIds) }));
}

/** A call that is made again in the same run gets another id. */
function withoutIds(content: Content): object {
  const { providerData: _data, ...rest } = content;
  return "callId" in rest ? { ...rest, callId: "call" } : rest;
}
