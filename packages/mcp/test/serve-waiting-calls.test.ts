import { type JsonObject, type Principal, tool } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServeOptions, servedClient, serveTools, type ToolServer } from "../src/server.js";
import { askedClient } from "./support/asked-client.js";
import { deferred } from "./support/deferred.js";
import { bearer, TestClock, two } from "./support/http-served.js";
import { ran, wipe } from "./support/served-tools.js";
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
    ["a form that says no", { action: "accept", content: { approve: false } }],
    ["a form that was closed", { action: "cancel" }],
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

  it("asks at once what is asked at about the same time", async () => {
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        const requestedSchema = { type: "object", properties: {} };
        const ask = () => servedClient(context)?.elicit({ message: "?", requestedSchema });
        return Promise.all([
          ask(),
          Promise.resolve().then(ask),
          Promise.resolve()
            .then(() => {})
            .then(ask),
        ]);
      },
    });
    await using server = await serveTools(asks, { transport: { http: {} } });
    const { result } = await stateless(server.url ?? "", "tools/call", { name: "asks" });
    expect(Object.keys(result["inputRequests"] as JsonObject)).toHaveLength(3);
  });

  it("has all the time that it needs once it is told", async () => {
    const clock = new TestClock();
    const answered = deferred();
    const goOn = deferred();
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        const requestedSchema = { type: "object", properties: {} };
        await servedClient(context)?.elicit({ message: "?", requestedSchema });
        answered.resolve();
        await goOn.promise;
        context.signal?.throwIfAborted();
        return "done";
      },
    });
    await using server = await serveTools(asks, { transport: { http: {} }, environment: clock });
    const url = server.url ?? "";
    const { result } = await stateless(url, "tools/call", { name: "asks" });
    const requestState = String(result["requestState"]);
    const inputResponses = { input_1: { action: "decline" } };
    const told = stateless(url, "tools/call", { name: "asks", requestState, inputResponses });
    await answered.promise;
    clock.fire();
    goOn.resolve();
    expect((await told).result["content"]).toEqual([{ type: "text", text: "done" }]);
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
