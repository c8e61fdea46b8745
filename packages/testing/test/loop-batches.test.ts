import { Agent, type AgentResponse, type FunctionTool, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { resultTexts } from "./support/outline.js";
import { deferred, settled } from "./support/play.js";

interface Manners {
  readonly exclusive?: boolean;
  readonly destructive?: boolean;
  readonly concurrencySafe?: boolean;
  readonly resources?: readonly string[] | ((input: { id: string }) => readonly string[]);
}

/** Tools whose calls end when the test says so, and a diary of what they did. */
function workshop(tools: Readonly<Record<string, Manners>>) {
  const diary: string[] = [];
  const ends = new Map<string, () => void>();
  const made = Object.entries(tools).map(([name, manners]) =>
    tool({
      name,
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      ...manners,
      async execute({ id }) {
        diary.push(`+${id}`);
        const end = deferred();
        ends.set(id, end.resolve);
        await end.promise;
        diary.push(`-${id}`);
        return id;
      },
    }),
  );
  const finish = async (...ids: string[]): Promise<void> => {
    for (const id of ids) {
      const end = ends.get(id);
      if (end === undefined) throw new Error(`"${id}" has not started: ${diary.join(" ")}`);
      end();
      await settled();
    }
  };
  return { tools: made, diary, finish };
}

/** Starts a batch of calls such as `read:a`, and waits until all that can run does. */
async function startBatch(
  tools: readonly FunctionTool<{ id: string }, string>[],
  batch: string,
  maxConcurrency?: number,
): Promise<{ readonly response: Promise<AgentResponse> }> {
  const calls = batch.split(" ").map((call) => {
    const [name = "", id = ""] = call.split(":");
    return { name, arguments: { id } };
  });
  const agent = new Agent({
    client: new ScriptedChatClient([{ calls }, "done"]),
    tools,
    ...(maxConcurrency !== undefined && { invocation: { maxConcurrency } }),
  });
  await agent.prepare();
  const response = agent.run("go");
  await settled();
  return { response };
}

describe("calls of one batch", () => {
  it("run together, and their results come in call order", async () => {
    const { tools, diary, finish } = workshop({ read: {} });
    const { response } = await startBatch(tools, "read:a read:b read:c");
    expect(diary).toEqual(["+a", "+b", "+c"]);
    await finish("c", "a", "b");
    expect(resultTexts((await response).messages)).toEqual(["a", "b", "c"]);
  });

  it("run at most maxConcurrency at a time; the next starts when one ends, in call order", async () => {
    const { tools, diary, finish } = workshop({ read: {} });
    const { response } = await startBatch(tools, "read:a read:b read:c read:d", 2);
    expect(diary).toEqual(["+a", "+b"]);
    await finish("b");
    expect(diary).toEqual(["+a", "+b", "-b", "+c"]);
    await finish("c", "d", "a");
    expect(diary.slice(4)).toEqual(["-c", "+d", "-d", "-a"]);
    await response;
  });

  it("are sixteen at a time where nothing is said", async () => {
    const { tools, diary, finish } = workshop({ read: {} });
    const ids = Array.from({ length: 18 }, (_, at) => `c${at}`);
    const { response } = await startBatch(tools, ids.map((id) => `read:${id}`).join(" "));
    expect(diary).toHaveLength(16);
    await finish(...ids);
    await response;
  });

  it("and one at a time with maxConcurrency 1", async () => {
    const { tools, diary, finish } = workshop({ read: {} });
    const { response } = await startBatch(tools, "read:a read:b", 1);
    await finish("a", "b");
    expect(diary).toEqual(["+a", "-a", "+b", "-b"]);
    await response;
  });
});

describe.each([
  { name: "exclusive", manners: { exclusive: true } },
  { name: "destructive", manners: { destructive: true } },
  { name: "concurrencySafe: false", manners: { concurrencySafe: false } },
])("a tool that is $name", ({ manners }) => {
  it("waits for all before it and holds up all after it", async () => {
    const { tools, diary, finish } = workshop({ read: {}, write: manners });
    const { response } = await startBatch(tools, "read:a read:b write:c read:d read:e");
    expect(diary).toEqual(["+a", "+b"]);
    await finish("a");
    expect(diary.at(-1)).toBe("-a");
    await finish("b");
    expect(diary.slice(3)).toEqual(["-b", "+c"]);
    await finish("c");
    expect(diary.slice(5)).toEqual(["-c", "+d", "+e"]);
    await finish("e", "d");
    expect(resultTexts((await response).messages)).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("goes one call after the other", async () => {
    const { tools, diary, finish } = workshop({ write: manners });
    const { response } = await startBatch(tools, "write:a write:b");
    await finish("a", "b");
    expect(diary).toEqual(["+a", "-a", "+b", "-b"]);
    await response;
  });
});

describe("calls that share a resource", () => {
  it("go one after the other, in call order; the others do not wait", async () => {
    const { tools, diary, finish } = workshop({
      file: { resources: ({ id }) => [id.slice(0, 1)] },
      read: {},
    });
    const { response } = await startBatch(tools, "file:a1 file:b1 file:a2 read:r file:b2 file:a3");
    expect(diary).toEqual(["+a1", "+b1", "+r"]);
    await finish("b1");
    expect(diary.slice(3)).toEqual(["-b1", "+b2"]);
    await finish("a1", "a2", "a3", "b2", "r");
    expect(diary.slice(5)).toEqual(["-a1", "+a2", "-a2", "+a3", "-a3", "-b2", "-r"]);
    await response;
  });

  it("also across tools, and with one of several keys", async () => {
    const { tools, diary, finish } = workshop({
      left: { resources: ["disk", "net"] },
      right: { resources: ["net"] },
      other: { resources: ["gpu"] },
    });
    const { response } = await startBatch(tools, "left:a right:b other:c");
    expect(diary).toEqual(["+a", "+c"]);
    await finish("a", "b", "c");
    await response;
  });

  it("a tool that cannot say what it works on runs alone", async () => {
    const { tools, diary, finish } = workshop({
      lost: {
        resources: () => {
          throw new Error("which?");
        },
      },
      read: {},
    });
    const { response } = await startBatch(tools, "read:a lost:b read:c");
    expect(diary).toEqual(["+a"]);
    await finish("a", "b", "c");
    expect(resultTexts((await response).messages)).toEqual(["a", "b", "c"]);
  });

  it("the bound holds among them, too", async () => {
    const { tools, diary, finish } = workshop({
      file: { resources: ({ id }) => [id.slice(0, 1)] },
    });
    const { response } = await startBatch(tools, "file:a1 file:b1 file:c1 file:a2", 2);
    expect(diary).toEqual(["+a1", "+b1"]);
    await finish("b1");
    expect(diary.at(-1)).toBe("+c1");
    await finish("a1");
    expect(diary.at(-1)).toBe("+a2");
    await finish("c1", "a2");
    await response;
  });
});
