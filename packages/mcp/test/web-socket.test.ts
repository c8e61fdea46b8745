import { afterEach, describe, expect, it, vi } from "vitest";
import { mcpTools } from "../src/index.js";

/** A socket to a server inside this process: Node 20 has none, and what matters here is what is said over it. */
class LocalSocket {
  static opened: LocalSocket[] = [];
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  readonly url: string;
  readonly protocol: string;

  constructor(url: string | URL, protocol: string) {
    this.url = String(url);
    this.protocol = protocol;
    LocalSocket.opened.push(this);
    queueMicrotask(() => this.onopen?.());
  }

  send(data: string): void {
    const { id, method, params } = JSON.parse(data);
    if (id === undefined) return;
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "socket", version: "1" },
      },
      "tools/list": { tools: [{ name: "go", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "over a socket" }] },
    };
    const answer = { jsonrpc: "2.0", id, result: results[method] };
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(answer) }));
  }

  close(): void {
    queueMicrotask(() => this.onclose?.());
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  LocalSocket.opened = [];
});

describe("a server behind a WebSocket", () => {
  it("is called, and connected to again after it has hung up", async () => {
    vi.stubGlobal("WebSocket", LocalSocket);
    await using mcp = mcpTools("wss://tide.example.com/mcp?key=1", { name: "s" });
    const { tools } = await mcp.connect();
    expect(await tools[0]?.invoke({})).toMatchObject({ contents: [{ text: "over a socket" }] });
    LocalSocket.opened[0]?.onclose?.();
    expect(await tools[0]?.invoke({})).toMatchObject({ contents: [{ text: "over a socket" }] });
    expect(LocalSocket.opened.map(({ url, protocol }) => [url, protocol])).toEqual([
      ["wss://tide.example.com/mcp?key=1", "mcp"],
      ["wss://tide.example.com/mcp?key=1", "mcp"],
    ]);
  });

  it("cannot be reached where there are none, and says what to do", async () => {
    vi.stubGlobal("WebSocket", undefined);
    await using mcp = mcpTools("ws://tide.example.com/mcp");
    await expect(mcp.connect()).rejects.toThrow(/Node 22/);
  });
});
