import { getEventListeners, once } from "node:events";
import { type ChatRequest, streamResponse, type Update } from "@tunic/core";
import { describe, expect, test } from "vitest";

import { answer, message, stop } from "./build.js";
import { asText, cut, failure, openStream, streamed, whole, wireServer } from "./wire-server.js";

const ask = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [message("user", "hi")],
  options: {},
  ...over,
});
const hello = stop([{ text: "hello" }]);
const beginning = asText([answer([{ text: "hel" }])]);

describe("an abort", () => {
  /** A server that answers with what it is given and then says nothing more. */
  async function silentServer(text?: string) {
    let reached = (): void => {};
    let left = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const closed = new Promise<void>((resolve) => {
      left = resolve;
    });
    const server = await wireServer((response) => {
      response.on("close", left);
      if (text !== undefined) {
        openStream(response);
        response.write(text);
      }
      reached();
    });
    return { server, arrived, closed };
  }

  test.each([
    ["whole", undefined],
    ["streamed", (): void => {}],
  ])(
    "of a %s answer rejects with its own reason; the server sees the close",
    async (_, onUpdate) => {
      const { server, arrived, closed } = await silentServer();
      await using _server = server;
      const controller = new AbortController();
      const work = server
        .client()
        .getResponse(ask({ signal: controller.signal, ...(onUpdate && { onUpdate }) }));
      await arrived;
      const reason = { why: "enough" };
      controller.abort(reason);
      await expect(work).rejects.toBe(reason);
      await closed;
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    },
  );

  test("in the middle of a stream, whose consumer is slow", async () => {
    const { server, closed } = await silentServer(beginning);
    await using _server = server;
    const controller = new AbortController();
    const updates: Update[] = [];
    const work = server.client().getResponse(
      ask({
        signal: controller.signal,
        onUpdate(update) {
          updates.push(update);
          controller.abort("enough");
          return new Promise(() => {});
        },
      }),
    );
    await expect(work).rejects.toBe("enough");
    await closed;
    expect(updates).toHaveLength(1);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  test("sends no update after it, not even of what has come in already", async () => {
    const chunks = [answer([{ text: "one " }]), answer([{ text: "two" }]), stop()];
    await using server = await wireServer(streamed(asText(chunks)));
    const controller = new AbortController();
    const updates: Update[] = [];
    const onUpdate = (update: Update): void => {
      updates.push(update);
      controller.abort("enough");
    };
    const work = server.client().getResponse(ask({ signal: controller.signal, onUpdate }));
    await expect(work).rejects.toBe("enough");
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(updates).toHaveLength(1);
  });

  test("before the request sends none", async () => {
    await using server = await wireServer(whole(hello));
    await expect(
      server.client().getResponse(ask({ signal: AbortSignal.abort("no") })),
    ).rejects.toBe("no");
    expect(server.bodies).toEqual([]);
  });

  test("B11: leaving the stream early reaches the server", async () => {
    const { server, closed } = await silentServer(beginning);
    await using _server = server;
    const stream = streamResponse(server.client(), ask());
    stream.response.catch(() => {});
    for await (const update of stream) {
      expect(update).toMatchObject({ type: "delta" });
      break;
    }
    await closed;
  });

  test.each([
    ["success", whole(hello)],
    ["failure", failure(400, "INVALID_ARGUMENT")],
    ["a streamed success", streamed(asText([hello]))],
    ["a cut stream", cut(beginning)],
  ])("leaves no listener behind after %s", async (name, reply) => {
    await using server = await wireServer(reply);
    const { signal } = new AbortController();
    const onUpdate = (): void => {};
    await server
      .client()
      .getResponse(ask({ signal, ...(/stream/.test(name) && { onUpdate }) }))
      .catch(() => {});
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

test("updates are sent as they come, one by one, and wait for a slow consumer", async () => {
  const texts = ["one ", "two ", "three"];
  const [first, second, third] = [0, 1, 2].map(() => new EventTarget());
  const gates = [first, second, third];
  await using server = await wireServer(async (response) => {
    openStream(response);
    for (const [at, text] of texts.entries()) {
      response.write(asText([answer([{ text }])]));
      // The next piece leaves only when the one before it has been seen.
      const gate = gates[at];
      if (gate) await once(gate, "seen");
    }
    response.write(asText([stop()]));
    response.end();
  });
  const seen: string[] = [];
  await server.client().getResponse(
    ask({
      onUpdate(update) {
        if (update.type !== "delta") return;
        gates[seen.length]?.dispatchEvent(new Event("seen"));
        seen.push(
          ...update.contents.map((content) => (content.type === "text" ? content.text : "")),
        );
      },
    }),
  );
  expect(seen).toEqual(texts);
});

test("a consumer that throws: the connection is closed", async () => {
  let left = (): void => {};
  const closed = new Promise<void>((resolve) => {
    left = resolve;
  });
  await using server = await wireServer((response) => {
    response.on("close", left);
    openStream(response);
    response.write(beginning);
  });
  const work = server.client().getResponse(
    ask({
      onUpdate() {
        throw new Error("enough");
      },
    }),
  );
  await expect(work).rejects.toThrow("enough");
  await closed;
});
