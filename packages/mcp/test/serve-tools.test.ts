import {
  type Content,
  dataContent,
  type JsonValue,
  type ToolInput,
  textContent,
  tool,
  uriContent,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type ServeOptions, serveTools } from "../src/server.js";
import { serve } from "./support/served.js";
import { add, wipe } from "./support/served-tools.js";

function returning(value: unknown) {
  return tool({ name: "go", description: "", parameters: {}, execute: () => value });
}

describe("served tools", () => {
  it("are listed with their schema, and with what they say of themselves", async () => {
    await using pair = await serve([add, wipe]);
    const { tools } = await pair.client.listTools();
    expect(tools).toMatchObject([
      {
        name: "add",
        title: "Addition",
        description: "Adds.",
        inputSchema: { type: "object", required: ["a", "b"] },
        annotations: { readOnlyHint: true },
      },
      { name: "wipe", annotations: { destructiveHint: true } },
    ]);
  });

  it("are called", async () => {
    await using pair = await serve([add]);
    expect(await pair.call("add", { a: 2, b: 3 })).toEqual({ text: "5", isError: false });
  });

  it("give text, images, sound, links and other bytes as the protocol has them", async () => {
    const contents: readonly Content[] = [
      textContent("a", { additionalProperties: { secret: "kept here" } }),
      dataContent("AAAA", "image/png"),
      dataContent("AAAA", "audio/wav"),
      dataContent("AAAA", "application/pdf", { name: "a b.pdf" }),
      uriContent("https://x.example/y/report.pdf?z", "application/pdf"),
    ];
    await using pair = await serve(returning(contents));
    const { content } = await pair.client.callTool({ name: "go" });
    expect(content).toEqual([
      { type: "text", text: "a" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      {
        type: "resource",
        resource: { uri: "attachment:///a%20b.pdf", mimeType: "application/pdf", blob: "AAAA" },
      },
      {
        type: "resource_link",
        uri: "https://x.example/y/report.pdf?z",
        name: "report.pdf",
        mimeType: "application/pdf",
      },
    ]);
  });

  it("fail with isError, and say no more than a model would be told", async () => {
    const failing = tool({
      name: "go",
      description: "",
      parameters: {},
      execute: () => {
        throw new Error("password is hunter2");
      },
    });
    await using pair = await serve(failing);
    const { text, isError } = await pair.call("go");
    expect(isError).toBe(true);
    expect(text).not.toContain("hunter2");
  });

  it("do not run with arguments that do not fit", async () => {
    await using pair = await serve([add]);
    const { text, isError } = await pair.call("add", { a: "x" });
    expect(isError).toBe(true);
    expect(text).toContain("b");
  });

  it("are the only ones: another name is an error of the protocol", async () => {
    await using pair = await serve([add]);
    await expect(pair.call("sub")).rejects.toMatchObject({ code: -32602 });
    await expect(pair.call("__proto__")).rejects.toMatchObject({ code: -32602 });
  });

  it("are not brought down by arguments that are nested too deeply", async () => {
    await using pair = await serve([add]);
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 5000; depth++) deep = [deep];
    const answer = pair.call("add", { a: deep, b: 1 }).then(({ isError }) => isError);
    expect(await answer.catch(() => true)).toBe(true);
    expect((await pair.call("add", { a: 1, b: 1 })).text).toBe("2");
  });

  it("may change, and clients are told", async () => {
    let tools: ToolInput = [add];
    await using pair = await serve(() => tools);
    const told = new Promise<void>((resolve) => {
      pair.client.fallbackNotificationHandler = async ({ method }) => {
        if (method === "notifications/tools/list_changed") resolve();
      };
    });
    tools = [returning("went")];
    await expect(pair.call("add", { a: 1, b: 1 })).rejects.toMatchObject({ code: -32602 });
    await pair.server.toolsChanged();
    await told;
    expect((await pair.client.listTools()).tools.map(({ name }) => name)).toEqual(["go"]);
    expect((await pair.call("go")).text).toBe("went");
  });

  it("stop when the call is cancelled", async () => {
    let stopped: (() => void) | undefined;
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const controller = new AbortController();
    const slow = tool({
      name: "slow",
      description: "",
      parameters: {},
      execute: (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => stopped?.());
          controller.abort();
        }),
    });
    await using pair = await serve(slow);
    await expect(pair.call("slow", {}, controller.signal)).rejects.toThrow();
    await isStopped;
    expect(pair.errors).toEqual([]);
  });

  it("stop when the server closes", async () => {
    let began: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve;
    });
    let stopped: (() => void) | undefined;
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const slow = tool({
      name: "slow",
      description: "",
      parameters: {},
      execute: (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => stopped?.());
          began?.();
        }),
    });
    await using pair = await serve(slow);
    const call = pair.call("slow").catch(() => "ended");
    await hasBegun;
    await pair.server.close();
    await isStopped;
    await pair.server.closed;
    await pair.client.close();
    expect(await call).toBe("ended");
  });

  it("tell how far they are, where the client wants to know", async () => {
    const told: unknown[] = [];
    const steps = tool({
      name: "steps",
      description: "",
      parameters: {},
      execute: async (_input, context) => {
        await context.reportProgress("one");
        await context.reportProgress("two");
        return "done";
      },
    });
    await using pair = await serve(steps);
    await pair.client.callTool({ name: "steps" }, undefined, {
      onprogress: ({ progress, message }) => told.push([progress, message]),
    });
    expect(told).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("are not run more than so many at a time", async () => {
    let release: ((value: string) => void) | undefined;
    let began: (() => void) | undefined;
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const wait = tool({
      name: "wait",
      description: "",
      parameters: {},
      execute: () =>
        new Promise<string>((resolve) => {
          release = resolve;
          began?.();
        }),
    });
    await using pair = await serve(wait, { maxConcurrentCalls: 1 });
    const first = pair.call("wait");
    await hasBegun;
    expect(await pair.call("wait")).toMatchObject({ isError: true });
    release?.("went");
    expect(await first).toEqual({ text: "went", isError: false });
  });

  it.each([
    ["a tool without a function", tool({ name: "x", description: "", parameters: {} })],
    [
      "a name that clients cannot say",
      tool({ name: "a b", description: "", parameters: {}, execute: () => 1 }),
    ],
  ])("refuse %s", async (_what, wrong) => {
    await expect(serveTools(wrong, { transport: { http: {} } })).rejects.toThrow(TypeError);
  });

  it.each([
    [{ transport: "tcp" }],
    [{ transport: { http: {} }, approvals: "allow" }],
    [{ transport: { http: {} }, aprovals: "refuse" }],
    [{ transport: { http: { port: -1 } } }],
    [{ transport: { http: { allowedOrigins: ["null"] } } }],
    [{ transport: { http: { allowedOrigins: ["https://x.example/path"] } } }],
    [{ transport: {} }],
    [{ transport: { http: undefined } }],
    [{ transport: { http: { auth: null } } }],
    [{ transport: { http: { auth: {} } } }],
    [{ transport: { http: { auth: { bearer: "0123456789abcdef", basic: { mara: "x" } } } } }],
    [{ transport: { http: {}, stdio: {} } }],
    [{ transport: { http: {} }, principal: "mara" }],
  ])("refuse the options %j", async (options) => {
    await expect(serveTools(add, options as never)).rejects.toThrow(TypeError);
  });

  const secret = "0123456789abcdef";
  it.each([
    [{ transport: { http: {}, auth: { bearer: secret } } }],
    [{ transport: { http: { atuh: { bearer: secret } } } }],
    [{ transport: { http: { auth: { bearer: secret, roles: [] } } } }],
    [
      {
        transport: { http: { auth: { bearer: [{ secret, principal: { id: "a" }, roles: [] }] } } },
      },
    ],
    [{ transport: { stdio: { input: process.stdin, output: process.stdout, log: 1 } } }],
    [{ transport: { http: {} }, invocation: { includeDetailedError: true } }],
  ])("refuse what no option is called like, without telling secrets: %j", async (options) => {
    const refused = await serveTools(add, options as never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unknown_option" });
    expect(String(refused)).not.toContain(secret);
  });
});

describe("what tools are served with", () => {
  const http = {};
  it.each([
    ["an option beside the transport's", { transport: { http, port: 3000 } }, "port"],
    ["two transports", { transport: { http, stdio: {} } }, "transport"],
    ["a principal that is none", { transport: { http }, principal: "mara" }, "principal"],
    ["a principal without an id", { transport: { http }, principal: {} }, "principal"],
  ])("is not %s", async (_what, options, named) => {
    await expect(serveTools(add, options as unknown as ServeOptions)).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(named),
    });
  });

  it("may leave one transport undefined", async () => {
    const transport = { http, stdio: undefined };
    await using server = await serveTools(add, { transport } as ServeOptions);
    expect(server.url).toBeDefined();
  });
});
