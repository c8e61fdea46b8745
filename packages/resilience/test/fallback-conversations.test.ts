import {
  type ChatClient,
  ChatClientError,
  type Content,
  type Message,
  textContent,
  tool,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { fallbackClient } from "../src/index.js";
import {
  askBare,
  bothManners,
  busy,
  noticesOf,
  play,
  rejection,
  request,
  scripted,
} from "./support.js";

const act = tool({ name: "act", execute: () => "done" });
const calls = [{ name: "act" }];
const fail = { error: busy({ retryAfterMs: 7, status: 529 }) };
const idsOf = ({ requests }: ReturnType<typeof scripted>) =>
  requests.map(({ options }) => options.conversationId);

/** A conversation that the service of one client holds, and that no other knows. */
describe.each(bothManners)("a conversation with an id ($manner)", ({ streamed }) => {
  it("goes on with the client that gave the id, which gets its own id back", async () => {
    const a = scripted("a", [{ text: "A.", conversationId: "c1" }, "A again."]);
    const client = fallbackClient([a, scripted("b", [])]);
    const { conversationId } = await askBare(client, request(), streamed);
    expect(conversationId).toBe("a:c1");
    await askBare(client, request({ conversationId }), streamed);
    expect(idsOf(a)).toEqual([undefined, "c1"]);
  });

  it("goes on with a later client where that one gave the id", async () => {
    const a = scripted("a", [fail]);
    const b = scripted("b", [{ text: "B.", conversationId: "c1" }, "B again."]);
    const client = fallbackClient([a, b]);
    const { conversationId } = await askBare(client, request(), streamed);
    expect(conversationId).toBe("b:c1");
    await askBare(client, request({ conversationId, maxTokens: 3 }), streamed);
    expect(a.requests).toHaveLength(1);
    expect(b.requests[1]?.options).toEqual({ conversationId: "c1", maxTokens: 3 });
  });

  it("is the first one's, where the id has no name before it", async () => {
    const a = scripted("a", ["A."]);
    const client = fallbackClient([a, scripted("b", [])]);
    await askBare(client, request({ conversationId: "conv:1" }), streamed);
    expect(idsOf(a)).toEqual(["conv:1"]);
  });

  it("finds its way through fallbacks inside fallbacks of the same names", async () => {
    const [a, b] = [
      scripted("a", [fail]),
      scripted("b", [{ text: "B.", conversationId: "c" }, "."]),
    ];
    const spare = scripted("b", []);
    const client = fallbackClient([fallbackClient([a, b]), spare]);
    const { conversationId } = await askBare(client, request(), streamed);
    expect(conversationId).toBe("a:b:c");
    await askBare(client, request({ conversationId }), streamed);
    expect([idsOf(b), spare.requests]).toEqual([[undefined, "c"], []]);
  });

  it("is not taken elsewhere where the messages may not be all of it", async () => {
    const b = scripted("b", ["B."]);
    const client = fallbackClient([scripted("a", [fail]), b]);
    const asked = askBare(client, request({ conversationId: "a:c1" }), streamed);
    const error = await rejection(asked);
    expect(error).toBeInstanceOf(ChatClientError);
    expect(error).toMatchObject({
      code: "overloaded",
      status: 529,
      retryable: true,
      retryAfterMs: 7,
      cause: fail.error,
    });
    expect(String(error)).toContain("send the whole history without conversationId");
    expect(b.requests).toEqual([]);
  });

  it("is taken elsewhere, without its id, where it began in the same run", async () => {
    const a = scripted("a", [{ calls, conversationId: "c1" }, fail]);
    const b = scripted("b", ["B."]);
    const { events, finish } = play({ client: fallbackClient([a, b]), tools: [act] }, { streamed });
    const response = await finish();
    expect(response.text).toBe("B.");
    expect(idsOf(a)).toEqual([undefined, "c1"]);
    expect(idsOf(b)).toEqual([undefined]);
    expect(b.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(noticesOf(events)).toEqual(["model_fallback", "conversation_left"]);
    // Nobody may go on from where the first one was: it does not know the rest.
    expect(response.conversationId).toBe("b:");
  });

  it("once taken elsewhere, begins with the first client again, without an id", async () => {
    const a = scripted("a", [{ calls, conversationId: "c1" }, fail, "A."]);
    const b = scripted("b", [{ calls }]);
    const { finish } = play({ client: fallbackClient([a, b]), tools: [act] }, { streamed });
    const response = await finish();
    expect(response.text).toBe("A.");
    expect(idsOf(a)).toEqual([undefined, "c1", undefined]);
    expect(a.requests[2]?.messages).toHaveLength(5);
  });

  it("is not taken elsewhere where its calls got other ids than the service knows", async () => {
    const same = (text: string) => ({ text, calls: [{ name: "act", id: "1" }] });
    const a = scripted("a", [same("x"), { ...same("y"), conversationId: "c1" }, fail]);
    const b = scripted("b", ["B."]);
    const { failure } = play({ client: fallbackClient([a, b]), tools: [act] }, { streamed });
    expect(String(await failure())).toContain("are not the whole of it");
    expect(b.requests).toEqual([]);
  });

  it("costs a round what is new in it: what was said before is not read again", async () => {
    let reads = 0;
    const watched = new Proxy<Message>(
      { id: "first", role: "assistant", createdAt: 0, contents: [callOf("1")] },
      {
        get(target, key, receiver): unknown {
          reads++;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    const readsByRound: number[] = [];
    const a: ChatClient = {
      metadata: { provider: "a" },
      async getResponse() {
        const round = readsByRound.push(reads);
        const contents = round < 6 ? [callOf(`${round}`)] : [textContent("A.")];
        const message = { id: `${round}`, role: "assistant", createdAt: 0, contents } as const;
        const conversationId = `c${round}`;
        return { messages: [round === 1 ? watched : message], conversationId };
      },
    };
    const client = fallbackClient([a, scripted("b", [])]);
    const { finish } = play({ client, tools: [act] }, { streamed });
    expect((await finish()).text).toBe("A.");
    expect(new Set(readsByRound.slice(2)).size).toBe(1);
  });

  it("that nobody holds any more is refused, before anybody is asked", async () => {
    const [a, b] = [scripted("a", ["A."]), scripted("b", ["B."])];
    const client = fallbackClient([a, b]);
    const asked = askBare(client, request({ conversationId: "b:" }), streamed);
    expect(await rejection(asked)).toMatchObject({ code: "conversation_lost" });
    expect([...a.requests, ...b.requests]).toEqual([]);
  });

  it("in one run is not known in another", async () => {
    const a = scripted("a", [{ text: "A.", conversationId: "c1" }, fail]);
    const b = scripted("b", ["B."]);
    const client = fallbackClient([a, b]);
    const { conversationId } = await play({ client }, { streamed }).finish();
    const options = conversationId === undefined ? {} : { conversationId };
    const { failure } = play({ client, options }, { streamed });
    expect(String(await failure())).toContain("are not the whole of it");
    expect(b.requests).toEqual([]);
  });

  it("of a later client may come back to the first, for its own model and without an id", async () => {
    const a = scripted("a", [fail, "A."]);
    const b = scripted("b", [{ calls, conversationId: "c1" }, fail]);
    const { finish } = play(
      { client: fallbackClient([a, b]), tools: [act], options: { model: "big" } },
      { streamed },
    );
    expect((await finish()).conversationId).toBe("a:");
    expect(a.requests[1]?.options).toMatchObject({ model: "big" });
    expect(idsOf(a)).toEqual([undefined, undefined]);
    expect(idsOf(b)).toEqual([undefined, "c1"]);
  });
});

function callOf(callId: string): Content {
  return { type: "function_call", callId, name: "act", arguments: {} };
}
