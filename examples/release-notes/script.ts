import type { ChatRequest, Content } from "@tunic/core";
import type { ScriptedTurn } from "@tunic/testing";

const skill_name = "release-notes";
const script_name = "scripts/next-version.mjs";

// What the tools give, as far as the model of this example reads it.
interface Commits {
  readonly since: string;
  readonly messages: readonly string[];
}
type Groups = Readonly<
  Record<string, readonly { readonly scope?: string; readonly text: string }[]>
>;

/**
 * The next answer of a model that does what the skill says. It keeps no memory: like a real one it finds
 * everything in the conversation.
 */
export function nextTurn({ messages }: ChatRequest): ScriptedTurn {
  const results = resultsIn(messages.flatMap(({ contents }) => contents));
  const [loaded, commits] = [results.get("load_skill"), results.get("list_commits")];
  if (loaded === undefined || commits === undefined) {
    return {
      calls: [{ name: "load_skill", arguments: { skill_name } }, { name: "list_commits" }],
    };
  }
  const [wording, groups] = [results.get("read_skill_resource"), results.get("run_skill_script")];
  if (wording === undefined || groups === undefined) {
    const { since, messages: words }: Commits = JSON.parse(commits.text);
    const [resource_name = ""] = /references\/[\w.-]+/.exec(loaded.text) ?? [];
    const argv = [since, ...words];
    return {
      calls: [
        { name: "read_skill_resource", arguments: { skill_name, resource_name } },
        { name: "run_skill_script", arguments: { skill_name, script_name, arguments: { argv } } },
      ],
    };
  }
  if (groups.failed) return "The script did not run, so I name no version and write no notes.";
  return notes(JSON.parse(groups.text), wording.text);
}

/** The groups under the titles of the skill's table, in its order. */
function notes({ version, ...groups }: { readonly version: string } & Groups, wording: string) {
  const sections = [...wording.matchAll(/^ +\| (\w+) \| (.+) \|$/gm)].flatMap(
    ([, group = "", title = ""]) => {
      const entries = groups[group] ?? [];
      return entries.length === 0 ? [] : [`### ${title}\n\n${entries.map(line).join("\n")}`];
    },
  );
  return [`## ${version}`, ...sections].join("\n\n");
}

function line({ scope, text }: Groups[string][number]): string {
  return scope === undefined ? `- ${text}` : `- **${scope}** ${text}`;
}

/** What came of the calls, by the names of their tools. */
function resultsIn(contents: readonly Content[]) {
  const names = new Map(
    contents.flatMap((each) => (each.type === "function_call" ? [[each.callId, each.name]] : [])),
  );
  return new Map(
    contents.flatMap((each) => {
      if (each.type !== "function_result") return [];
      const text = each.contents.map((part) => (part.type === "text" ? part.text : "")).join("");
      return [[names.get(each.callId) ?? "", { text, failed: each.isError === true }]];
    }),
  );
}
