import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

/** What the user got wrong, and what to write instead. */
export class UsageError extends Error {}

/** Which model answers. */
export type ModelChoice =
  | { readonly provider: "scripted" }
  | {
      readonly provider: "openai" | "anthropic";
      readonly model: string;
      readonly baseURL?: string;
    };

/** What the program was asked to do. */
export interface Command {
  readonly choice: ModelChoice;
  readonly question: string;
  readonly mail: string;
  readonly out?: string;
  readonly json: boolean;
  /** Neither question nor mails of the user's own: what should come out is known. */
  readonly standard: boolean;
}

const ownMails = join(import.meta.dirname, "mails");
const ownQuestion =
  "Which mails wait for an answer of mine? Label them, and draft a reply to the one that has waited longest.";

export const help = `An assistant over a folder of mails (.eml).

  npm run demo                                          a scripted model, offline
  npm run demo -- --provider openai --model NAME        with OPENAI_API_KEY set
  npm run demo -- --provider anthropic --model NAME     with ANTHROPIC_API_KEY set
  npm run demo -- --base-url URL [--model NAME]         any server that speaks OpenAI's protocol

  --question TEXT   what to ask (the default asks for mails that wait for an answer)
  --mail DIR        a folder with .eml files; it is only read
  --out DIR         an empty folder for labelled mails and drafts (default: a temporary one)
  --json            print the transcript as JSON, and nothing else, on stdout
  --help            this text
`;

const options = {
  provider: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  question: { type: "string" },
  mail: { type: "string" },
  out: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsConfig["options"];

/**
 * Reads the command line.
 *
 * @returns undefined when help was asked for.
 * @throws UsageError
 */
export function readCommandLine(
  args: string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const choice = readChoice(values, environment);
  const question = values.question?.trim() ?? ownQuestion;
  if (question === "") throw new UsageError('--question is empty; write --question "…".');
  const mail = readMailFolder(values.mail);
  const out = readOutFolder(values.out, mail);
  return {
    choice,
    question,
    mail,
    ...(out !== undefined && { out }),
    json: values.json,
    standard: values.question === undefined && values.mail === undefined,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: false }).values;
  } catch (error) {
    // Node adds advice on how to pass the argument all the same, which does not help here.
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new UsageError(`${reason}. The options are: ${namesOf(Object.keys(options))}.`);
  }
}

type Values = ReturnType<typeof parse>;

function readChoice(
  values: Values,
  environment: Readonly<Record<string, string | undefined>>,
): ModelChoice {
  const { model, "base-url": baseURL } = values;
  const provider = values.provider ?? (baseURL === undefined ? "scripted" : "openai");
  if (provider === "scripted") {
    if (model === undefined && baseURL === undefined) return { provider };
    throw new UsageError(
      "--model and --base-url are for live models: write --provider openai or --provider anthropic, too.",
    );
  }
  if (provider !== "openai" && provider !== "anthropic") {
    throw new UsageError(
      `--provider ${provider} is not known; write openai, anthropic or scripted.`,
    );
  }
  // A server of one's own often has one model and no key, and does not care what either is called.
  if (baseURL !== undefined) return { provider, model: model || "default", baseURL: url(baseURL) };
  if (!model) {
    throw new UsageError(
      `--provider ${provider} needs a model: write --provider ${provider} --model NAME.`,
    );
  }
  const key = provider === "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  if (environment[key]) return { provider, model };
  throw new UsageError(
    `--provider ${provider} needs a key: set ${key} in the environment, or write --base-url URL for a server that asks for none.`,
  );
}

function url(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new UsageError(
    `--base-url ${text} is no address; write one such as http://127.0.0.1:8080/v1.`,
  );
}

function readMailFolder(given: string | undefined): string {
  const folder = given === undefined ? ownMails : resolve(given);
  if (!isFolder(folder)) {
    throw new UsageError(`--mail ${given}: there is no such folder; write --mail DIR.`);
  }
  if (readdirSync(folder).some((name) => name.endsWith(".eml"))) return folder;
  throw new UsageError(`--mail ${given}: there is no .eml file in that folder.`);
}

/** What is written must never end up among the mails that are read. */
function readOutFolder(given: string | undefined, mail: string): string | undefined {
  if (given === undefined) return undefined;
  const folder = resolve(given);
  if (existsSync(folder) && (!isFolder(folder) || readdirSync(folder).length > 0)) {
    throw new UsageError(`--out ${given}: write a folder that is empty or does not exist yet.`);
  }
  const path = existsSync(folder) ? realpathSync(folder) : folder;
  const way = relative(realpathSync(mail), path);
  if (way !== "" && (way.startsWith("..") || resolve(way) === way)) return folder;
  throw new UsageError(`--out ${given}: write a folder outside of the mails, which are only read.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function namesOf(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(", ");
}
