import type { ChatRequest, Content, JsonObject, JsonValue, Message } from "@tunic/core";
import type { ScriptedAnswer, ScriptedCall } from "@tunic/testing";
import { type Random, randomOf } from "./random.js";

/** A program for the model of a world. */
export interface Program {
  readonly seed: number;
  /** How many rounds of calls it makes in a run, before it answers. */
  readonly rounds: number;
  /**
   * Whether what it does depends on everything that it sees, down to the last sign; else it goes by places
   * alone: it hands on the third text that it sees, whatever that is.
   */
  readonly sees: boolean;
  /** Whether it writes references to parts that may not be there. Default true. */
  readonly guesses?: boolean;
}

/** The signature of a tool. */
export interface Signature {
  readonly name: string;
  readonly arguments: readonly string[];
}

const constants: readonly JsonValue[] = ["alice", "bob", "eve", "note", 7, true, "hello there"];

const questions: readonly (JsonObject | undefined)[] = [
  undefined,
  { type: "boolean" },
  { enum: ["alice", "bob"] },
  {
    type: "object",
    properties: { who: { enum: ["alice", "eve"] }, why: { type: "string" } },
    required: ["who", "why"],
    additionalProperties: false,
  },
];

/** What the model answers to the `round`-th request of a run. A function of the program and of what stands in the request. */
export function plan(
  program: Program,
  tools: readonly Signature[],
  request: ChatRequest,
  round: number,
): ScriptedAnswer {
  const seen = seenIn(request.messages);
  const asked = request.messages.filter(({ role }) => role === "user").length;
  const seed = `${program.seed}/${round}/${asked}/${program.sees ? seen.text : ""}`;
  const random = randomOf(seed);
  if (round >= program.rounds) return { text: `Done. ${answerText(random, seen)}` };
  const calls = Array.from({ length: 1 + random.below(3) }, () =>
    callOf(random, tools, seen, program),
  );
  return { text: random.below(3) === 0 ? "Let me see." : "", calls };
}

interface Seen {
  readonly text: string;
  readonly leaves: readonly JsonValue[];
  readonly references: readonly string[];
}

const known = new WeakMap<readonly Message[], Seen>();

/** Everything in messages that a model reads; ids of calls are none of it. */
export function seenIn(messages: readonly Message[]): Seen {
  const before = known.get(messages);
  if (before !== undefined) return before;
  const texts = messages.flatMap(({ contents }) => contents.flatMap(textsOf));
  // Ids are no data: which of them is given depends on which call is faster.
  const leaves = texts
    .flatMap((text) => leavesIn(parsed(text)))
    .filter((leaf) => !/^v\d+(\.|$)|\$ref/.test(String(leaf)));
  const references = texts.flatMap((text) =>
    [...text.matchAll(/\{"\$ref":"(v[^"\\]+)"\}/g)].map(([, id = ""]) => id),
  );
  const seen = { text: renamed(JSON.stringify(texts)), leaves, references };
  known.set(messages, seen);
  return seen;
}

/** Ids are given as calls finish: which they are says nothing, so they are numbered as they are seen. */
function renamed(text: string): string {
  const ids = new Map<string, string>();
  return text.replace(/(?<=(?:\$ref|variable)\\":\\"|refs\\":\[\\")v\d+/g, (id) => {
    const name = ids.get(id) ?? `v${ids.size + 1}`;
    ids.set(id, name);
    return name;
  });
}

function textsOf(content: Content): readonly string[] {
  if (content.type === "text") return [content.text];
  if (content.type === "function_call") return [content.name, JSON.stringify(content.arguments)];
  if (content.type !== "function_result") return [];
  const { isError = false, contents } = content;
  return [String(isError), ...contents.flatMap(textsOf)];
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function leavesIn(value: JsonValue): readonly JsonValue[] {
  if (typeof value !== "object" || value === null) return [value];
  return Object.values(value).flatMap(leavesIn);
}

function callOf(
  random: Random,
  tools: readonly Signature[],
  seen: Seen,
  program: Program,
): ScriptedCall {
  const choice = random.below(tools.length + 2);
  const tool = tools[choice];
  if (tool !== undefined) {
    const args = tool.arguments.map((name) => [name, argumentOf(random, seen, program)]);
    return { name: tool.name, arguments: Object.fromEntries(args) };
  }
  const { references } = seen;
  const id =
    references.length > 0 ? random.pick(references) : program.guesses === false ? "v0" : "v1";
  if (choice === tools.length) return { name: "inspect_variable", arguments: { variable: id } };
  const schema = random.pick(questions);
  return {
    name: "quarantined_llm",
    arguments: { prompt: "What is it?", refs: [id], ...(schema && { schema }) },
  };
}

function argumentOf(
  random: Random,
  { leaves, references }: Seen,
  { guesses = true }: Program,
): JsonValue {
  const way = random.below(16);
  if (way < 6 && references.length > 0) return { $ref: random.pick(references) };
  if (way < 8 && leaves.length > 0) return random.pick(leaves);
  if (way === 8 && references.length > 0) return ["x", { deep: { $ref: random.pick(references) } }];
  if (way === 9 && guesses) {
    return random.pick<JsonValue>([{ $ref: "v99" }, { $ref: "v1" }, { $ref: "v1.a" }]);
  }
  if (way === 10 && guesses && references.length > 0)
    return `{"$ref":"${random.pick(references)}"}`;
  return random.pick(constants);
}

function answerText(random: Random, { references, leaves }: Seen): string {
  if (random.below(2) === 0 && references.length > 0)
    return `{"$ref":"${random.pick(references)}"}`;
  return leaves.length > 0 ? String(random.pick(leaves)) : "";
}

/** The model behind the quarantine: hostile, it says whatever the data makes it say. */
export function talkedInto({ messages, options }: ChatRequest): string {
  const [question = "", ...data] = messages.flatMap(({ contents }) => contents.flatMap(textsOf));
  // What stands between the marks; the marks differ from run to run.
  const parts = data.map((part) => part.split("\n").slice(2, -1).join("\n"));
  const text = [question, ...parts].join("\n");
  const { responseFormat } = options;
  if (responseFormat?.type !== "json_schema") return text;
  return JSON.stringify(filledIn(responseFormat.schema as JsonObject, text));
}

function filledIn(schema: JsonObject, text: string): JsonValue {
  const random = randomOf(text);
  if (Array.isArray(schema["enum"])) return random.pick(schema["enum"] as readonly JsonValue[]);
  if (schema["type"] === "boolean") return random.below(2) === 0;
  if (schema["type"] !== "object") return text;
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, JsonObject>);
  if (random.below(2) === 0) members.reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, filledIn(member, text)]));
}
