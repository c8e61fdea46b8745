import { afterEach, beforeEach, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { chunk, completion, request } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeEach(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterEach(() => server.stop());

/** A controller that counts the listeners on its signal. */
function countedController(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  const kept = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: never, options?: never) => {
    kept.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: never, options?: never) => {
    kept.delete(listener);
    remove(type, listener, options);
  };
  return { controller, listeners: () => kept.size };
}

it("rejects with the reason itself, closes the connection and shows nothing more", async () => {
  const { controller, listeners } = countedController();
  const reason = { not: "an error" };
  server.reply({ chunks: [chunk({ content: "one" }), chunk({ content: "two" })], end: "never" });
  let shown = 0;
  const asked = client.getResponse({
    ...request(),
    signal: controller.signal,
    onUpdate: () => {
      shown++;
      controller.abort(reason);
    },
  });
  await expect(asked).rejects.toBe(reason);
  await server.closedByClient;
  expect(shown).toBe(1);
  expect(listeners()).toBe(0);
});

it("rejects while a consumer holds it up", async () => {
  const controller = new AbortController();
  server.reply({ chunks: [chunk({ content: "one" })], end: "never" });
  const asked = client.getResponse({
    ...request(),
    signal: controller.signal,
    onUpdate: () => {
      controller.abort("enough");
      return new Promise(() => {});
    },
  });
  await expect(asked).rejects.toBe("enough");
});

it("rejects while the service is silent", async () => {
  const controller = new AbortController();
  server.reply({ chunks: [], end: "never", headers: { "content-type": "application/json" } });
  const asked = client.getResponse({ ...request(), signal: controller.signal });
  const checked = expect(asked).rejects.toBe("enough");
  while (server.requests.length === 0) await new Promise(setImmediate);
  controller.abort("enough");
  await checked;
});

it("asks nothing under a signal that is aborted already", async () => {
  const asked = client.getResponse({ ...request(), signal: AbortSignal.abort("late") });
  await expect(asked).rejects.toBe("late");
  expect(server.requests).toHaveLength(0);
});

it("leaves no listener on a signal that never aborts", async () => {
  const { controller, listeners } = countedController();
  const { signal } = controller;
  server.reply(
    { body: completion({ content: "ok" }) },
    { chunks: [chunk({ content: "ok" }, "stop")] },
    { status: 500, body: {} },
  );
  await client.getResponse({ ...request(), signal });
  await client.getResponse({ ...request(), signal, onUpdate: () => {} });
  await expect(client.getResponse({ ...request(), signal })).rejects.toThrow();
  expect(listeners()).toBe(0);
});

it("waits for the consumer before it shows the next piece", async () => {
  server.reply({
    chunks: [chunk({ content: "one" }), chunk({ content: "two" }), chunk({}, "stop")],
  });
  const order: string[] = [];
  await client.getResponse({
    ...request(),
    onUpdate: async (update) => {
      order.push(`begin ${update.type}`);
      await new Promise(setImmediate);
      order.push(`end ${update.type}`);
    },
  });
  expect(order).toEqual(
    ["delta", "delta", "finish"].flatMap((type) => [`begin ${type}`, `end ${type}`]),
  );
});
