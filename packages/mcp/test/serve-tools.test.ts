import {
  Agent,
  agentMiddleware,
  approve,
  type Content,
  dataContent,
  deny,
  endRun,
  functionMiddleware,
  type Principal,
  textContent,
  tool,
  toolResult,
  uriContent,
  verdictMiddleware,
} from "@tunic/core";
import { secureAgent } from "@tunic/security";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { serveTools } from "../src/server.js";
import { serve } from "./support/served.js";

const ran: string[] = [];
const add = tool({
  name: "add",
  title: "Addition",
  description: "Adds.",
  readOnly: true,
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }: { a: number; b: number }) => a + b,
});
const wipe = tool({
  name: "wipe",
  description: "Deletes a file.",
  destructive: true,
  approvalMode: "always_require",
  parameters: { type: "object", properties: { file: { type: "string" } } },
  execute: ({ file }: { file: string }) => {
    ran.push(file);
    return `wiped ${file}`;
  },
});

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

  it("may change, and clients are told", async () => {
    let tools = [add];
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
  ])("refuse the options %j", async (options) => {
    await expect(serveTools(add, options as never)).rejects.toThrow(TypeError);
  });
});

describe("the layers around served tools", () => {
  it("judge each call", async () => {
    const guard = verdictMiddleware("guard", async (context, next) =>
      context.arguments["a"] === 13 ? { kind: "deny", message: "Unlucky." } : next(),
    );
    await using pair = await serve(add, { middleware: [guard] });
    expect(await pair.call("add", { a: 13, b: 1 })).toMatchObject({ isError: true });
    expect(await pair.call("add", { a: 1, b: 1 })).toEqual({ text: "2", isError: false });
  });

  it("deny where one of them fails, and keep to themselves why", async () => {
    const broken = verdictMiddleware("broken", async () => {
      throw new Error("database password is hunter2");
    });
    await using pair = await serve(wipe, { middleware: [broken] });
    ran.length = 0;
    const answer = await pair.call("wipe", { file: "a" }).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).not.toContain("hunter2");
    expect(String(pair.errors[0])).toContain("broken");
    expect(ran).toEqual([]);
  });

  it("change arguments and results", async () => {
    const shout = functionMiddleware("shout", async (context, next) => {
      context.arguments = { ...context.arguments, b: 40 };
      const result = await next();
      return { ...result, contents: [...result.contents, textContent("!")] };
    });
    await using pair = await serve(add, { middleware: [shout] });
    expect((await pair.call("add", { a: 2, b: 3 })).text).toBe("42\n!");
  });

  it("may withhold what comes out", async () => {
    const secret = agentMiddleware("secret", async (_context, next) => {
      const response = await next();
      return response.with({ messages: [] });
    });
    await using pair = await serve(add, { middleware: [secret] });
    expect(await pair.call("add", { a: 1, b: 1 })).toEqual({
      text: "Error: The result is withheld.",
      isError: true,
    });
  });

  it("may end the call with a result", async () => {
    const early = functionMiddleware("early", async () =>
      endRun(toolResult({ contents: "cached" })),
    );
    await using pair = await serve(add, { middleware: [early] });
    expect(await pair.call("add", { a: 1, b: 1 })).toEqual({ text: "cached", isError: false });
  });

  it("see on whose behalf the call is made, and what services there are", async () => {
    const seen: unknown[] = [];
    const spy = functionMiddleware("spy", async (context, next) => {
      seen.push(context.run.principal, context.services["db"]);
      return next();
    });
    const principal: Principal = { id: "mara", roles: ["admin"] };
    await using pair = await serve(add, { middleware: [spy], principal, services: { db: 7 } });
    await pair.call("add", { a: 1, b: 1 });
    expect(seen).toEqual([principal, 7]);
  });

  it("count a call from outside as untrusted, unless it is said to be trusted", async () => {
    const note = tool({
      name: "note",
      description: "",
      parameters: { type: "object", properties: { text: { type: "string" } } },
      execute: () => "noted",
    });
    const flow = () =>
      secureAgent({
        tools: note,
        quarantine: false,
        policy: { version: 1, tools: { note: { effects: ["consequential"], result: "trusted" } } },
      });
    await using strict = await serve(note, { contextProviders: [flow()] });
    expect(await strict.call("note", { text: "x" })).toMatchObject({ isError: true });
    await using lax = await serve(note, { contextProviders: [flow()], trustCalls: true });
    expect(await lax.call("note", { text: "x" })).toEqual({ text: "noted", isError: false });
  });
});

