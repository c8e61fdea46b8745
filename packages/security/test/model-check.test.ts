import { AgentSession, type JsonObject, type JsonValue } from "@tunic/core";
import type { ScriptedCall } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { hiddenValues, labelOf } from "../src/index.js";
import type { World, WorldTool } from "./world/flow-world.js";
import { contentsOf, type Executed, type Stage, stage } from "./world/stage.js";

const evil = "EVIL";
const secret = "SECRET";

/** What was written last into the one note that there is. */
const store: { note: JsonValue } = { note: null };

const tools: readonly WorldTool[] = [
  {
    name: "inbox",
    arguments: [],
    flow: {
      effects: ["read"],
      result: {
        $: "trusted",
        body: "untrusted",
        account: { integrity: "trusted", confidentiality: "private" },
      },
    },
    does: () => ({ id: 1, body: evil, account: secret }),
  },
  {
    name: "page",
    arguments: ["url"],
    flow: { effects: ["egress"], rule: "permitted_flow" },
    does: () => `${evil} page`,
  },
  {
    name: "pay",
    arguments: ["to"],
    flow: { rule: "trusted_action", result: "trusted" },
    does: () => "paid",
  },
  {
    name: "send",
    arguments: ["to", "body"],
    flow: { rule: "permitted_flow", recipients: ["to"], result: "trusted" },
    does: () => "sent",
  },
  {
    name: "write",
    arguments: ["text"],
    flow: { effects: ["consequential"], rule: "always", writes: ["note"], result: "trusted" },
    does: ({ text = null }) => {
      store.note = text;
      return "written";
    },
  },
  {
    name: "read",
    arguments: [],
    flow: { effects: ["read"], reads: ["note"], result: { $: "trusted" } },
    does: () => ({ note: store.note }),
  },
  {
    name: "echo",
    arguments: ["text"],
    flow: { effects: ["read"], result: { $: "trusted" } },
    does: ({ text = null }) => ({ said: [text] }),
  },
];

const policy = {
  version: 1,
  tools: Object.fromEntries(tools.flatMap(({ name, flow }) => (flow ? [[name, flow]] : []))),
} as const;

/** A conversation as far as it has come, and how many sequences of calls lead to it. */
interface State {
  readonly session: string;
  readonly note: JsonValue;
  sequences: number;
}

/** What the model can see in a conversation. */
function visible(session: AgentSession): string {
  return JSON.stringify(
    session.messages.map(({ contents }) =>
      contents.map((content) => (content.type === "function_result" ? content.contents : content)),
    ),
    (key, value) => (key === "additionalProperties" ? undefined : value),
  );
}

/** Every call that a model could make there, over what it sees, ids and constants. */
function actionsIn(session: AgentSession): readonly ScriptedCall[] {
  const seen = visible(session);
  const values: JsonValue[] = ["constant"];
  for (const word of [evil, secret]) if (seen.includes(word)) values.push(word);
  const ids = new Map(hiddenValues(session).map(({ id, ...rest }) => [variableKey(rest), id]));
  const references = [...ids.values()].map((id) => ({ $ref: id }));
  values.push(...references);
  const withOne = values.flatMap((value): readonly ScriptedCall[] => [
    { name: "page", arguments: { url: value } },
    { name: "pay", arguments: { to: value } },
    { name: "write", arguments: { text: value } },
    { name: "echo", arguments: { text: value } },
    { name: "send", arguments: { to: "eve", body: value } },
    { name: "send", arguments: { to: value, body: "constant" } },
  ]);
  const words = values.filter((value) => typeof value === "string");
  const withId = [...ids.values()].flatMap((id): readonly ScriptedCall[] => [
    { name: "inspect_variable", arguments: { variable: id } },
    {
      name: "quarantined_llm",
      arguments: { prompt: "?", refs: [id], schema: { type: "boolean" } },
    },
    ...words.map((prompt) => ({ name: "quarantined_llm", arguments: { prompt, refs: [id] } })),
  ]);
  return [{ name: "inbox" }, { name: "read" }, ...withOne, ...withId];
}

