import {
  type ApprovalMode,
  ConfigurationError,
  type ContextProvider,
  checkOptionNames,
  type FunctionTool,
  type Middleware,
  type ProvidedContext,
  type ProviderContext,
  textContent,
} from "@tunic/core";
import { withLabel } from "@tunic/security";
import { skillFacts } from "./provider/called-skill.js";
import { type RunSkills, setSkillsOfRun } from "./provider/run-skills.js";
import { type SkillNarrowing, skillNarrowing } from "./provider/skill-narrowing.js";
import { skillSearch } from "./provider/skill-search.js";
import {
  loadSkillTool,
  readSkillResourceTool,
  runSkillScriptTool,
  searchSkillsTool,
} from "./provider/skill-tools.js";
import {
  DEFAULT_SKILLS_INSTRUCTION_PROMPT,
  estimatedTokens,
  promptTemplate,
  skillList,
  sortedSkills,
} from "./provider/skills-prompt.js";
import { type ToolNames, wordReader } from "./provider/tool-words.js";
import type { Skill } from "./skill.js";
import { describeProblem, type SkillProblem } from "./skill-problem.js";
import { deduplicateSkills } from "./sources/deduplicate-skills.js";
import type { CheckedSource, SkillsInput } from "./sources/skills-input.js";

/** What a {@link SkillsProvider} is made of. */
export interface SkillsProviderOptions {
  /** Skills and sources; of two skills of one name the first counts. */
  readonly skills: SkillsInput;
  /** Of the provider. Default `skills`. */
  readonly name?: string | undefined;
  /** With `{skills}`, where the list goes. Default `DEFAULT_SKILLS_INSTRUCTION_PROMPT`. */
  readonly prompt?: string | undefined;
  /** Tokens that the prompt with its list may take. Above them there is no list but `search_skills`. Default 4000. */
  readonly maxTokens?: number | undefined;
  /** Default: one token for three bytes of UTF-8, which is more than models count. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** When somebody is asked before a skill is loaded. Default `always_require`. */
  readonly loadSkillApproval?: ApprovalMode | undefined;
  /** When somebody is asked before a resource is read. Default `always_require`. */
  readonly readSkillResourceApproval?: ApprovalMode | undefined;
  /** When somebody is asked before a script runs. Default `always_require`. */
  readonly runSkillScriptApproval?: ApprovalMode | undefined;
  /** What the words in `allowed-tools` mean here: `{ Bash: { tool: "shell", argument: "command" } }`. Default: names of tools. */
  readonly toolNames?: ToolNames | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof SkillsProviderOptions>([
  "skills",
  "name",
  "prompt",
  "maxTokens",
  "countTokens",
  "loadSkillApproval",
  "readSkillResourceApproval",
  "runSkillScriptApproval",
  "toolNames",
]);

/** What stands in the place of a list that is too long. */
const searchHint = "There are too many skills to list: find one with search_skills.";
/** What stands in the place of a list that has none of our own. */
const listElsewhere = "The list of skills is in a message: all of them are others'.";
/** Of one run; more would say nothing new. */
const mostNotices = 20;

/**
 * Skills for an agent: the model is told their names and descriptions, loads one with `load_skill` when it
 * fits, reads what it names with `read_skill_resource` and runs its scripts with `run_skill_script`. Without
 * skills it adds nothing. What is wrong with skills becomes notices of the run (`skill_problem`), with the
 * {@link SkillProblem} as their `error`.
 *
 * Skills of others (`trust: "untrusted"`) are told of in a message that is labelled untrusted, not in the
 * instructions, and what their tools give is labelled so.
 *
 * While a skill with `allowed-tools` is in use, from its loading to the user's next message, only what these
 * name may run, and only what every such skill allows.
 */
export class SkillsProvider implements ContextProvider {
  readonly name: string;
  readonly middleware: readonly Middleware[];
  readonly #source: CheckedSource;
  readonly #prompt: (list: string) => string;
  readonly #maxTokens: number;
  readonly #countTokens: (text: string) => number;
  readonly #tools: readonly FunctionTool[];
  readonly #search: FunctionTool;
  readonly #narrowing: SkillNarrowing;

  /**
   * @throws ConfigurationError `unknown_option`, `invalid_option`, `invalid_skills`, or `skills_prompt` for a
   * prompt without `{skills}` or with anything else in braces.
   */
  constructor(options: SkillsProviderOptions) {
    checkOptionNames("SkillsProvider", options, optionNames);
    const {
      name = "skills",
      prompt = DEFAULT_SKILLS_INSTRUCTION_PROMPT,
      maxTokens = 4000,
    } = options;
    this.name = name;
    this.#source = deduplicateSkills(options.skills);
    this.#prompt = promptTemplate(prompt);
    this.#maxTokens = maxTokens;
    this.#countTokens = options.countTokens ?? estimatedTokens;
    const least = this.#countTokens(this.#prompt(searchHint));
    if (!(maxTokens >= least)) {
      throw new ConfigurationError(
        "invalid_option",
        `SkillsProvider: maxTokens must be at least ${least}, which the prompt takes without a list.`,
      );
    }
    this.#narrowing = skillNarrowing(name, wordReader(options.toolNames));
    this.middleware = [this.#narrowing.middleware, skillFacts(name)];
    this.#tools = [
      loadSkillTool(name, this.#narrowing, options.loadSkillApproval ?? "always_require"),
      readSkillResourceTool(options.readSkillResourceApproval ?? "always_require"),
      runSkillScriptTool(options.runSkillScriptApproval ?? "always_require"),
    ];
    this.#search = searchSkillsTool();
  }

  async provide(context: ProviderContext): Promise<ProvidedContext | undefined> {
    const { run, session, messages, signal } = context;
    const listing = await this.#source.list({ run, session, signal });
    tell(listing.problems, (message, problem) => run.notice("skill_problem", message, problem));
    const log = [...(session?.messages ?? []), ...messages];
    this.#narrowing.restore(run, log, listing.skills);
    if (listing.skills.length === 0) return undefined;
    const skills = sortedSkills(listing.skills);
    let search: ReturnType<RunSkills["search"]> | undefined;
    setSkillsOfRun(run, {
      provider: this,
      skills,
      search: () => {
        search ??= skillSearch(skills);
        return search;
      },
    });
    return this.#advertised(skills);
  }

  #advertised(skills: readonly Skill[]): ProvidedContext {
    const trusted = skills.filter(({ trust }) => trust === "trusted");
    const others = skills.filter(({ trust }) => trust !== "trusted");
    const instructions = this.#prompt(trusted.length === 0 ? listElsewhere : skillList(trusted));
    const message = others.length === 0 ? "" : `Skills of others:\n${skillList(others)}`;
    const tokens = this.#countTokens(instructions) + (message ? this.#countTokens(message) : 0);
    // So that what is no number is too much.
    if (!(tokens <= this.#maxTokens)) {
      return { instructions: this.#prompt(searchHint), tools: [...this.#tools, this.#search] };
    }
    return {
      instructions,
      tools: this.#tools,
      ...(message !== "" && {
        messages: [{ role: "user", contents: [withLabel(textContent(message), "untrusted")] }],
      }),
    };
  }
}

function tell(
  problems: readonly SkillProblem[],
  notice: (message: string, problem?: SkillProblem) => void,
): void {
  for (const problem of problems.slice(0, mostNotices)) {
    notice(describeProblem(problem), problem);
  }
  const more = problems.length - mostNotices;
  if (more > 0) notice(`There are ${more} more problems with skills.`);
}
