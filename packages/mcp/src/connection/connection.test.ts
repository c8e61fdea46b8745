import { describe, expect, it } from "vitest";
import type { McpClient } from "../client/mcp-client.js";
import { McpError } from "../mcp-error.js";
import { Connection } from "./connection.js";

const unused = () => Promise.reject(new Error("not needed here"));

function fakeClient(closes: string[], name: string): McpClient {
  return {
    server: { name, version: "1", capabilities: {} },
    request: unused,
    listTools: unused,
    callTool: unused,
    notify: unused,
    async close() {
      closes.push(name);
    },
  };
}

/** A connection whose openings are answered by hand. */
function setUp() {
  const openings: {
    closed: () => void;
    signal: AbortSignal;
    resolve: (client: McpClient) => void;
    reject: (error: unknown) => void;
  }[] = [];
  const closes: string[] = [];
  let time = 0;
  const connection = new Connection({
    name: "s",
    connectTimeoutMs: 60_000,
    now: () => time,
    open: (closed, signal) =>
      new Promise((resolve, reject) => openings.push({ closed, signal, resolve, reject })),
  });
  return {
    openings,
    closes,
    connection,
    client: (name: string) => fakeClient(closes, name),
    pass(ms: number) {
      time += ms;
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a connection", () => {
  it("is opened once for all who wait", async () => {
    const { openings, connection, client } = setUp();
    const both = Promise.all([connection.acquire(), connection.acquire()]);
    const first = client("first");
    openings[0]?.resolve(first);
    expect(await both).toEqual([first, first]);
    expect(await connection.acquire()).toBe(first);
    expect(openings).toHaveLength(1);
  });

  it("goes on for others when one stops waiting", async () => {
    const { openings, connection, client } = setUp();
    const controller = new AbortController();
    const one = connection.acquire(controller.signal);
    const other = connection.acquire();
    controller.abort("enough");
    await expect(one).rejects.toBe("enough");
    expect(openings[0]?.signal.aborted).toBe(false);
    openings[0]?.resolve(client("first"));
    await expect(other).resolves.toBeDefined();
  });

  it("is given up when nobody waits any more, and begun anew for the next", async () => {
    const { openings, closes, connection, client } = setUp();
    const controller = new AbortController();
    const one = connection.acquire(controller.signal);
    controller.abort("enough");
    await expect(one).rejects.toBe("enough");
    expect(openings[0]?.signal.aborted).toBe(true);
    const next = connection.acquire();
    openings[0]?.resolve(client("late"));
    openings[1]?.resolve(client("second"));
    expect((await next).server.name).toBe("second");
    await turn();
    expect(closes).toEqual(["late"]);
  });

  it("is opened again after it has ended", async () => {
    const { openings, connection, client } = setUp();
    const first = connection.acquire();
    openings[0]?.resolve(client("first"));
    await first;
    openings[0]?.closed();
    expect(connection.current).toBeUndefined();
    const second = connection.acquire();
    openings[1]?.resolve(client("second"));
    expect((await second).server.name).toBe("second");
    // What ended before says nothing about what is open now.
    openings[0]?.closed();
    expect(connection.current?.server.name).toBe("second");
  });

  it("is left alone for a while after three failures, unless it has served meanwhile", async () => {
    const { openings, connection, client, pass } = setUp();
    async function fail(): Promise<void> {
      const asked = connection.acquire();
      openings.at(-1)?.reject(new Error("down"));
      await expect(asked).rejects.toThrow("down");
    }
    await fail();
    await fail();
    const served = connection.acquire();
    openings.at(-1)?.resolve(client("up"));
    await served;
    connection.succeeded();
    openings.at(-1)?.closed();
    for (let time = 0; time < 3; time++) await fail();
    const before = openings.length;
    await expect(connection.acquire()).rejects.toThrow(/3 times in a row.*down/);
    expect(openings).toHaveLength(before);
    pass(10_000);
    await fail();
  });

  it("cannot be used after it was closed, and closes what is open or opens late", async () => {
    const { openings, closes, connection, client } = setUp();
    const waiting = connection.acquire();
    const closing = connection.close();
    await expect(waiting).rejects.toMatchObject({ code: "mcp_closed" });
    openings[0]?.resolve(client("late"));
    await closing;
    expect(closes).toEqual(["late"]);
    await expect(connection.acquire()).rejects.toBeInstanceOf(McpError);
  });

  it("is closed in whatever turn it opens, and not before that", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { openings, closes, connection, client } = setUp();
      const waiting = connection.acquire().catch(() => {});
      openings[0]?.resolve(client("late"));
      for (let each = 0; each < turns; each++) await Promise.resolve();
      await connection.close();
      expect(closes).toEqual(["late"]);
      expect(connection.current).toBeUndefined();
      await waiting;
    }
  });
});
