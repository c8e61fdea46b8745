import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventLog, EventLogs, eventBytes } from "./event-logs.js";

const message = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: text });

async function after(log: EventLog, id: string): Promise<string[]> {
  const sent: string[] = [];
  await log.replayEventsAfter(id, {
    send: async (_id, replayed) => void sent.push("method" in replayed ? replayed.method : ""),
  });
  return sent;
}

describe("EventLogs", () => {
  it("gives a stream the rest of what it was sent, and nothing of other streams and sessions", async () => {
    const step = fc.record({ session: fc.nat(1), stream: fc.constantFrom("a", "b") });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1 }), async (steps) => {
        const logs = new EventLogs(1_000_000);
        const [first, second] = [logs.open(), logs.open()];
        const logOf = (session: number) => (session === 0 ? first : second);
        const stored: { id: string; session: number; stream: string; text: string }[] = [];
        for (const [index, { session, stream }] of steps.entries()) {
          const id = await logOf(session).storeEvent(stream, message(`m${index}`));
          stored.push({ id, session, stream, text: `m${index}` });
        }
        for (const [index, { id, session, stream }] of stored.entries()) {
          const own = logOf(session);
          const other = logOf(1 - session);
          expect(await own.getStreamIdForEventId?.(id)).toBe(stream);
          expect(await other.getStreamIdForEventId?.(id)).toBeUndefined();
          const rest = stored
            .slice(index + 1)
            .filter((each) => each.session === session && each.stream === stream);
          expect(await after(own, id)).toEqual(rest.map(({ text }) => text));
        }
      }),
    );
  });

  it("keeps so much in all, and forgets the oldest first", async () => {
    const size = eventBytes + Buffer.byteLength(JSON.stringify(message("m0")));
    const logs = new EventLogs(3 * size);
    const [first, second] = [logs.open(), logs.open()];
    const ids: string[] = [];
    for (const [index, log] of [first, first, second, first, second].entries()) {
      ids.push(await log.storeEvent("a", message(`m${index}`)));
    }
    const known = async (log: EventLog) =>
      (await Promise.all(ids.map(async (id) => log.getStreamIdForEventId?.(id)))).map(Boolean);
    expect(await known(first)).toEqual([false, false, false, true, false]);
    expect(await known(second)).toEqual([false, false, true, false, true]);
    second.forget();
    expect(await known(second)).toEqual([false, false, false, false, false]);
    await first.storeEvent("a", message("m5"));
    await first.storeEvent("a", message("m6"));
    expect(await known(first)).toEqual([false, false, false, true, false]);
  });

  it("counts what an event takes beside its message, however small that is", async () => {
    const log = new EventLogs(10 * 1024).open();
    const ids: string[] = [];
    for (let count = 0; count < 1000; count++) ids.push(await log.storeEvent("a", {} as never));
    const known = await Promise.all(ids.map((id) => log.getStreamIdForEventId?.(id)));
    const kept = known.filter((stream) => stream !== undefined);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(30);
  });

  it("does not keep what is larger than all that it may keep", async () => {
    const log = new EventLogs(1000).open();
    const id = await log.storeEvent("a", message("x".repeat(1000)));
    expect(await log.getStreamIdForEventId?.(id)).toBeUndefined();
  });
});
