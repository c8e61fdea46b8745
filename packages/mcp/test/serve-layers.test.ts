import {
  agentMiddleware,
  endRun,
  functionMiddleware,
  type Principal,
  textContent,
  textOf,
  tool,
  toolResult,
  verdictMiddleware,
} from "@tunic/core";
import { secureAgent } from "@tunic/security";
import { describe, expect, it } from "vitest";
import { serve } from "./support/served.js";
import { add, ran, wipe } from "./support/served-tools.js";

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

  it("decide about what a client gets as data, too", async () => {
    const berth = tool({
      name: "berth",
      description: "",
      execute: () => ({ pier: 7, code: "x9" }),
    });
    const redact = functionMiddleware("redact", async (_context, next) => {
      const result = await next();
      const text = textOf(result).replace("x9", "?");
      return { ...result, contents: [textContent(text)] };
    });
    await using open = await serve(berth);
    expect(await open.client.callTool({ name: "berth" })).toEqual({
      content: [{ type: "text", text: '{"pier":7,"code":"x9"}' }],
      structuredContent: { pier: 7, code: "x9" },
    });
    await using pair = await serve(berth, { middleware: [redact] });
    expect(await pair.client.callTool({ name: "berth" })).toEqual({
      content: [{ type: "text", text: '{"pier":7,"code":"?"}' }],
      structuredContent: { pier: 7, code: "?" },
    });
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
    const { text, isError } = await strict.call("note", { text: "x" });
    expect(isError).toBe(true);
    expect(text).toContain("trusted_call");
    await using lax = await serve(note, { contextProviders: [flow()], trustCalls: true });
    expect(await lax.call("note", { text: "x" })).toEqual({ text: "noted", isError: false });
  });
});
