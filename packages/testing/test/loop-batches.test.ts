import { Agent, type ToolOptions, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { resultTexts } from "./support/outline.js";
import { deferred, settled } from "./support/play.js";

/** Tools whose calls end when the test says so, and a diary of what they did. */
function workshop() {
  const diary: string[] = [];
  const ends = new Map<string, () => void>();
  let running = 0;
  let most = 0;
  const make = (name: string, options: Partial<ToolOptions<undefined, string>> = {}) =>
    tool({
      name,
      parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      ...options,
      async execute({ id }: { id: string }) {
        diary.push(`+${id}`);
        most = Math.max(most, ++running);
        const end = deferred();
        ends.set(id, end.resolve);
        await end.promise;
        running--;
        diary.push(`-${id}`);
        return id;
      },
    });
  const finish = async (...ids: string[]): Promise<void> => {
    for (const id of ids) {
      const end = ends.get(id);
      if (end === undefined) throw new Error(`"${id}" does not run; the diary: ${diary.join(" ")}`);
      end();
      await settled();
    }
  };
  return { diary, make, finish, most: () => most };
}

type Made = ReturnType<ReturnType<typeof workshop>["make"]>;

/** Starts a batch of calls such as `read:a`, and waits until all that can run does. */
async function startBatch(tools: readonly Made[], calls: string[], maxConcurrency = 16) {
  const client = new ScriptedChatClient([
    {
      calls: calls.map((call) => {
        const [name = "", id = ""] = call.split(":");
        return { name, arguments: { id } };
      }),
    },
    "done",
  ]);
  const agent = new Agent({ client, tools, invocation: { maxConcurrency } });
  await agent.prepare();
  const run = agent.run("go");
  await settled();
  return run;
}

describe("calls of one batch", () => {
  it("run together, and their results come in call order", async () => {
    const { make, diary, finish } = workshop();
    const run = begin(await started([make("read")], ["read:a", "read:b", "read:c"]));
    expect(diary).toEqual(["+a", "+b", "+c"]);
    await finish("c", "a", "b");
    expect(resultTexts((await run).messages)).toEqual(["a", "b", "c"]);
  });
});
