import { type JsonObject, type Principal, tool } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServeOptions, servedClient, serveTools, type ToolServer } from "../src/server.js";
import { askedClient } from "./support/asked-client.js";
import { deferred } from "./support/deferred.js";
import { bearer, TestClock, two } from "./support/http-served.js";
import { add, ran, wipe } from "./support/served-tools.js";
import { meta, type StatelessAnswer, stateless } from "./support/stateless-request.js";

const args = { file: "a" };
const yes = { action: "accept", content: { approve: true } };

/** Serves a tool that asks first, and begins a call of it. */
async function asking(options: Partial<ServeOptions> = {}): Promise<Waiting> {
  ran.length = 0;
  const errors: unknown[] = [];
  const server = await serveTools(wipe, {
    transport: { http: {} },
    approvals: "elicit",
    onError: (error) => errors.push(error),
    ...options,
  });
  const call = (
    params: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<StatelessAnswer> =>
    stateless(
      server.url ?? "",
      "tools/call",
      { name: "wipe", arguments: args, ...params },
      headers,
    );
  return {
    server,
    errors,
    call,
    async begin(headers) {
      const { result } = await call({}, headers);
      const { inputRequests, requestState, resultType } = result;
      expect(resultType).toBe("input_required");
      const [id = ""] = Object.keys(inputRequests as JsonObject);
      return { requestState: String(requestState), inputResponses: { [id]: yes } };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

interface Waiting extends AsyncDisposable {
  readonly server: ToolServer;
  readonly errors: readonly unknown[];
  call(params: JsonObject, headers?: Readonly<Record<string, string>>): Promise<StatelessAnswer>;
  /** Returns what has to be sent for the call to go on. */
  begin(
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ requestState: string; inputResponses: JsonObject }>;
}

describe("a call that waits for an answer", () => {
  it("asks in its answer, and runs once it is told", async () => {
    await using waiting = await asking();
    const { result } = await waiting.call({});
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: {
        input_1: {
          method: "elicitation/create",
          params: { mode: "form", message: expect.stringContaining('"file": "a"') },
        },
      },
    });
    expect(ran).toEqual([]);
    const again = await waiting.call({
      requestState: String(result["requestState"]),
      inputResponses: { input_1: yes },
    });
    expect(again.result).toMatchObject({
      resultType: "complete",
      content: [{ type: "text", text: "wiped a" }],
    });
    expect(ran).toEqual(["a"]);
  });

  it.each([
    ["a no", { action: "decline" }],
    ["an answer without a yes", { action: "accept", content: {} }],
    ["an answer that makes no sense", {}],
  ])("does not run after %s", async (_what, answer) => {
    await using waiting = await asking();
    const { requestState } = await waiting.begin();
    const { result } = await waiting.call({ requestState, inputResponses: { input_1: answer } });
    expect(result["isError"]).toBe(true);
    expect(ran).toEqual([]);
  });

  it("goes on once, also where it is told twice at the same time", async () => {
    await using waiting = await asking();
    const told = await waiting.begin();
    const answers = await Promise.all([waiting.call(told), waiting.call(told), waiting.call(told)]);
    expect(answers.map(({ code }) => code).sort()).toEqual([-32602, -32602, undefined]);
    expect((await waiting.call(told)).code).toBe(-32602);
    expect(ran).toEqual(["a"]);
  });

  it("goes on for nobody else, and then still for whoever made it", async () => {
    await using waiting = await asking({ transport: { http: two } });
    const told = await waiting.begin(bearer("mara"));
    expect((await waiting.call(told)).status).toBe(401);
    expect((await waiting.call(told, bearer("otto"))).code).toBe(-32602);
    expect(ran).toEqual([]);
    expect((await waiting.call(told, bearer("mara"))).result["resultType"]).toBe("complete");
    expect(ran).toEqual(["a"]);
  });

  it("does not go on for somebody who has other roles by now", async () => {
    let roles = ["editor"];
    const auth = (): Principal => ({ id: "mara", roles });
    await using waiting = await asking({ transport: { http: { auth } } });
    const told = await waiting.begin();
    roles = [];
    expect((await waiting.call(told)).code).toBe(-32602);
    expect(ran).toEqual([]);
  });

  it("goes on as it was made", async () => {
    await using waiting = await asking();
    const told = await waiting.begin();
    expect((await waiting.call({ ...told, arguments: { file: "b" } })).code).toBe(-32602);
    expect((await waiting.call({ ...told, arguments: {} })).code).toBe(-32602);
    expect((await waiting.call({ ...told, name: "whipe" })).code).toBe(-32602);
    expect(ran).toEqual([]);
  });

  it("goes on with no state but its own", async () => {
    await using waiting = await asking();
    const { requestState, inputResponses } = await waiting.begin();
    const around = fc.string({ minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue().filter((value) => value !== requestState),
          around.map((text) => requestState + text),
          fc.nat(requestState.length - 1).map((at) => requestState.slice(0, at)),
        ),
        async (state) => {
          const call = { requestState: state as never, inputResponses };
          expect((await waiting.call(call)).code).toBe(-32602);
        },
      ),
      { numRuns: 50 },
    );
    expect(ran).toEqual([]);
  });

  it("asks again for what was not answered", async () => {
    await using waiting = await asking();
    const { requestState } = await waiting.begin();
    const { result } = await waiting.call({ requestState, inputResponses: { input_1: 5, b: yes } });
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { input_1: {} } });
    expect(result["requestState"]).not.toBe(requestState);
    const inputResponses = { input_1: yes };
    const again = await waiting.call({
      requestState: String(result["requestState"]),
      inputResponses,
    });
    expect(again.result["resultType"]).toBe("complete");
  });

  it("takes no yes that comes before it has asked", async () => {
    await using waiting = await asking();
    const inputResponses = { input_1: yes, input_2: yes, approve: yes };
    expect((await waiting.call({ inputResponses })).result["resultType"]).toBe("input_required");
    expect(ran).toEqual([]);
  });

  it("takes answers that come first to what a tool asks by name", async () => {
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
        const question = { message: "?", requestedSchema };
        const answers = [];
        for (const id of ["first", "first"]) {
          answers.push(await servedClient(context)?.elicit(question, { id }));
        }
        return answers;
      },
    });
    await using server = await serveTools(asks, { transport: { http: {} } });
    const inputResponses = { first: { action: "accept", content: { a: "b" } }, other: yes };
    const params = { name: "asks", inputResponses };
    const { result } = await stateless(server.url ?? "", "tools/call", params);
    // Once.
    expect(result).toMatchObject({ resultType: "input_required", inputRequests: { first: {} } });
    const requestState = String(result["requestState"]);
    const told = { first: { action: "decline" } };
    const again = { name: "asks", requestState, inputResponses: told };
    const { body } = await stateless(server.url ?? "", "tools/call", again);
    const [{ text = "" } = {}] = JSON.parse(body).result.content;
    expect(JSON.parse(text)).toEqual([
      { action: "accept", content: { a: "b" } },
      { action: "decline" },
    ]);
  });

  it("is over when nobody comes back in time", async () => {
    const clock = new TestClock();
    await using waiting = await asking({ environment: clock });
    const told = await waiting.begin();
    clock.fire();
    expect((await waiting.call(told)).code).toBe(-32602);
    expect(ran).toEqual([]);
    expect(waiting.errors).toEqual([]);
  });

  it("is over with the server", async () => {
    const ended = deferred<unknown>();
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        const requestedSchema = { type: "object", properties: {} };
        const asked = servedClient(context)?.elicit({ message: "?", requestedSchema });
        await asked?.catch(ended.resolve);
        return "late";
      },
    });
    const server = await serveTools(asks, { transport: { http: {} } });
    await stateless(server.url ?? "", "tools/call", { name: "asks" });
    await server.close();
    expect(await ended.promise).toMatchObject({ code: "mcp_closed" });
  });

  it("takes one of the places for calls", async () => {
    await using waiting = await asking({ maxConcurrentCalls: 1 });
    const told = await waiting.begin();
    expect((await waiting.call({})).result["isError"]).toBe(true);
    await waiting.call(told);
    await waiting.begin();
  });

  it("is refused where the client cannot ask", async () => {
    await using waiting = await asking();
    const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": {} };
    const { result } = await waiting.call({ _meta });
    expect(result).toMatchObject({ isError: true, resultType: "complete" });
    expect(ran).toEqual([]);
  });

  it("asks the person at the second line of the SDK", async () => {
    await using waiting = await asking();
    await using client = await askedClient(2, waiting.server.url ?? "", {
      "elicitation/create": () => yes,
    });
    expect(await client.call("wipe", args)).toEqual({ text: "wiped a", isError: false });
  });
});

