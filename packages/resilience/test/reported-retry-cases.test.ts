import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, type AgentOptions, ChatClientError, parseRetryAfter, tool } from "@tunic/core";
import { OpenAIChatClient } from "@tunic/openai";
import { manualEnvironment } from "@tunic/testing";
import { wireProblems } from "@tunic/testing/wire";
import { afterEach, describe, expect, it } from "vitest";
import { retryModelCalls } from "../src/index.js";
import { noticesOf, noticeTexts, play, rejection, scripted } from "./support.js";

/** The clock of the runs begins here. */
const start = Date.parse("Mon, 05 Jan 2026 12:00:00 GMT");

const refused = (retryAfter: string) =>
  new ChatClientError("rate_limit", "Too many.", {
    status: 429,
    retryable: true,
    retryAfterMs: parseRetryAfter(retryAfter, 0),
  });

/** B18, public reports about what retries make of the header. */
describe("a service that answers 429 (B18)", () => {
  const cases: readonly (readonly [string, string, string, number])[] = [
    ["(a) soon", "soon", "what cannot be read is no wait of its own: the back-off", 500],
    ["(b) a date", "Mon, 05 Jan 2026 12:00:03 GMT", "until then", 3000],
    ["(c) 2", "2", "seconds", 2000],
    ["(d) a date in the past", "Mon, 05 Jan 2026 11:00:00 GMT", "the back-off", 500],
    ["0", "0", "the back-off: a service's word is the least wait", 500],
  ];

  const servers: { close(): void }[] = [];
  const problems: string[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    expect(problems).toEqual([]);
  });

  /** Answers 429 with the header, then as it should. */
  async function service(retryAfter: string): Promise<{ url: string; asked(): number }> {
    let asked = 0;
    const server = createServer((incoming, response) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      incoming.on("end", () => {
        problems.push(...wireProblems("openai-chat", JSON.parse(body)));
        if (++asked === 1) json(response, 429, { error: { message: "Too many." } }, retryAfter);
        else json(response, 200, completion);
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/v1`, asked: () => asked };
  }

  /** Requests go through a real socket: nothing of the manual clock says when they are done. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  }

  it.each(cases)("%s (%s): %s", async (_title, header, _why, waitMs) => {
    const { url, asked } = await service(header);
    const environment = manualEnvironment(start);
    const client = new OpenAIChatClient({ model: "m", apiKey: "key", baseURL: url });
    const middleware = [retryModelCalls({ initialDelayMs: 500, jitter: 0 })];
    const running = new Agent({ client, middleware, environment }).run("go");
    await until(() => environment.timers === 1);
    await environment.advance(waitMs - 1);
    expect([asked(), environment.timers]).toEqual([1, 1]);
    await environment.advance(1);
    expect((await running).text).toBe("Here.");
    expect(asked()).toBe(2);
  });

  it("(e) 86400: is given up at once, with its own error", async () => {
    const error = refused("86400");
    const { environment, events, running } = playWith({ turns: [{ error }] });
    const failed = rejection(running);
    await environment.advance(0);
    expect(await failed).toBe(error);
    expect(noticeTexts(events)[0]).toContain(
      "asks to wait 86400000 ms, and maxRetryAfterMs is 60000",
    );
  });

  it("a wait that is allowed may be longer than the longest of our own", async () => {
    const { environment, finish } = playWith(
      { turns: [{ error: refused("50") }, "Here."] },
      { maxDelayMs: 1000 },
    );
    await finish();
    expect(environment.now()).toBeGreaterThanOrEqual(50_000);
  });

  it("a client that gives no number is waited for as if it had given none", async () => {
    const error = new ChatClientError("rate_limit", "Too many.", {
      retryable: true,
      retryAfterMs: Number.NaN,
    });
    const { environment, events, running } = playWith({ turns: [{ error }, "Here."] });
    await environment.advance(499);
    expect(noticesOf(events)).toEqual(["model_call_retried"]);
    await environment.advance(1);
    expect((await running).text).toBe("Here.");
  });

  // (f), an abort while waiting, stands in retry-model-calls.test.ts.

  it("(g) a tool that throws after its side effect is not run again", async () => {
    let ran = 0;
    const act = tool({
      name: "act",
      execute() {
        ran++;
        throw new Error("after the side effect");
      },
    });
    const { finish } = playWith({
      turns: [{ calls: [{ name: "act" }] }, { error: refused("2") }, "It failed."],
      tools: [act],
    });
    expect((await finish()).text).toBe("It failed.");
    expect(ran).toBe(1);
  });
});

function playWith(
  { turns, tools = [] }: { turns: Parameters<typeof scripted>[1]; tools?: AgentOptions["tools"] },
  options: Parameters<typeof retryModelCalls>[0] = {},
) {
  const middleware = [retryModelCalls({ initialDelayMs: 500, jitter: 0, ...options })];
  return play({ client: scripted("test", turns), middleware, tools });
}

function json(response: ServerResponse, status: number, body: object, retryAfter?: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    connection: "close",
    ...(retryAfter !== undefined && { "retry-after": retryAfter }),
  });
  response.end(JSON.stringify(body));
}

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Here." } }],
};
