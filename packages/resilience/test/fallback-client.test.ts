import {
  Agent,
  type ChatClient,
  ChatClientError,
  ConfigurationError,
  MiddlewareError,
  tool,
  type Update,
  withMiddleware,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { fallbackClient, retryModelCalls, routeClient } from "../src/index.js";
import {
  askBare,
  bothManners,
  busy,
  hi,
  noticesOf,
  noticeTexts,
  play,
  rejection,
  request,
  scripted,
} from "./support.js";

const fail = (error: unknown = busy()) => ({ error });
const cut = (text: string) => ({ text, error: busy(), errorAfter: 1 });

describe.each(bothManners)("fallbackClient ($manner)", ({ streamed }) => {
  it("asks the first alone while that works", async () => {
    const [a, b] = [scripted("a", ["A."]), scripted("b", [])];
    const { events, finish } = play({ client: fallbackClient([a, b]) }, { streamed });
    expect((await finish()).text).toBe("A.");
    expect([b.requests.length, noticesOf(events)]).toEqual([0, []]);
  });

  it("asks the next after a failure, and tells of it", async () => {
    const [a, b, c] = [scripted("a", [fail()]), scripted("b", [fail()]), scripted("c", ["C."])];
    const { events, finish } = play({ client: fallbackClient([a, b, c]) }, { streamed });
    expect((await finish()).text).toBe("C.");
    expect(noticeTexts(events)).toEqual([
      '"a" failed (overloaded); "b" is asked.',
      '"b" failed (overloaded); "c" is asked.',
    ]);
  });

  it("begins with the first again in the next round, and runs each tool once", async () => {
    let ran = 0;
    const act = tool({ name: "act", execute: () => `done ${++ran}` });
    const a = scripted("a", [fail(), "Done."]);
    const b = scripted("b", [{ calls: [{ name: "act" }] }]);
    const { finish } = play({ client: fallbackClient([a, b]), tools: [act] }, { streamed });
    expect((await finish()).text).toBe("Done.");
    expect(ran).toBe(1);
    // What the other client has said is part of the conversation.
    expect(a.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it.each(["authentication", "permission", "not_found", "malformed_response", "a_word_of_its_own"])(
    "asks the next after %s",
    async (code) => {
      const a = scripted("a", [fail(new ChatClientError(code, "No."))]);
      const client = fallbackClient([a, scripted("b", ["B."])]);
      expect((await askBare(client, request(), streamed)).messages).toHaveLength(1);
    },
  );

  it.each([
    ["bad_request", "the request is as wrong there"],
    ["unsupported", "every call would go there"],
  ])("does not ask the next after %s: %s", async (code) => {
    const error = new ChatClientError(code, "No.");
    const b = scripted("b", ["B."]);
    const client = fallbackClient([scripted("a", [fail(error)]), b]);
    expect(await rejection(askBare(client, request(), streamed))).toBe(error);
    expect(b.requests).toEqual([]);
  });

  it("waits for `fallbackOn` and `when` where they have to be waited for", async () => {
    const failed = new ChatClientError("bad_request", "No.");
    const b = scripted("b", []);
    const client = fallbackClient(
      [
        scripted("a", [fail(failed)]),
        { client: b, when: async () => false },
        scripted("c", ["C."]),
      ],
      { fallbackOn: async () => true },
    );
    expect((await askBare(client, request(), streamed)).messages).toHaveLength(1);
    expect(b.requests).toEqual([]);
  });

  it("takes a client that answers nothing for one that failed", async () => {
    const nothing = { metadata: { provider: "none" }, getResponse: async () => undefined as never };
    const client = fallbackClient([nothing, scripted("b", ["B."])]);
    expect((await askBare(client, request(), streamed)).messages).toHaveLength(1);
    const alone = askBare(fallbackClient([nothing]), request(), streamed);
    expect(await rejection(alone)).toMatchObject({ code: "malformed_response" });
  });

  it("asks `fallbackOn` instead, and a client's own `when` before it", async () => {
    const tooLong = new ChatClientError("bad_request", "Too long.", { status: 400 });
    const [b, c] = [scripted("b", []), scripted("c", ["C."])];
    const client = fallbackClient(
      [scripted("a", [fail(tooLong)]), { client: b, when: ({ status }) => status === 503 }, c],
      { fallbackOn: ({ status }) => status === 400 },
    );
    expect((await askBare(client, request(), streamed)).messages).toHaveLength(1);
    expect(b.requests).toEqual([]);
  });

  it.each([
    ["a configuration error", new ConfigurationError("invalid_option", "No.")],
    ["an error that is no failure of a service", new TypeError("a slip")],
    ["a failure of a middleware around the client", new MiddlewareError("x", "y", "z")],
  ])("lets %s pass", async (_title, error) => {
    const b = scripted("b", ["B."]);
    const client = fallbackClient([scripted("a", [fail(error)]), b]);
    expect(await rejection(askBare(client, request(), streamed))).toBe(error);
    expect(b.requests).toEqual([]);
  });

  it("lets an abort pass, also where the client makes something else of it", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const b = scripted("b", ["B."]);
    const stopped = () => {
      controller.abort(reason);
      return fail();
    };
    const client = fallbackClient([scripted("a", [stopped]), b]);
    const asked = { ...request(), signal: controller.signal };
    expect(await rejection(askBare(client, asked, streamed))).toBe(reason);
    expect(b.requests).toEqual([]);
  });

  it("gives the only error as it is, and several as one that says all of them", async () => {
    const alone = busy();
    expect(
      await rejection(askBare(fallbackClient([scripted("a", [fail(alone)])]), request(), streamed)),
    ).toBe(alone);
    const key = new ChatClientError("authentication", "No key.", { status: 401 });
    const full = busy({ status: 529, requestId: "r2", retryAfterMs: 3000 });
    const limit = new ChatClientError("rate_limit", "Slowly.", {
      retryable: true,
      retryAfterMs: 2000,
    });
    const client = fallbackClient(
      [key, full, limit].map((error, at) => scripted(`abc`.charAt(at), [fail(error)])),
    );
    const error = await rejection(askBare(client, request(), streamed));
    expect(error).toBeInstanceOf(ChatClientError);
    // Of the first that may succeed later; the wait is the shortest.
    expect(error).toMatchObject({
      code: "overloaded",
      status: 529,
      requestId: "r2",
      retryable: true,
      retryAfterMs: 2000,
      message:
        'All 3 clients that were asked have failed. "a" (authentication): No key. "b" (overloaded): Busy. "c" (rate_limit): Slowly.',
      cause: { errors: [key, full, limit] },
    });
  });

  it("gives an error that is not to be retried where none of them is", async () => {
    const key = new ChatClientError("authentication", "No key.", { status: 401 });
    const gone = new ChatClientError("not_found", "No such model.");
    const client = fallbackClient([scripted("a", [fail(key)]), scripted("b", [fail(gone)])]);
    expect(await rejection(askBare(client, request(), streamed))).toMatchObject({
      code: "authentication",
      status: 401,
      retryable: false,
      retryAfterMs: undefined,
    });
  });

  it("is tried again as a whole by a retry around it, with the shortest wait", async () => {
    const a = scripted("a", [fail(busy({ retryAfterMs: 5000 })), "A."]);
    const b = scripted("b", [fail(busy({ retryAfterMs: 3000 }))]);
    const middleware = [retryModelCalls({ jitter: 0 })];
    const { environment, events, finish } = play(
      { client: fallbackClient([a, b]), middleware },
      { streamed },
    );
    await environment.advance(2999);
    expect(a.requests).toHaveLength(1);
    expect((await finish()).text).toBe("A.");
    expect(noticesOf(events)).toEqual(["model_fallback", "model_call_retried"]);
  });

  it("has retries inside that end before the next client is asked", async () => {
    const a = scripted("a", [fail(), fail()]);
    const retrying = withMiddleware(a, [retryModelCalls({ maxAttempts: 2 })]);
    const client = fallbackClient([retrying, scripted("b", ["B."])]);
    expect((await play({ client }, { streamed }).finish()).text).toBe("B.");
    expect(a.requests).toHaveLength(2);
  });

  it("stands in others of its kind", async () => {
    const inner = fallbackClient([scripted("a", [fail()]), scripted("b", [fail()])]);
    const route = routeClient([], { otherwise: scripted("c", [fail()]) });
    const client = fallbackClient([inner, route, scripted("d", ["D."])]);
    expect((await play({ client }, { streamed }).finish()).text).toBe("D.");
  });

  it("asks others for their own model, or for the one that is named", async () => {
    const [a, b, c] = [scripted("a", [fail()]), scripted("b", [fail()]), scripted("c", ["C."])];
    const client = fallbackClient([a, b, { client: c, models: { big: "large" } }]);
    const { events, finish } = play({ client, options: { model: "big" } }, { streamed });
    await finish();
    const models = [a, b, c].map(({ requests }) => requests[0]?.options.model);
    expect(models).toEqual(["big", undefined, "large"]);
    expect(noticeTexts(events).filter((text) => text.includes("model"))).toEqual([
      '"b" is asked for its default model, not for "big".',
      '"c" is asked for the model "large", not for "big".',
    ]);
  });
});

describe("after something was streamed", () => {
  const clients = () => [scripted("a", [cut("Half an")]), scripted("b", ["Whole."])] as const;

  it("the failure goes out", async () => {
    const [a, b] = clients();
    const { failure } = play({ client: fallbackClient([a, b]) }, { streamed: true });
    expect(await failure()).toMatchObject({ code: "overloaded" });
    expect(b.requests).toEqual([]);
  });

  it("the next is asked with `afterUpdates`, and what was seen is taken back first", async () => {
    const updates: Update[] = [];
    const client = fallbackClient(clients(), { afterUpdates: true });
    await client.getResponse({ ...request(), onUpdate: (update) => void updates.push(update) });
    const id = (update?: Update) => update?.type === "delta" && update.messageId;
    const seen = id(updates[0]);
    expect(updates.map(({ type }) => type)).toEqual([
      "delta",
      "retract",
      "delta",
      "delta",
      "finish",
    ]);
    expect(updates[1]).toEqual({ type: "retract", messageIds: [seen] });
    expect(id(updates[2])).not.toBe(seen);
  });

  it("a client that has taken everything back itself has sent nothing", async () => {
    const tidy: ChatClient = {
      metadata: { provider: "tidy" },
      async getResponse({ onUpdate }) {
        await onUpdate?.({ type: "delta", messageId: "m", role: "assistant", contents: [] });
        await onUpdate?.({ type: "retract", messageIds: ["m"] });
        throw busy();
      },
    };
    const client = fallbackClient([tidy, scripted("b", ["B."])]);
    expect((await askBare(client, request(), true)).messages).toHaveLength(1);
  });

  it("what a client still sends after it has failed goes nowhere", async () => {
    let late: () => unknown = () => {};
    const careless: ChatClient = {
      metadata: { provider: "careless" },
      async getResponse({ onUpdate }) {
        late = () => onUpdate?.({ type: "delta", messageId: "m", role: "assistant", contents: [] });
        throw busy();
      },
    };
    const b = scripted("b", [
      () => {
        late();
        return "B.";
      },
    ]);
    expect((await askBare(fallbackClient([careless, b]), request(), true)).messages).toHaveLength(
      1,
    );
  });

  it("the failure of the consumer is no failure of the service", async () => {
    const b = scripted("b", ["B."]);
    const client = fallbackClient([scripted("a", ["A."]), b], { afterUpdates: true });
    const error = new Error("the page is gone");
    const asked = { ...request(), onUpdate: () => Promise.reject(error) };
    expect(await rejection(client.getResponse(asked))).toBe(error);
    expect(b.requests).toEqual([]);
  });
});

describe("what is handed on", () => {
  it("is the run, the signal, and the options themselves", async () => {
    const seen: unknown[] = [];
    const a: ChatClient = {
      metadata: { provider: "a" },
      async getResponse(asked) {
        seen.push(asked.run?.id, asked.signal, asked.options, asked.messages);
        throw busy();
      },
    };
    const b = scripted("b", ["B."]);
    const { signal } = new AbortController();
    const options = { maxTokens: 3 };
    const messages = [hi];
    await fallbackClient([a, b]).getResponse({ messages, options, signal });
    expect(seen).toEqual([undefined, signal, options, messages]);
    expect(seen[2]).toBe(options);
    expect(b.requests[0]?.options).toBe(options);
    const runs: string[] = [];
    await new Agent({ client: fallbackClient([a, scripted("b", ["B."])]) }).run("go", {
      onEvent: ({ runId }) => void runs.push(runId),
    });
    expect(runs).toContain(seen[4]);
  });

  it("is the metadata of the first", () => {
    const a = scripted("a", []);
    expect(fallbackClient([a, scripted("b", [])]).metadata).toBe(a.metadata);
  });
});