function variableKey({
  value,
  label,
}: {
  readonly value: JsonValue;
  readonly label: object;
}): string {
  return JSON.stringify([value, label]);
}

/** All that the rest of a conversation can depend on: what is in view, what is hidden, and the note. */
function keyOf(session: AgentSession, note: JsonValue): string {
  const seen = visible(session);
  const flow = session.state["tunic.flow"] as JsonObject;
  const labels = contentsOf(session.messages, "function_result").flatMap(({ contents }) =>
    contents.map((each) => JSON.stringify(labelOf(each))),
  );
  return JSON.stringify([
    seen.includes(evil),
    seen.includes(secret),
    [...new Set(labels)].sort(),
    [...new Set(hiddenValues(session).map(variableKey))].sort(),
    flow["resources"] ?? null,
    note,
  ]);
}

/** What must hold for every call that runs, and for every label. */
function check(session: AgentSession, ran: readonly Executed[], seenBefore: string): void {
  for (const { tool, args } of ran) {
    const text = JSON.stringify(args);
    if (tool === "pay") expect(text + seenBefore).not.toContain(evil);
    if (tool === "page" || tool === "send") expect(text).not.toContain(secret);
  }
  for (const { value, label } of hiddenValues(session)) {
    const text = JSON.stringify(value);
    if (text.includes(evil)) expect(label.integrity).toBe("untrusted");
    if (text.includes(secret)) expect(label.confidentiality).toBe("private");
  }
  const last = session.messages.findLast(({ role }) => role === "assistant");
  const label = last && labelOf(last);
  const seen = visible(session);
  if (seen.includes(evil)) expect(label?.integrity).toBe("untrusted");
  if (seen.includes(secret)) expect(label?.confidentiality).toBe("private");
}

type Level = ReadonlyMap<string, State>;

/** One more call behind every state: all that the model could make there. */
async function step(
  { agent, executed, script }: Stage,
  level: Level,
  counts: Counts,
): Promise<Level> {
  const next = new Map<string, State>();
  for (const { session: stored, note, sequences } of level.values()) {
    for (const call of actionsIn(AgentSession.fromJSON(JSON.parse(stored)))) {
      const session = AgentSession.fromJSON(JSON.parse(stored));
      const before = visible(session);
      store.note = note;
      executed.length = 0;
      script.splice(0, script.length, { calls: [call] }, "done");
      await agent.run("Go on.", { session });
      check(session, executed, before);
      counts.calls += 1;
      counts.ran += executed.length;
      counts.sequences += sequences;
      const key = keyOf(session, store.note);
      const same = next.get(key);
      if (same) same.sequences += sequences;
      else next.set(key, { session: JSON.stringify(session), note: store.note, sequences });
    }
  }
  return next;
}

/** What was looked at: states, calls tried in them, those that ran, and the sequences that these stand for. */
interface Counts {
  states: number;
  calls: number;
  ran: number;
  sequences: number;
}

describe("a world of seven tools, inspect_variable and quarantined_llm", () => {
  // The numbers stand here so that nobody makes the search smaller unseen.
  it.each<[World["hide"], Counts]>([
    ["untrusted", { states: 1726, calls: 8150, ran: 3664, sequences: 41_363 }],
    ["above", { states: 2506, calls: 10_539, ran: 5892, sequences: 51_907 }],
  ])(
    "hiding what is %s, keeps every rule in every sequence of up to four calls: %o",
    async (hide, expected) => {
      const data = { untrusted: ["", "", ""], secret: ["", ""] } as const;
      const staged = stage({ tools, policy, hide }, data, { seed: 0, rounds: 0, sees: true });
      const counts = { states: 1, calls: 0, ran: 0, sequences: 0 };
      const begun = JSON.stringify(new AgentSession({ id: "s" }));
      let level: Level = new Map([["", { session: begun, note: null, sequences: 1 }]]);
      const known = new Set(level.keys());
      for (let depth = 1; depth <= 4; depth++) {
        level = await step(staged, level, counts);
        for (const key of level.keys()) known.add(key);
      }
      expect({ ...counts, states: known.size }).toEqual(expected);
    },
  );
});
