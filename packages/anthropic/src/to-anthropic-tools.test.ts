import { type FunctionTool, type JsonObject, type StrictMode, type Tool, tool } from "@tunic/core";
import { describe, expect, test, vi } from "vitest";
import { functionTool } from "../test/build.js";
import { anthropicToolNames, ToolConverter, toAnthropicTools } from "./to-anthropic-tools.js";

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });
const map = object({ m: { type: "object", additionalProperties: { type: "string" } } });
const named = (
  name: string,
  strict: StrictMode | undefined,
  schema = object({}),
): FunctionTool => ({
  ...functionTool(name, schema),
  ...(strict !== undefined && { strict }),
});
const strictness = (tools: readonly Tool[], strictTools?: boolean) =>
  new ToolConverter({ strictTools })
    .convert(tools)
    .tools.map((each) => "strict" in each && each.strict === true);

describe("strict tools", () => {
  test("are those that say so; others only where the client says so", () => {
    const tools = [
      named("a", undefined),
      named("b", true),
      named("c", false),
      named("d", "auto"),
      named("e", "auto", map),
    ];
    expect(strictness(tools)).toEqual([false, true, false, true, false]);
    expect(strictness(tools, true)).toEqual([true, true, false, true, false]);
  });

  test("B21: a strict schema is a closed copy; the tool's own stays as it is", () => {
    const nested = tool({
      name: "save",
      description: "Saves.",
      parameters: {
        type: "object",
        properties: {
          q: { type: "string" },
          opt: { type: "object", properties: { n: { type: "number" } } },
        },
        required: ["q"],
      },
      strict: true,
      execute: () => "saved",
    });
    const before = JSON.stringify(nested.parameters);
    const [wire] = toAnthropicTools([nested]);
    expect(wire).toMatchObject({
      strict: true,
      input_schema: {
        additionalProperties: false,
        required: ["q"],
        properties: { opt: { additionalProperties: false } },
      },
    });
    expect(JSON.stringify(nested.parameters)).toBe(before);
  });

  test("that cannot be are refused, with the reason", () => {
    expect(() => toAnthropicTools([named("keep", true, map)])).toThrow(
      expect.objectContaining({
        code: "tool_not_strict",
        message: expect.stringMatching(/"keep".*"m" takes members of any name/),
      }),
    );
  });

  test("that may be are told of once where they are not", () => {
    const notice = vi.fn();
    const converter = new ToolConverter({ strictTools: true });
    const keep = named("keep", undefined, map);
    // The agent checks its tools before there is anybody to tell.
    converter.convert([keep]);
    converter.convert([keep], notice);
    converter.convert([keep, named("a", undefined)], notice);
    expect(notice).toHaveBeenCalledExactlyOnceWith(
      "tool_not_strict",
      expect.stringMatching(/"keep".*"m" takes members/),
    );
  });

  test("fill the service's limits in the order of the list, those that must be first", () => {
    const many = Array.from({ length: 21 }, (_, at) => named(`t${at}`, undefined));
    expect(strictness([...many, named("last", true)], true)).toEqual([
      ...many.map((_, at) => at < 19),
      true,
    ]);
    const properties = (count: number, schema: JsonObject) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema])));
    const optional = properties(20, { type: "string" });
    expect(
      strictness([named("a", undefined, optional), named("b", undefined, optional)], true),
    ).toEqual([true, false]);
    const unions = {
      ...properties(10, { type: ["string", "null"] }),
      required: Array.from({ length: 10 }, (_, at) => `p${at}`),
    };
    expect(
      strictness([named("a", undefined, unions), named("b", undefined, unions)], true),
    ).toEqual([true, false]);
  });
});

describe("what the client adds to tools", () => {
  test("eager streaming of arguments, for all or but for some", () => {
    const converter = new ToolConverter({
      eagerInputStreaming: true,
      toolOptions: { b: { eager_input_streaming: false, input_examples: [{ x: 1 }] } },
    });
    expect(converter.convert([functionTool("a"), functionTool("b")]).tools).toMatchObject([
      { name: "a", eager_input_streaming: true },
      { name: "b", eager_input_streaming: false, input_examples: [{ x: 1 }] },
    ]);
  });

  test("a kind of tool that the service knows and this program runs", () => {
    const converter = new ToolConverter({
      strictTools: true,
      toolOptions: { bash: { type: "bash_20250124" } },
    });
    const { tools, calls } = converter.convert([functionTool("bash")]);
    expect(tools).toEqual([{ name: "bash", type: "bash_20250124" }]);
    expect(calls.get("bash")).toEqual({ name: "bash" });
  });
});

describe("names on the wire", () => {
  test("are cleaned reversibly, and two that would be one are an error", () => {
    const { tools, calls } = new ToolConverter().convert([
      functionTool("mail.send"),
      functionTool("mail/send"),
      functionTool("plain"),
    ]);
    const wire = tools.map((each) => ("name" in each ? each.name : ""));
    expect(new Set(wire).size).toBe(3);
    for (const name of wire) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
    expect(wire.map((name) => calls.get(name)?.name)).toEqual(["mail.send", "mail/send", "plain"]);
  });

  test("of the service's own tools are taken", () => {
    const search = {
      type: "hosted",
      provider: "anthropic",
      name: "search",
      definition: { type: "web_search_20250305", name: "web_search" },
    } as const;
    expect(() => toAnthropicTools([search, functionTool("web_search")])).toThrow(
      expect.objectContaining({ code: "tool_name_collision" }),
    );
    const toolset = {
      ...search,
      name: "browser",
      definition: { type: "browser_toolset_20260801" },
    };
    expect(toAnthropicTools([toolset, functionTool("web_search")])).toHaveLength(2);
  });
});

test("a list that its owner changed is read anew", () => {
  const converter = new ToolConverter();
  const tools: Tool[] = [functionTool("a")];
  const first = converter.convert(tools);
  expect(converter.convert(tools)).toBe(first);
  tools.push(functionTool("b.c"));
  const { tools: wire, calls } = converter.convert(tools);
  expect(wire).toHaveLength(2);
  expect([...calls.values()]).toEqual([{ name: "a" }, { name: "b.c" }]);
  tools[0] = functionTool("d");
  expect(converter.convert(tools).tools[0]).toMatchObject({ name: "d" });
});

test("the way back from the names on the wire", () => {
  const odd = tool({ name: "fs.read", execute: () => "" });
  const [sent] = toAnthropicTools([odd]);
  expect(sent && "name" in sent && anthropicToolNames([odd]).get(sent.name)).toBe("fs.read");
});
