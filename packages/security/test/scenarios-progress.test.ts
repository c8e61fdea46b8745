import type { Update } from "@tunic/core";
import { describe, expect, it } from "vitest";
import type { FlowPolicy } from "../src/index.js";
import { child, delegating, task } from "./support/sub-agents.js";
import { call, ref, World, type WorldOptions } from "./support/world.js";

describe("S23 progress", () => {
  const texts = (updates: readonly Update[]) =>
    JSON.stringify(updates.filter(({ type }) => type === "progress"));

  it("S23: what a child says while it works is shown only where its results are trusted, or by rule", async () => {
    const shown = async (policy: FlowPolicy["tools"][string]) => {
      const helper = child({ turns: ["pay ann"] });
      const world = new World({
        ...delegating(helper.agent, { policy: { helper: policy } }),
        streamed: true,
        turns: [task("Read it."), "done"],
      });
      await world.say("What does it say?");
      return [texts(world.updates) !== "[]", world.notices.includes("flow_progress_withheld")];
    };
    expect(await shown({ effects: ["read"] })).toEqual([false, true]);
    expect(await shown({ effects: ["read"], progress: "all" })).toEqual([true, false]);
    expect(await shown({ effects: ["read"], result: "trusted" })).toEqual([true, false]);
  });

  it("S23: what a tool tells of its work is shown only where all that it can tell is trusted, or by rule", async () => {
    const shown = async (
      flow: NonNullable<WorldOptions["policy"]>[string],
      own: Partial<WorldOptions> = {},
    ) => {
      const world = new World({
        streamed: true,
        policy: { read: flow, page: { effects: ["read"] } },
        tools: {
          page: { gives: "x" },
          read: {
            takes: ["what"],
            gives: async (
              _: unknown,
              context: { reportProgress(text: string): Promise<void> | void },
            ) => {
              await context.reportProgress("half of it");
              await context.reportProgress("all of it");
              return "x";
            },
          },
        },
        turns: [call("read"), "done"],
        ...own,
      });
      await world.say("Go.");
      const progress = world.updates.filter(({ type }) => type === "progress").length;
      expect(world.sees("half of")).toBe(false);
      return [progress, world.notices.filter((code) => code === "flow_progress_withheld").length];
    };
    expect(await shown({ effects: ["read"] })).toEqual([0, 1]);
    expect(await shown({ effects: ["read"] }, { mode: "shadow" })).toEqual([2, 0]);
    expect(await shown({ effects: ["read"], progress: "all" })).toEqual([2, 0]);
    expect(await shown({ effects: ["read"], result: "trusted" })).toEqual([2, 0]);
    expect(await shown({ effects: ["read"], result: { $: "trusted", a: "untrusted" } })).toEqual([
      0, 1,
    ]);
    const result = { integrity: "trusted", readers: ["bob"] } as const;
    const rules = { answer: { readers: ["ann"] } };
    expect(await shown({ effects: ["read"], result }, { rules })).toEqual([0, 1]);
    // Also where an argument is nothing to be told of.
    const turns = [call("page"), call("read", { what: ref("v1") }), "done"];
    expect(await shown({ effects: ["read"], result: "trusted" }, { turns })).toEqual([0, 1]);
  });

  it("S23: what was written to where a tool reads is not told of, either", async () => {
    const shown = async (first: string) => {
      const world = new World({
        streamed: true,
        policy: {
          page: { effects: ["read"] },
          write: { effects: ["consequential"], arguments: {}, writes: ["notes"] },
          read: { effects: ["read"], result: "trusted", reads: ["notes"] },
        },
        tools: {
          page: { gives: "x" },
          write: { takes: ["text"] },
          read: {
            gives: async (_: unknown, context: { reportProgress(text: string): unknown }) => {
              await context.reportProgress("the first line");
              return "x";
            },
          },
        },
        turns: [call("page"), call("write", { text: ref(first) }), call("read"), "done"],
      });
      await world.say("Go.");
      return world.updates.some(({ type }) => type === "progress");
    };
    expect(await shown("v1")).toBe(false);
    expect(await shown("v9")).toBe(true);
  });
});
