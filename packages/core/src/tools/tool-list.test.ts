import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostedTool, tool } from "./function-tool.js";
import type { Tool, ToolInput } from "./tool.js";
import { normalizeTools, ToolList } from "./tool-list.js";

const [a, b, c] = ["a", "b", "c"].map((name) => tool({ name })) as [Tool, Tool, Tool];
const search = hostedTool({
  provider: "openai",
  name: "web_search",
  definition: { type: "web_search" },
});

describe("normalizeTools", () => {
  it("flattens single tools, packs, packs of packs and nested lists, in order", () => {
    expect(normalizeTools(a)).toEqual([a]);
    expect(normalizeTools(undefined)).toEqual([]);
    expect(normalizeTools({ tools: [a, b] })).toEqual([a, b]);
    expect(normalizeTools([{ tools: { tools: [c] } }, [a, [search, []]], b])).toEqual([
      c,
      a,
      search,
      b,
    ]);
  });

  it("counts the same object once", () => {
    expect(normalizeTools([a, { tools: [a, b] }, b])).toEqual([a, b]);
  });

  it("refuses two tools of one name, naming both places", () => {
    const other = tool({ name: "a" });
    expect(() => normalizeTools([a, b, { tools: [c, other] }])).toThrow(
      expect.objectContaining({
        code: "duplicate_tool",
        message: 'Two tools are named "a": tools[0] and tools[2].tools[1]. Rename one of them.',
      }),
    );
  });

  it.each([[() => 1], ["a"], [null], [{ name: "a" }], [{ type: "function", name: "a" }], [7]])(
    "refuses %j with what to write",
    (wrong) => {
      expect(() => normalizeTools([wrong] as unknown as ToolInput, "options.tools")).toThrow(
        /^options\.tools\[0\] is .*Wrap it with tool\(/,
      );
    },
  );

  it("ends at a pack that holds itself", () => {
    const pack: { tools: ToolInput[] } = { tools: [a] };
    pack.tools.push(pack);
    expect(() => normalizeTools(pack)).toThrow(expect.objectContaining({ code: "tool_cycle" }));
    const shared = { tools: [a] };
    expect(normalizeTools([shared, shared])).toEqual([a]);
  });

  it("gives any nesting of distinct tools flat and leaves the input alone", () => {
    const { input } = fc.letrec<{ input: ToolInput; leaf: ToolInput }>((tie) => ({
      leaf: fc
        .integer()
        .map((number) => tool({ name: `t${number}_${Math.random()}` }) as ToolInput),
      input: fc.oneof(
        { maxDepth: 4 },
        tie("leaf"),
        fc.array(tie("input"), { maxLength: 3 }),
        fc.array(tie("input"), { maxLength: 3 }).map((tools) => ({ tools })),
      ),
    }));
    const flat = (value: ToolInput): Tool[] => {
      if (Array.isArray(value)) return value.flatMap(flat);
      return "tools" in value ? flat(value.tools) : [value as Tool];
    };
    fc.assert(
      fc.property(input, (tools) => {
        const expected = flat(tools);
        expect(normalizeTools(tools)).toEqual(expected);
        expect(flat(tools)).toEqual(expected);
      }),
    );
  });
});

describe("ToolList", () => {
  it("keeps the same array until something changes", () => {
    const list = new ToolList([a]);
    const before = list.current;
    expect(list.add([a])).toEqual([]);
    expect(list.remove(["nope", b])).toEqual([]);
    expect(list.current).toBe(before);
    expect(list.add({ tools: [b, a] })).toEqual([b]);
    expect(list.current).not.toBe(before);
    expect(before).toEqual([a]);
    expect(list.names).toEqual(["a", "b"]);
    expect(list.get("b")).toBe(b);
  });

  it("adds all or nothing", () => {
    const list = new ToolList([a]);
    const before = list.current;
    expect(() => list.add([b, tool({ name: "a" })])).toThrow(
      expect.objectContaining({ code: "duplicate_tool" }),
    );
    expect(() => list.add([c, 1 as never])).toThrow(
      expect.objectContaining({ code: "not_a_tool" }),
    );
    expect(list.current).toBe(before);
    expect(list.get("b")).toBeUndefined();
  });

  it("says where a provider belongs", () => {
    const provider = { name: "files", provide: async () => undefined };
    expect(() => normalizeTools([provider as never])).toThrow(
      /Put it into contextProviders, or write await x\.connect\(\)/,
    );
  });

  it("removes by name or object, but no other tool of the same name", () => {
    const list = new ToolList([a, b, c]);
    expect(list.remove(tool({ name: "a" }))).toEqual([]);
    expect(list.remove(["b", a])).toEqual([a, b]);
    expect(list.names).toEqual(["c"]);
    expect(list.get("a")).toBeUndefined();
  });

  it("never changes the caller's array", () => {
    const mine = [a];
    const list = new ToolList(mine);
    list.add(b);
    expect(mine).toEqual([a]);
  });
});