describe("a served call that needs approval", () => {
  it("is refused, and says so", async () => {
    ran.length = 0;
    await using pair = await serve(wipe);
    const { text, isError } = await pair.call("wipe", { file: "a" });
    expect(text).toContain("needs somebody's approval");
    expect(isError).toBe(true);
    expect(ran).toEqual([]);
  });

  it("is refused where the client could ask, but is not to", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, {}, () => ({
      action: "accept",
      content: { approve: true },
    }));
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
  });

  it("runs once a function on this side has approved it", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, {
      principal: { id: "mara" },
      approvals: async (request, { principal }) =>
        principal?.id === "mara" && request.call.arguments?.["file"] === "a"
          ? approve(request)
          : deny(request, { reason: "Not that one." }),
    });
    expect(await pair.call("wipe", { file: "a" })).toEqual({ text: "wiped a", isError: false });
    const { text, isError } = await pair.call("wipe", { file: "b" });
    expect(text).toContain("Not that one.");
    expect(isError).toBe(true);
    expect(ran).toEqual(["a"]);
  });

  it("is refused where that function has no answer", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: () => undefined });
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
  });

  it("asks the person at the client, and runs when they agree", async () => {
    ran.length = 0;
    const asked: unknown[] = [];
    await using pair = await serve(wipe, { approvals: "elicit" }, (params) => {
      asked.push(params.message);
      return { action: "accept", content: { approve: true } };
    });
    expect(await pair.call("wipe", { file: "a" })).toEqual({ text: "wiped a", isError: false });
    expect(asked).toEqual([expect.stringContaining('"file": "a"')]);
  });

  it.each([
    ["declines", { action: "decline" as const }],
    ["says no", { action: "accept" as const, content: { approve: false } }],
    ["accepts without an answer", { action: "accept" as const }],
  ])("does not run when that person %s", async (_what, answer) => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: "elicit" }, () => answer);
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
  });

  it("does not run when asking fails", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: "elicit" }, () => {
      throw new Error("no screen");
    });
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(pair.errors).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it("is refused where the client cannot ask", async () => {
    await using pair = await serve(wipe, { approvals: "elicit" });
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
  });

  it("is refused where it would break a rule, whatever the client says", async () => {
    const rule = verdictMiddleware("rule", async () => ({ kind: "ask", violation: "No leaks." }));
    await using pair = await serve(add, { approvals: "elicit", middleware: [rule] }, () => ({
      action: "accept",
      content: { approve: true },
    }));
    const { text, isError } = await pair.call("add", { a: 1, b: 1 });
    expect(text).toContain("No leaks.");
    expect(isError).toBe(true);
  });
});

describe("a served agent", () => {
  const inner = (turns: ConstructorParameters<typeof ScriptedChatClient>[0]) =>
    new Agent({
      client: new ScriptedChatClient(turns),
      name: "janitor",
      description: "Cleans up.",
      tools: [wipe, add],
    });

  it("is one tool, and answers with its text", async () => {
    const agent = inner([{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "Three."]);
    await using pair = await serve(agent);
    const { tools } = await pair.client.listTools();
    expect(tools).toMatchObject([{ name: "janitor", description: "Cleans up." }]);
    expect(pair.client.getServerVersion()?.name).toBe("janitor");
    expect(await pair.call("janitor", { task: "Add." })).toEqual({
      text: "Three.",
      isError: false,
    });
  });

  it("asks as its tools do, and goes on with the answer", async () => {
    ran.length = 0;
    const calls = [{ name: "wipe", arguments: { file: "old" } }];
    await using refusing = await serve(inner([{ calls }, "Done."]));
    expect(await refusing.call("janitor", { task: "Clean." })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
    await using asking = await serve(inner([{ calls }, "Done."]), { approvals: "elicit" }, () => ({
      action: "accept",
      content: { approve: true },
    }));
    expect(await asking.call("janitor", { task: "Clean." })).toEqual({
      text: "Done.",
      isError: false,
    });
    expect(ran).toEqual(["old"]);
  });
});
