import {
  Agent,
  type ChatClient,
  ConfigurationError,
  FunctionInvocationLayer,
  type Tool,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { resultTexts } from "./support/outline.js";
import { rejection } from "./support/play.js";
import { lamp, ping } from "./support/tools.js";

const scripted = (...turns: ScriptedTurn[]) =>
  new ScriptedChatClient(turns.length ? turns : ["ok"]);

/** What a constructor throws. */
function thrown(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const refused = (code: string, message: RegExp) => ({
  name: "ConfigurationError",
  code,
  message: expect.stringMatching(message),
});

describe("an agent that was put together wrongly", () => {
  const client = scripted();
  const double = (name: string) => tool({ name, execute: () => "" });

  it.each<[string, object, string, RegExp]>([
    [
      "an unknown option",
      { client, instruction: "x" },
      "unknown_option",
      /"instruction"; did you mean "instructions"\?/,
    ],
    [
      "an unknown option like no other",
      { client, zebra: 1 },
      "unknown_option",
      /It takes: client, id/,
    ],
    [
      "a budget of the loop",
      { client, maxIterations: 5 },
      "unknown_option",
      /new Agent: write `maxIterations` inside `invocation`: \{ invocation: \{ maxIterations: … \} \}/,
    ],
    [
      "a budget among the options of the model",
      { client, options: { maxTotalTokens: 5 } },
      "unknown_option",
      /write `maxTotalTokens` inside `invocation`.*beside `options`/,
    ],
    ["an option of the model", { client, topP: 1 }, "unknown_option", /inside `options`/],
    ...["session", "signal", "onEvent", "onUpdate", "parent"].map(
      (name): [string, object, string, RegExp] => [
        `what a run is told: ${name}`,
        { client, [name]: {} },
        "unknown_option",
        new RegExp(`pass it to agent\\.run: agent\\.run\\(input, \\{ ${name}: …`),
      ],
    ),
    [
      "another agent as tool",
      { client, tools: [new Agent({ client })] },
      "not_a_tool",
      /tools of the agent\[0\] is an agent.*agent\.asTool\(/,
    ],
    ["a record of tools", { client, tools: { ping } }, "not_a_tool", /Object\.values\(tools\)/],
    [
      "the name of its service in another case",
      { client, options: { providerOptions: { Scripted: {} } } },
      "invalid_option",
      /write \{ scripted: … \}, not "Scripted"/,
    ],
    [
      "the name of its service, misspelt",
      { client, options: { providerOptions: { scriptd: {} } } },
      "invalid_option",
      /write \{ scripted: … \}, not "scriptd"/,
    ],
    ["no client", {}, "invalid_option", /`client`.*getResponse/],
    ["something else as client", { client: {} }, "invalid_option", /`client`/],
    [
      "a client that does not say who it is",
      { client: { getResponse() {} } },
      "invalid_option",
      /`metadata`/,
    ],
    [
      "instructions that are no text",
      { client, instructions: 5 },
      "invalid_option",
      /`instructions` must be a string/,
    ],
    [
      "an unknown model option",
      { client, options: { temprature: 1 } },
      "unknown_option",
      /options \(agent\).*"temprature"; did you mean "temperature"/,
    ],
    [
      "a temperature that is no number",
      { client, options: { temperature: Number.NaN } },
      "invalid_option",
      /temperature/,
    ],
    ["maxTokens 0", { client, options: { maxTokens: 0 } }, "invalid_option", /maxTokens/],
    ["stop that is no list", { client, options: { stop: "." } }, "invalid_option", /stop/],
    [
      "a tool choice of the vendor's",
      { client, options: { toolChoice: "any" } },
      "invalid_option",
      /toolChoice.*"auto"/,
    ],
    [
      "instructions in two places",
      { client, options: { instructions: "x" } },
      "two_sources",
      /`instructions` beside `options`/,
    ],
    [
      "tools in two places",
      { client, options: { tools: [ping] } },
      "two_sources",
      /`tools` beside `options`/,
    ],
    [
      "a tool choice that names no tool",
      { client, tools: ping, options: { toolChoice: { name: "lamp" } } },
      "invalid_option",
      /"lamp"; the tools are: ping/,
    ],
    [
      "allowed tools that are none",
      { client, tools: ping, options: { toolChoice: { allowed: ["ping", "lamp"] } } },
      "invalid_option",
      /"lamp"/,
    ],
    [
      "two tools of one name",
      { client, tools: [double("a"), { tools: [ping, double("a")] }] },
      "duplicate_tool",
      /"a": tools of the agent\[0\] and tools of the agent\[1\]\.tools\[1\]/,
    ],
    [
      "a bare function as tool",
      { client, tools: [() => "x"] },
      "not_a_tool",
      /a bare function.*tool\(/,
    ],
    [
      "an unknown budget",
      { client, invocation: { maxIteration: 1 } },
      "unknown_option",
      /"maxIteration"; did you mean "maxIterations"/,
    ],
    [
      "two sources of budgets",
      { client: new FunctionInvocationLayer(client), invocation: {} },
      "two_sources",
      /there or as `invocation`/,
    ],
  ])("%s is refused when it is made", (_what, options, code, message) => {
    // @ts-expect-error wrong options have no type
    const error = thrown(() => new Agent(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject(refused(code, message));
  });

  const budgets = {
    maxIterations: [0, -1, 1.5, Number.NaN, Infinity],
    maxFunctionCalls: [0, 1.5],
    maxConsecutiveErrors: [-1, 0.5],
    maxTotalTokens: [0],
    maxDurationMs: [0, -5],
    maxConcurrency: [0],
  };
  it.each(
    Object.entries(budgets).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    ),
  )("%s: %s is refused", (name, value) => {
    const make = () => new Agent({ client, invocation: { [name]: value } });
    expect(thrown(make)).toMatchObject(refused("invalid_option", new RegExp(`${name}.*${value}`)));
  });

  it("what the service would refuse is asked of the client, when the agent is made", () => {
    const picky: ChatClient = {
      ...client,
      metadata: { provider: "picky" },
      getResponse: (request) => client.getResponse(request),
      checkTools(tools: readonly Tool[]) {
        const bad = tools.find((each) => each.name.includes(" "));
        if (bad) throw new ConfigurationError("tool_name", `"${bad.name}" has a blank.`);
      },
    };
    const blank = tool({ name: "two words", execute: () => "" });
    expect(thrown(() => new Agent({ client: picky, tools: blank }))).toMatchObject({
      code: "tool_name",
    });
    const layered = new FunctionInvocationLayer(picky);
    expect(thrown(() => new Agent({ client: layered, tools: blank }))).toMatchObject({
      code: "tool_name",
    });
    new Agent({ client: picky, tools: ping });
  });
});

describe("a run that was told something wrong", () => {
  const agent = new Agent({ client: scripted("never"), tools: ping });
  const other = tool({ name: "ping", execute: () => "" });

  it.each<[string, object, string, RegExp]>([
    [
      "an unknown option",
      { sesion: 1 },
      "unknown_option",
      /agent\.run.*"sesion"; did you mean "session"/,
    ],
    [
      "an unknown model option",
      { options: { topp: 1 } },
      "unknown_option",
      /options \(run\).*"topp"; did you mean "topP"/,
    ],
    [
      "a budget that is none",
      { invocation: { maxFunctionCalls: 0 } },
      "invalid_option",
      /maxFunctionCalls/,
    ],
    [
      "a tool of a name that the agent has",
      { tools: other },
      "duplicate_tool",
      /"ping": tools of agent and run\[0\]\[0\] and tools of agent and run\[1\]\[0\]/,
    ],
    [
      "a tool choice that names no tool",
      { options: { toolChoice: { name: "lamp" } } },
      "invalid_option",
      /"lamp"/,
    ],
  ])("%s rejects, and nothing is asked", async (_what, options, code, message) => {
    expect(await rejection(agent.run("go", options))).toMatchObject(refused(code, message));
    expect(await rejection(agent.stream("go", options).response)).toMatchObject({ code });
  });

  it("required without any tool is refused", async () => {
    const bare = new Agent({ client: scripted() });
    const run = bare.run("go", { options: { toolChoice: "required" } });
    expect(await rejection(run)).toMatchObject(refused("invalid_option", /no tools/));
  });
});

describe("prepare()", () => {
  const wrong = tool({
    name: "wrong",
    parameters: { type: "object", properties: { x: { type: "string", pattern: "(" } } },
    execute: () => "ran",
  });

  it("finds a schema that does not compile, by the tool's name", async () => {
    const agent = new Agent({ client: scripted(), tools: [ping, wrong] });
    expect(await rejection(agent.prepare())).toMatchObject(
      refused("schema_does_not_compile", /"wrong"/),
    );
    await new Agent({ client: scripted(), tools: [ping, lamp] }).prepare();
  });

  it("what nobody prepared is found by the first call: an error result that says so", async () => {
    const client = scripted({ calls: [{ name: "wrong", arguments: { x: "a" } }] }, "ok");
    const response = await new Agent({ client, tools: wrong }).run("go");
    expect(resultTexts(response.messages)[0]).toMatch(/schema is broken/);
  });
});
