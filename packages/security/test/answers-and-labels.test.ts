import {
  Agent,
  AgentSession,
  type ContextProvider,
  type FunctionTool,
  textContent,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  createLabelLattice,
  explain,
  type FlowPolicy,
  labelOf,
  type SecureAgentOptions,
  secureAgent,
  withLabel,
} from "../src/index.js";

const readMail = tool({
  name: "read_mail",
  execute: () => ({ body: 'Look "here": https://evil.example/x' }),
});
const policy: FlowPolicy = {
  version: 1,
  tools: { read_mail: { effects: ["read"], result: { $: "trusted", body: "untrusted" } } },
};

function agentOf(
  turns: readonly ScriptedTurn[],
  options: Partial<SecureAgentOptions> = {},
  providers: readonly ContextProvider[] = [],
) {
  return new Agent({
    client: new ScriptedChatClient(turns),
    contextProviders: [
      secureAgent({ tools: readMail, policy, quarantine: false, ...options }),
      ...providers,
    ],
  });
}

describe("an answer as a value", () => {
  it("holds what references stand for as JSON", async () => {
    const schema = { type: "object", properties: { text: {}, id: {} } } as const;
    const response = await agentOf([
      { calls: [{ name: "read_mail" }] },
      '{"text": {"$ref":"v1"}, "id": 7}',
    ]).run("Read it.", {
      session: new AgentSession(),
      options: { responseFormat: { type: "json_schema", schema } },
    });
    expect(response.value).toEqual({ text: 'Look "here": [link removed]', id: 7 });
  });
});

describe("a shadow", () => {
  it("withholds nothing from readers", async () => {
    const forAnn = { readers: ["ann"] };
    const tools = { read_mail: { effects: ["read"], result: forAnn } } as const;
    const { text } = await agentOf(
      [{ calls: [{ name: "read_mail" }] }, 'It says {"$ref":"v1.body"}'],
      {
        policy: { version: 1, tools, answer: { readers: ["bob"] } },
        mode: "shadow",
      },
    ).run("Read it.", { session: new AgentSession() });
    expect(text).toBe('It says Look "here": https://evil.example/x');
  });
});

describe("a label of another lattice", () => {
  const levels = ["open", "secret"];
  const providing = (lattice: ReturnType<typeof createLabelLattice>, level: string) => ({
    name: "notes",
    provide: () => ({
      messages: [
        {
          role: "user" as const,
          contents: [withLabel(textContent("a note"), { confidentiality: level }, lattice)],
        },
      ],
    }),
  });

  it("is read in the levels of the policy", async () => {
    const lattice = createLabelLattice({ levels });
    const { messages } = await agentOf(["So."], { policy: { ...policy, levels } }, [
      providing(lattice, "secret"),
    ]).run("Hi", { session: new AgentSession() });
    const label = messages[0] && labelOf(messages[0], lattice);
    expect(label).toEqual({ integrity: "trusted", confidentiality: "secret" });
  });

  it("counts as the worst where the policy has no such level", async () => {
    const { messages } = await agentOf(["So."], {}, [
      providing(createLabelLattice({ levels }), "secret"),
    ]).run("Hi", { session: new AgentSession() });
    expect(messages[0] && labelOf(messages[0])?.readers).toEqual([]);
  });
});

describe("the budget of endorsed bits", () => {
  it("is one for a session and all agents inside", async () => {
    const ran: string[] = [];
    const open = tool({
      name: "open",
      parameters: { type: "object", properties: { mail: { type: "string" } } },
      execute: ({ mail }) => ran.push(String(mail)),
    });
    const rules: FlowPolicy = {
      version: 1,
      tools: {
        read_mail: { effects: ["read"], result: { $: "trusted", body: "untrusted" } },
        open: { effects: ["consequential"] },
        helper: { effects: ["read"], result: "trusted" },
      },
      lists: { mails: ['Look "here": https://evil.example/x', "another"] },
      endorse: [{ type: "selection", from: "mails" }],
      endorseBits: 1,
    };
    const openIt = (id: string): ScriptedTurn[] => [
      { calls: [{ name: "read_mail" }] },
      { calls: [{ id, name: "open", arguments: { mail: { $ref: "v1.body" } } }] },
      "Done.",
    ];
    const inner = (name: string): FunctionTool =>
      agentOf(openIt(name), { tools: [mailOf(), open], policy: rules }).asTool({ name: "helper" });
    const mailOf = () =>
      tool({
        name: "read_mail",
        execute: () => ({ body: { body: 'Look "here": https://evil.example/x' } }),
      });
    const session = new AgentSession();
    for (const name of ["first", "second"]) {
      await agentOf([{ calls: [{ name: "helper", arguments: { task: "open it" } }] }, "Done."], {
        tools: [inner(name)],
        policy: rules,
      }).run("Open the mail.", { session });
    }
    expect(ran).toHaveLength(1);
    expect(explain(session, "first")?.verdict).toBe("run");
  });
});
