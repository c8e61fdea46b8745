import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import { hostedTool, type ToolOptions, tool } from "./function-tool.js";
import { standaloneContext } from "./standalone-context.js";
import type { FunctionInvocationContext } from "./tool.js";

const echo = tool({
  name: "echo",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }) => ({ text }),
});

const make = (options: unknown) => tool(options as ToolOptions<undefined, unknown>);

describe("tool()", () => {
  it("makes a frozen object with the JSON Schema that is sent", () => {
    expect(Object.isFrozen(echo)).toBe(true);
    expect(echo).toMatchObject({
      type: "function",
      name: "echo",
      description: "",
      parameters: { required: ["text"] },
    });
    expect(tool({ name: "now", execute: () => 1 }).parameters).toEqual({
      type: "object",
      properties: {},
    });
  });

  it("keeps a Standard Schema beside its JSON Schema", () => {
    const schema = z.object({ a: z.string() });
    expect(tool({ name: "a", parameters: schema }).schema).toBe(schema);
    expect("schema" in echo).toBe(false);
  });

  it("refuses options it does not know, naming the nearest", () => {
    expect(() => make({ name: "x", maxInvocation: 1 })).toThrow('did you mean "maxInvocations"');
  });

  it.each([[""], [" x"], ["x\n"], ["a\u0000b"], ["x".repeat(129)], [7], [undefined]])(
    "refuses the name %j",
    (name) => {
      expect(() => make({ name })).toThrow(expect.objectContaining({ code: "tool_name" }));
    },
  );

  it("limits must be whole numbers of at least 1", () => {
    for (const maxInvocations of [0, -1, 1.5, Number.NaN, "3"]) {
      expect(() => make({ name: "x", maxInvocations })).toThrow(
        expect.objectContaining({ code: "tool_option" }),
      );
    }
    expect(make({ name: "x", maxInvocationExceptions: 1 }).maxInvocationExceptions).toBe(1);
  });

  it.each([
    [{ description: 1 }],
    [{ execute: "x" }],
    [{ parseResult: {} }],
    [{ exclusive: "yes" }],
    [{ resources: [1] }],
    [{ resources: "x" }],
  ])("refuses %j", (option) => {
    expect(() => make({ name: "x", ...option })).toThrow(
      expect.objectContaining({ code: "tool_option" }),
    );
  });

  it("names the tool when its schema is wrong", () => {
    expect(() => tool({ name: "x", parameters: { type: "string" } })).toThrow(
      'parameters of the tool "x"',
    );
  });
});