describe("an answer that takes long", () => {
  it("is waited for with signs of life", async () => {
    const clock = new TestClock();
    const began = deferred();
    const goOn = deferred();
    const waits = tool({
      name: "waits",
      async execute() {
        began.resolve();
        await goOn.promise;
        return "done";
      },
    });
    await using server = await serveTools(waits, { transport: { http: {} }, environment: clock });
    const answer = stateless(server.url ?? "", "tools/call", { name: "waits" });
    await began.promise;
    clock.fire();
    clock.fire();
    goOn.resolve();
    const { headers, body, messages } = await answer;
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(body.startsWith(": waiting\n\n: waiting\n\nevent: message\n")).toBe(true);
    expect(messages).toMatchObject([{ id: 7, result: { content: [{ text: "done" }] } }]);
  });
});

describe("a client that listens", () => {
  const listen = (url: string, notifications: JsonObject, onText?: () => void) =>
    stateless(url, "subscriptions/listen", { notifications }, {}, onText);
  const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
  const end = { id: 7, result: { resultType: "complete", _meta } };

  it("hears of other tools until the server ends", async () => {
    const server = await serveTools(add, { transport: { http: {} } });
    const listens = deferred();
    const wanted = { toolsListChanged: true, promptsListChanged: true };
    const heard = listen(server.url ?? "", wanted, listens.resolve);
    await listens.promise;
    await server.toolsChanged();
    await server.close();
    const { messages } = await heard;
    expect(messages).toMatchObject([
      {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta },
      },
      { method: "notifications/tools/list_changed", params: { _meta } },
      end,
    ]);
  });

  it("hears nothing that it has not asked for", async () => {
    await using server = await serveTools(add, { transport: { http: {} } });
    const { messages } = await listen(server.url ?? "", { promptsListChanged: true });
    expect(messages).toMatchObject([{ params: { notifications: {}, _meta } }, end]);
  });

  it("says what it wants to hear", async () => {
    await using server = await serveTools(add, { transport: { http: {} } });
    expect((await stateless(server.url ?? "", "subscriptions/listen")).code).toBe(-32602);
  });

  it("is one of so many, and not for ever", async () => {
    const clock = new TestClock();
    const transport = { http: { maxSessions: 1 } };
    await using server = await serveTools(add, { transport, environment: clock });
    const listens = deferred();
    const first = listen(server.url ?? "", { toolsListChanged: true }, listens.resolve);
    await listens.promise;
    expect((await listen(server.url ?? "", { toolsListChanged: true })).code).toBe(-32603);
    clock.fire();
    expect((await first).messages.at(-1)).toMatchObject(end);
  });
});
