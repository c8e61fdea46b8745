import { Agent, tool, withMiddleware } from "@tunic/core";
import { manualEnvironment, recordRun, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { lamp, lampIn } from "./support/tools.js";

const say = (text: string) => new ScriptedChatClient([text]);

describe.each([
  { manner: "whole", streamed: false },
  { manner: "streamed", streamed: true },
])("the order of handlers, $manner", ({ streamed }) => {
  const options = streamed ? { onUpdate: () => {} } : {};

  it("the first of a list is the outermost, kind by kind, around every round and call", async () => {
    const { log, layer, note } = recordRun();
    const light = tool({
      name: "lamp",
      description: "Switches the lamp of a room.",
      parameters: { type: "object", properties: { room: { type: "string" } } },
      execute: ({ room }) => note(`lit ${room}`),
    });
    const client = new ScriptedChatClient([
      () => {
        note("asked");
        return { calls: [lampIn("hall")] };
      },
      () => {
        note("asked");
        return "done";
      },
    ]);
    const agent = new Agent({ client, tools: light, middleware: [layer("a"), layer("b")] });
    await agent.run("go", options);
    expect(log).toEqual([
      "+ agent a",
      "+ agent b",
      "+ chat a",
      "+ chat b",
      "asked",
      "- chat b",
      "- chat a",
      '+ verdict a (lamp "hall")',
      '+ verdict b (lamp "hall")',
      '- verdict b (lamp "hall")',
      '- verdict a (lamp "hall")',
      '+ function a (lamp "hall")',
      '+ function b (lamp "hall")',
      "lit hall",
      '- function b (lamp "hall")',
      '- function a (lamp "hall")',
      "+ chat a",
      "+ chat b",
      "asked",
      "- chat b",
      "- chat a",
      "- agent b",
      "- agent a",
    ]);
  });

  it("mixed kinds in one list keep their places in their own onions", async () => {
    const { log, layer } = recordRun();
    const middleware = [
      layer("1", ["chat"]),
      layer("2", ["agent"]),
      layer("3", ["function", "chat"]),
      layer("4", ["agent", "chat"]),
    ];
    await new Agent({ client: say("hi"), middleware }).run("go", options);
    expect(log).toEqual([
      "+ agent 2",
      "+ agent 4",
      "+ chat 1",
      "+ chat 3",
      "+ chat 4",
      "- chat 4",
      "- chat 3",
      "- chat 1",
      "- agent 4",
      "- agent 2",
    ]);
  });

  it("those of the run stand inside the agent's; one of the same name takes its place", async () => {
    const { log, layer, note } = recordRun();
    const kinds = ["agent", "chat"] as const;
    const middleware = [layer("outer", kinds), layer("swapped", kinds), layer("inner", kinds)];
    const agent = new Agent({ client: new ScriptedChatClient(["one", "two"]), middleware });
    const replacement = {
      ...layer("swapped by the run", ["chat"]),
      name: "swapped",
    };
    await agent.run("go", { ...options, middleware: [layer("run", kinds), replacement] });
    note("--");
    await agent.run("go", options);
    expect(log).toEqual([
      "+ agent outer",
      "+ agent inner",
      "+ agent run",
      "+ chat outer",
      "+ chat swapped by the run",
      "+ chat inner",
      "+ chat run",
      "- chat run",
      "- chat inner",
      "- chat swapped by the run",
      "- chat outer",
      "- agent run",
      "- agent inner",
      "- agent outer",
      "--",
      "+ agent outer",
      "+ agent swapped",
      "+ agent inner",
      "+ chat outer",
      "+ chat swapped",
      "+ chat inner",
      "- chat inner",
      "- chat swapped",
      "- chat outer",
      "- agent inner",
      "- agent swapped",
      "- agent outer",
    ]);
  });

  it("seats come before and after everything else, also across both lists", async () => {
    const { log, layer } = recordRun();
    const agent = new Agent({
      client: say("hi"),
      middleware: [
        layer("last", ["chat", "agent"], { chat: "innermost" }),
        layer("plain", ["chat"]),
      ],
    });
    const first = layer("first", ["chat"], { chat: "outermost" });
    await agent.run("go", { ...options, middleware: [layer("run", ["chat"]), first] });
    expect(log).toEqual([
      "+ agent last",
      "+ chat first",
      "+ chat plain",
      "+ chat run",
      "+ chat last",
      "- chat last",
      "- chat run",
      "- chat plain",
      "- chat first",
      "- agent last",
    ]);
  });

  it("all calls of a batch are judged before any of it runs, and each has an onion of its own", async () => {
    const { log, layer, note } = recordRun();
    const environment = manualEnvironment();
    const work = tool({
      name: "work",
      description: "Takes its time.",
      parameters: { type: "object", properties: { ms: { type: "number" } }, required: ["ms"] },
      execute: ({ ms }) =>
        new Promise<string>((resolve) => {
          environment.setTimer(() => {
            note(`worked ${ms}`);
            resolve("ok");
          }, ms);
        }),
    });
    const client = new ScriptedChatClient([
      {
        calls: [
          { name: "work", arguments: { ms: 20 } },
          { name: "work", arguments: { ms: 10 } },
        ],
      },
      "done",
    ]);
    const kinds = ["verdict", "function"] as const;
    const middleware = [layer("a", kinds), layer("b", kinds)];
    const agent = new Agent({ client, tools: work, middleware, environment });
    // The validator is loaded from disk, which takes real time; the clock here is the test's.
    await agent.prepare();
    const done = agent.run("go", options);
    await environment.advance(50);
    await done;
    const runs = log.findIndex((line) => line.startsWith("+ function"));
    expect(log.slice(0, runs).sort()).toEqual([
      "+ verdict a (work 10)",
      "+ verdict a (work 20)",
      "+ verdict b (work 10)",
      "+ verdict b (work 20)",
      "- verdict a (work 10)",
      "- verdict a (work 20)",
      "- verdict b (work 10)",
      "- verdict b (work 20)",
    ]);
    expect(log.slice(runs)).toEqual([
      "+ function a (work 20)",
      "+ function b (work 20)",
      "+ function a (work 10)",
      "+ function b (work 10)",
      "worked 10",
      "- function b (work 10)",
      "- function a (work 10)",
      "worked 20",
      "- function b (work 20)",
      "- function a (work 20)",
    ]);
  });

  it("a sub-run has its own onions, inside the function onion of the call", async () => {
    const recorder = recordRun({ events: ["run.start", "run.end", "call.start", "call.end"] });
    const { log, layer } = recorder;
    const child = new Agent({
      name: "child",
      client: new ScriptedChatClient([{ calls: [lampIn("attic")] }, "the attic is lit"]),
      tools: lamp,
      middleware: [layer("inner")],
    });
    const parent = new Agent({
      client: new ScriptedChatClient([
        { calls: [{ name: "child", arguments: { task: "light" } }] },
        "done",
      ]),
      tools: child.asTool(),
      middleware: [layer("outer", ["agent", "function"])],
    });
    await parent.run("go", { ...options, ...recorder.options });
    expect(log).toEqual([
      "run.start",
      "+ agent outer",
      "call.start child",
      '+ function outer (child "light")',
      "  run.start",
      "  + agent inner",
      "  + chat inner",
      "  - chat inner",
      '  + verdict inner (lamp "attic")',
      '  - verdict inner (lamp "attic")',
      "  call.start lamp",
      '  + function inner (lamp "attic")',
      '  - function inner (lamp "attic")',
      "  call.end lamp completed",
      "  + chat inner",
      "  - chat inner",
      "  - agent inner",
      "  run.end completed",
      '- function outer (child "light")',
      "call.end child completed",
      "- agent outer",
      "run.end completed",
    ]);
  });

  it("layers around the client by hand are the innermost", async () => {
    const { log, layer, note } = recordRun();
    const bare = new ScriptedChatClient([
      () => {
        note("asked");
        return "hi";
      },
    ]);
    const client = withMiddleware(withMiddleware(bare, [layer("innermost", ["chat"])]), [
      layer("by hand", ["chat"]),
    ]);
    const agent = new Agent({ client, middleware: [layer("agent", ["chat"])] });
    await agent.run("go", { ...options, middleware: [layer("run", ["chat"])] });
    expect(log).toEqual([
      "+ chat agent",
      "+ chat run",
      "+ chat by hand",
      "+ chat innermost",
      "asked",
      "- chat innermost",
      "- chat by hand",
      "- chat run",
      "- chat agent",
    ]);
  });

  it("a failure inside passes every layer on its way out", async () => {
    const { log, layer } = recordRun();
    const client = new ScriptedChatClient([{ error: new Error("down") }]);
    const agent = new Agent({ client, middleware: [layer("a"), layer("b", ["chat"])] });
    await expect(agent.run("go", options)).rejects.toThrow("down");
    expect(log).toEqual(["+ agent a", "+ chat a", "+ chat b", "! chat b", "! chat a", "! agent a"]);
  });
});

describe("the recorder", () => {
  it("writes updates and events between what handlers note", async () => {
    const recorder = recordRun({ events: true, updates: true });
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [lampIn("hall")] }, "done"]),
      tools: lamp,
      middleware: [recorder.layer("a", ["function"])],
    });
    await agent.run("go", recorder.options);
    expect(recorder.log).toEqual([
      "run.start",
      "model.start 1",
      "update assistant function_call",
      "update finish",
      "model.end 1 completed",
      "call.start lamp",
      '+ function a (lamp "hall")',
      '- function a (lamp "hall")',
      "call.end lamp completed",
      "update tool function_result",
      "model.start 2",
      "update assistant done",
      "update finish",
      "model.end 2 completed",
      "run.end completed",
    ]);
  });
});
