import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, type ChatClient, type ChatOptions, joinInstructions } from "@tunic/core";
import { SkillsProvider } from "@tunic/skills";
import { fileSkills } from "@tunic/skills/node";

const folder = fileURLToPath(new URL(".", import.meta.url));

/**
 * Milliseconds that a run takes with so many skills in folders, each with a resource, beside a model that
 * answers at once: `cold` the first run of a fresh process (best of five), `warm` a later one (best of twenty).
 */
export async function discovery(
  skills: number,
): Promise<{ readonly cold: number; readonly warm: number }> {
  return await withSkills(skills, async (root) => {
    let cold = Number.POSITIVE_INFINITY;
    for (let process = 0; process < 5; process++) cold = Math.min(cold, firstRun(root));
    const { agent } = agentOver(root);
    let warm = Number.POSITIVE_INFINITY;
    for (let run = 0; run <= 20; run++) {
      const started = performance.now();
      await agent.run("go");
      if (run > 0) warm = Math.min(warm, performance.now() - started);
    }
    return { cold, warm };
  });
}

/** Tokens of the prompt for so many skills as a share of what it may take, and those of the same list unbounded. */
export async function promptShare(
  skills: number,
): Promise<{ readonly share: number; readonly tokens: number; readonly list: number }> {
  return await withSkills(skills, async (root) => {
    const tokensOf = async (maxTokens: number) => {
      const { agent, asked } = agentOver(root, maxTokens);
      await agent.run("go");
      const text = joinInstructions(asked().instructions) ?? "";
      return Math.ceil(Buffer.byteLength(text) / 3);
    };
    const most = 4000;
    const tokens = await tokensOf(most);
    return { share: tokens / most, tokens, list: await tokensOf(Number.POSITIVE_INFINITY) };
  });
}

function agentOver(root: string, maxTokens?: number) {
  let options: ChatOptions = {};
  const client: ChatClient = {
    metadata: { provider: "mock" },
    async getResponse({ run, options: now }) {
      options = now;
      const contents = [{ type: "text" as const, text: "done" }];
      const message = { role: "assistant" as const, contents, createdAt: run?.now() ?? 0 };
      return { messages: [{ id: run?.newId("message") ?? "", ...message }] };
    },
  };
  const provider = new SkillsProvider({ skills: fileSkills(root), maxTokens });
  return { agent: new Agent({ client, contextProviders: [provider] }), asked: () => options };
}

/** Of a process of its own, which has compiled nothing yet. */
function firstRun(root: string): number {
  const script = `import { Agent } from "@tunic/core"; import { SkillsProvider } from "@tunic/skills";
    import { fileSkills } from "@tunic/skills/node";
    const client = { metadata: { provider: "mock" }, getResponse: async () => (
      { messages: [{ id: "1", role: "assistant", contents: [{ type: "text", text: "done" }], createdAt: 0 }] }) };
    const t = performance.now();
    const provider = new SkillsProvider({ skills: fileSkills(${JSON.stringify(root)}) });
    await new Agent({ client, contextProviders: [provider] }).run("go");
    console.log(performance.now() - t);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  });
  const time = Number.parseFloat(stdout);
  if (Number.isNaN(time)) throw new Error(`bench: the first run failed: ${stderr}`);
  return time;
}

async function withSkills<Result>(
  count: number,
  work: (root: string) => Promise<Result>,
): Promise<Result> {
  const root = mkdtempSync(join(tmpdir(), "tunic-bench-"));
  try {
    for (let at = 0; at < count; at++) {
      const skill = join(root, `skill-${at}`);
      mkdirSync(join(skill, "references"), { recursive: true });
      const head = `name: skill-${at}\ndescription: Does work number ${at}. Use it when somebody asks for number ${at}.\nlicense: MIT`;
      const body = "Do this, and then do that.\n".repeat(40);
      writeFileSync(join(skill, "SKILL.md"), `---\n${head}\n---\n# Skill ${at}\n\n${body}`);
      writeFileSync(join(skill, "references/all.md"), body);
    }
    return await work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}
