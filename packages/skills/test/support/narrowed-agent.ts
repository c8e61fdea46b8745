import {
  Agent,
  type AgentInput,
  type AgentOptions,
  AgentSession,
  type FunctionResultContent,
  type Message,
  type RunOptions,
  tool,
} from "@tunic/core";
import { type ScriptedCall, ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import {
  defineSkill,
  type Skill,
  SkillsProvider,
  type SkillsProviderOptions,
  skillScript,
} from "../../src/index.js";
import { free } from "./provider.js";

/** A skill with a script, that allows some tools. */
export function allowing(name: string, allowedTools?: readonly string[]): Skill {
  return defineSkill({
    name,
    description: `About ${name}.`,
    instructions: `Do ${name}.`,
    ...(allowedTools && { allowedTools }),
    resources: [{ name: "notes", content: "Some notes." }],
    scripts: [skillScript({ name: "go", run: () => `went ${name}` })],
  });
}

export function theirs(skill: Skill): Skill {
  return { ...skill, trust: "untrusted", origin: "a project" };
}

export function load(name: string): ScriptedCall {
  return { name: "load_skill", arguments: { skill_name: name } };
}

export function script(name: string): ScriptedCall {
  return { name: "run_skill_script", arguments: { skill_name: name, script_name: "go" } };
}

export function shell(command: string): ScriptedCall {
  return { name: "shell", arguments: { command } };
}

/** An agent with three tools of its own, and what has run. */
export function narrowedAgent(
  skills: readonly Skill[],
  turns: readonly ScriptedTurn[],
  {
    ask = [],
    provider = {},
    tools = [],
    ...more
  }: Partial<AgentOptions> & {
    /** The tools that ask. */
    readonly ask?: readonly string[];
    readonly provider?: Partial<SkillsProviderOptions>;
  } = {},
) {
  const ran: string[] = [];
  const recording = (name: string, argument: string) =>
    tool({
      name,
      description: `Does ${name}.`,
      parameters: { type: "object", properties: { [argument]: { type: "string" } } },
      approvalMode: ask.includes(name) ? "always_require" : "never_require",
      editable: true,
      execute(args) {
        ran.push(`${name} ${JSON.stringify(args)}`);
        return "done";
      },
    });
  const client = new ScriptedChatClient(turns);
  const agent = new Agent({
    client,
    tools: [
      recording("shell", "command"),
      recording("read_file", "path"),
      recording("send", "to"),
      tools,
    ],
    contextProviders: [new SkillsProvider({ skills, ...free, ...provider })],
    ...more,
  });
  const notices: string[] = [];
  agent.events.on("notice", ({ code, message }) => notices.push(`${code}: ${message}`));
  return { agent, client, ran, notices };
}

/** In both modes. */
export async function say(
  agent: Agent,
  streamed: boolean,
  input: AgentInput,
  options: RunOptions = {},
) {
  return streamed ? await agent.stream(input, options).response : await agent.run(input, options);
}

export function resultsIn(messages: readonly Message[]): readonly FunctionResultContent[] {
  return messages.flatMap(({ contents }) =>
    contents.filter((content) => content.type === "function_result"),
  );
}

/** The codes of the errors among the results, `ok` for the others. */
export function codesIn(messages: readonly Message[]): readonly string[] {
  return resultsIn(messages).map(({ isError, error }) => (isError ? (error?.code ?? "?") : "ok"));
}

/** As another process would find it. */
export function restarted(session: AgentSession): AgentSession {
  return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
}