describe("invoke", () => {
  it("validates, runs and converts, outside a run too", async () => {
    const result = await echo.invoke({ text: "hi" });
    expect(result).toMatchObject({
      contents: [{ type: "text", text: '{"text":"hi"}' }],
      value: { text: "hi" },
    });
  });

  it("missing and wrong arguments are answered with the details", async () => {
    expect(await echo.invoke({})).toMatchObject({
      isError: true,
      error: { code: "invalid_arguments" },
      contents: [
        { text: 'Error: Argument parsing failed. missing required property "text" (string)' },
      ],
    });
    expect(await echo.invoke([1])).toMatchObject({ isError: true });
  });

  it("skipParsing gives the function's own value, awaited, and bypasses parseResult", async () => {
    const value = { own: true };
    const parseResult = vi.fn(() => "parsed");
    const made = tool({ name: "x", execute: async () => value, parseResult });
    expect(await made.invoke({}, { skipParsing: true })).toBe(value);
    expect(parseResult).not.toHaveBeenCalled();
    expect(await made.invoke({})).toMatchObject({ contents: [{ text: "parsed" }], value });
  });

  it("skipParsing still validates, and throws what the function throws", async () => {
    await expect(echo.invoke({}, { skipParsing: true })).rejects.toMatchObject({
      name: "ToolInvalidArgumentsError",
      code: "invalid_arguments",
    });
    const failure = new Error("own");
    const failing = tool({ name: "x", execute: () => Promise.reject(failure) });
    await expect(failing.invoke({}, { skipParsing: true })).rejects.toBe(failure);
    expect(await failing.invoke({})).toMatchObject({
      isError: true,
      contents: [{ text: "Error: Function failed." }],
    });
  });

  it("a declaration-only tool cannot be invoked", async () => {
    const declared = tool({ name: "x" });
    expect("execute" in declared).toBe(false);
    await expect(declared.invoke({})).rejects.toMatchObject({ code: "declaration_only" });
  });

  it("a tool of methods shares their state; Tunic never binds, so a closure is what to write", async () => {
    class Counter {
      count = 0;
      readonly tool = tool({ name: "count", execute: () => ++this.count });
    }
    const counter = new Counter();
    await counter.tool.invoke({});
    await counter.tool.invoke({});
    expect(counter.count).toBe(2);
  });

  it("there is no limit of a tool object's life: counting belongs to runs", async () => {
    const once = tool({ name: "x", maxInvocations: 1, execute: () => 1 });
    await once.invoke({});
    expect(await once.invoke({})).toMatchObject({ contents: [{ text: "1" }] });
  });

  it("gives the function a context: a minimal one, or the one that was given", async () => {
    let seen: FunctionInvocationContext | undefined;
    const look = tool({
      name: "look",
      execute: (_input, context) => {
        seen = context;
      },
    });
    expect(await look.invoke({ a: 1 })).toMatchObject({
      contents: [{ text: "Done. The tool returned no output." }],
    });
    expect(seen).toMatchObject({ arguments: { a: 1 }, tools: [look], iteration: 1, tool: look });
    expect(seen?.signal.aborted).toBe(false);
    expect(() => seen?.addTools([])).toThrow("outside a run");
    expect(() => seen?.removeTools("x")).toThrow(expect.objectContaining({ code: "no_live_run" }));
    const own = standaloneContext(look, {});
    await look.invoke({}, { context: own });
    expect(seen).toBe(own);
  });

  it("hands over the services and the session it is given, and knows no other options", async () => {
    const look = tool({
      name: "look",
      execute: (_input, { services, session, run }) => [
        services["region"],
        session?.id,
        run.services === services && run.session === session,
      ],
    });
    const session = new AgentSession({ id: "s1" });
    const services = { region: "eu" };
    const value = await look.invoke({}, { services, session, skipParsing: true });
    expect(value).toEqual(["eu", "s1", true]);
    const misspelt = { sesion: session, skipParsing: false };
    await expect(look.invoke({}, misspelt)).rejects.toMatchObject({
      code: "unknown_option",
      message: expect.stringContaining('did you mean "session"'),
    });
    const context = standaloneContext(look, {});
    await expect(look.invoke({}, { context, services })).rejects.toMatchObject({
      code: "two_sources",
    });
  });

  it.each<[unknown, boolean]>([
    ["half done", true],
    [[], true],
    [[{ type: "text", text: "half" }], true],
    [{ update: { type: "retract", messageIds: [] } }, true],
    [50, false],
    [undefined, false],
    [null, false],
    [{ percent: 50 }, false],
    [{ update: 50 }, false],
    [["half"], false],
  ])("reportProgress of %j is taken: %s", async (progress, fits) => {
    const report = tool({
      name: "report",
      execute: (_input, { reportProgress }) => Reflect.apply(reportProgress, undefined, [progress]),
    });
    const done = report.invoke({}, { skipParsing: true });
    if (fits) await done;
    else {
      await expect(done).rejects.toMatchObject({
        code: "invalid_progress",
        message: expect.stringContaining("reportProgress takes a text"),
      });
    }
  });

  it("what comes out can be returned by a tool around it, whole or its contents", async () => {
    const around = tool({ name: "around", execute: () => echo.invoke({ text: "hi" }) });
    expect(await around.invoke({})).toMatchObject({ contents: [{ text: '{"text":"hi"}' }] });
    const failing = tool({ name: "around", execute: () => echo.invoke({}) });
    expect(await failing.invoke({})).toMatchObject({
      isError: true,
      error: { code: "invalid_arguments" },
    });
    const inner = tool({
      name: "inner",
      execute: async () => (await echo.invoke({ text: "hi" })).contents,
    });
    expect(await inner.invoke({})).toMatchObject({ contents: [{ text: '{"text":"hi"}' }] });
  });

  it("a parseResult that throws is a notice of the run", async () => {
    const onEvent = vi.fn();
    const broken = tool({
      name: "x",
      execute: () => 1,
      parseResult: () => {
        throw new Error("no");
      },
    });
    const context = { ...standaloneContext(broken, {}), run: new Run({ onEvent }) };
    expect(await broken.invoke({}, { context })).toMatchObject({ contents: [{ text: "1" }] });
    expect(onEvent).toHaveBeenCalledWith(
      expect.objectContaining({ type: "notice", code: "parse_result_failed" }),
    );
  });
});

describe("hostedTool", () => {
  it("keeps a frozen copy of what goes to its provider", () => {
    const definition = { type: "web_search" };
    const made = hostedTool({ provider: "openai", name: "web_search", definition });
    expect(made).toEqual({ type: "hosted", provider: "openai", name: "web_search", definition });
    expect(Object.isFrozen(made.definition)).toBe(true);
  });

  it("refuses what cannot be sent", () => {
    expect(() => hostedTool({ provider: "", name: "x", definition: {} })).toThrow(
      expect.objectContaining({ code: "tool_option" }),
    );
    expect(() => hostedTool({ provider: "p", name: "", definition: {} })).toThrow(
      expect.objectContaining({ code: "tool_name" }),
    );
    expect(() =>
      hostedTool({ provider: "p", name: "x", definition: { a: new Date(0) } as never }),
    ).toThrow(expect.objectContaining({ code: "schema_not_json" }));
  });
});
