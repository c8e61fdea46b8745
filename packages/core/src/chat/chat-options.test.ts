import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigurationError } from "../errors/configuration-error.js";
import { hostedTool, tool } from "../tools/function-tool.js";
import {
  type ChatOptions,
  checkChatOptions,
  checkToolChoice,
  joinInstructions,
  type ToolChoice,
} from "./chat-options.js";

/** Options as JavaScript callers write them. */
const written = (options: Record<string, unknown>): ChatOptions => options;

function codeOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof ConfigurationError ? error.code : String(error);
  }
}

describe("checkChatOptions", () => {
  it("accepts every option there is", () => {
    const options: Required<ChatOptions> = {
      instructions: [{ source: "agent", text: "Be brief." }],
      model: "m",
      temperature: 0,
      topP: 1,
      maxTokens: 1,
      stop: [],
      seed: -3,
      frequencyPenalty: -2,
      presencePenalty: 0.5,
      tools: [],
      toolChoice: "auto",
      parallelToolCalls: false,
      responseFormat: { type: "json_schema", schema: {} },
      metadata: { a: "b" },
      conversationId: "c",
      providerOptions: { openai: { user: "u" } },
    };
    expect(codeOf(() => checkChatOptions(options))).toBeUndefined();
    expect(codeOf(() => checkChatOptions({}))).toBeUndefined();
  });

  it("takes undefined for absent", () => {
    const options = written({
      temperature: undefined,
      maxTokens: undefined,
      stop: undefined,
      toolChoice: undefined,
    });
    expect(codeOf(() => checkChatOptions(options))).toBeUndefined();
  });

  it.each([
    ["temprature", "temperature"],
    ["max_tokens", "maxTokens"],
    ["top_p", "topP"],
    ["tool_choice", "toolChoice"],
    ["parallel_tool_calls", "parallelToolCalls"],
    ["instruction", "instructions"],
  ])("refuses %s and names %s", (name, meant) => {
    const check = () => checkChatOptions(written({ [name]: 1 }));
    expect(codeOf(check)).toBe("unknown_option");
    expect(check).toThrow(`did you mean "${meant}"?`);
  });

  it.each([
    ["temperature", "0.5"],
    ["temperature", Number.NaN],
    ["temperature", null],
    ["topP", Infinity],
    ["seed", true],
    ["frequencyPenalty", {}],
    ["presencePenalty", []],
    ["maxTokens", 0],
    ["maxTokens", -1],
    ["maxTokens", 1.5],
    ["maxTokens", "100"],
    ["stop", "END"],
    ["stop", ["END", 1]],
    ["toolChoice", "any"],
    ["toolChoice", "lamp"],
    ["toolChoice", null],
    ["toolChoice", {}],
    ["toolChoice", { name: 1 }],
    ["toolChoice", { allowed: [] }],
    ["toolChoice", { allowed: ["lamp", 1] }],
    ["toolChoice", { allowed: "lamp" }],
    ["toolChoice", { name: "lamp", allowed: ["lamp"] }],
  ])("refuses %s: %j", (name, value) => {
    const check = () => checkChatOptions(written({ [name]: value }), "Options of my agent");
    expect(codeOf(check)).toBe("invalid_option");
    expect(check).toThrow(new RegExp(`^Options of my agent: ${name} must be `));
  });

  it.each<ToolChoice>(["auto", "none", "required", { name: "lamp" }, { allowed: ["lamp"] }])(
    "accepts the tool choice %j",
    (toolChoice) => {
      expect(codeOf(() => checkChatOptions({ toolChoice }))).toBeUndefined();
    },
  );

  it("takes a JSON Schema or a Standard Schema of an object as the form of the answer", () => {
    const schema = z.object({ city: z.string() });
    const format = (value: unknown) =>
      codeOf(() =>
        checkChatOptions(written({ responseFormat: { type: "json_schema", schema: value } })),
      );
    expect(format(z.toJSONSchema(schema))).toBeUndefined();
    expect(format(schema)).toBeUndefined();
    expect(format(z.string())).toBe("schema_not_object");
    expect(format(undefined)).toBe("invalid_option");
    expect(() => checkChatOptions(written({ responseFormat: { type: "json_object" } }))).toThrow(
      '{ type: "json_schema", schema }',
    );
  });

  it("shows only the beginning of a long value", () => {
    const schema = { type: "object", description: "x".repeat(5000) };
    let message = "";
    try {
      checkChatOptions(written({ responseFormat: schema }));
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('got {"type":"object"');
    expect(message).toMatch(/x…\.$/);
    expect(message.length).toBeLessThan(400);
  });

  it("shows a number that is none as it is in its message", () => {
    expect(() => checkChatOptions({ temperature: Number.NaN })).toThrow("got NaN");
    expect(() => checkChatOptions({ maxTokens: Infinity })).toThrow("got Infinity");
  });

  it("refuses a value that JSON cannot show like any other bad value", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    for (const value of [5n, circular, Symbol("x")]) {
      expect(codeOf(() => checkChatOptions(written({ temperature: value })))).toBe(
        "invalid_option",
      );
    }
  });
});

describe("checkToolChoice", () => {
  const lamp = tool({ name: "lamp", execute: () => "on" });
  const search = hostedTool({ provider: "openai", name: "web_search", definition: {} });

  it.each<[ToolChoice | undefined, boolean]>([
    [undefined, true],
    ["auto", true],
    ["none", true],
    ["required", true],
    [{ name: "lamp" }, true],
    [{ name: "web_search" }, true],
    [{ allowed: ["lamp", "web_search"] }, true],
    [{ name: "Lamp" }, false],
    [{ name: "door" }, false],
    [{ allowed: ["lamp", "door"] }, false],
  ])("%j with the tools lamp and web_search: %s", (choice, fits) => {
    const code = codeOf(() => checkToolChoice(choice, [lamp, search]));
    expect(code).toBe(fits ? undefined : "invalid_option");
  });

  it("refuses what must call a tool where there is none", () => {
    expect(codeOf(() => checkToolChoice("required", []))).toBe("invalid_option");
    expect(() => checkToolChoice({ name: "lamp" }, [])).toThrow(
      'toolChoice names "lamp"; the tools are: none.',
    );
    for (const choice of ["auto", "none", undefined] as const) {
      expect(codeOf(() => checkToolChoice(choice, []))).toBeUndefined();
    }
  });
});

describe("joinInstructions", () => {
  it.each<[ChatOptions["instructions"], string | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["Be brief.", "Be brief."],
    [[], undefined],
    [[{ source: "agent", text: "" }], undefined],
    [
      [
        { source: "agent", text: "Be brief." },
        { source: "run", text: "" },
        { source: "memory", text: "She is called Ada." },
      ],
      "Be brief.\n\nShe is called Ada.",
    ],
  ])("of %j is %j", (instructions, expected) => {
    expect(joinInstructions(instructions)).toBe(expected);
  });
});
