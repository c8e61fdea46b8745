import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { approve, deny } from "./approval-response.js";

/** A terminal, as far as it is needed: `readline.Interface` of `node:readline/promises` is one. */
export interface Terminal {
  /**
   * Shows a text and gives the line that is typed after it. Node's own never settles once the input has
   * ended: give its `question` a signal that fires on `close`, as a second argument.
   */
  question(text: string): Promise<string>;
}

/** How people are asked in a terminal. */
export interface PromptOptions {
  /** Offers to remember an approval of exactly these arguments; needs a session. Default false. */
  readonly remember?: boolean | undefined;
}

/**
 * Asks about each request in a terminal, one after the other. Whatever is typed that is no clear yes
 * is no yes: an empty line and everything else is asked again, `n` may be followed by a reason. Values
 * are shown whole, with invisible characters and those that steer a terminal written out.
 *
 * @throws what `question` rejects with: nothing is decided then.
 */
export async function promptForDecisions(
  requests: readonly FunctionApprovalRequestContent[],
  terminal: Terminal,
  { remember = false }: PromptOptions = {},
): Promise<readonly FunctionApprovalResponseContent[]> {
  const decisions: FunctionApprovalResponseContent[] = [];
  for (const [at, request] of requests.entries()) {
    const heading = `\nApproval ${at + 1} of ${requests.length}\n${describeRequest(request)}\n`;
    decisions.push(await decisionOn(request, heading, terminal, remember));
  }
  return decisions;
}

/** A request as text for people, whole: what stands here is what they decide about. */
export function describeRequest(request: FunctionApprovalRequestContent): string {
  const { call, tool, path = [], reason, summary, violation, expiresAt } = request;
  const { effective, beside = [] } = request;
  const owner = tool?.owner === undefined ? "" : ` of ${visible(tool.owner)}`;
  const through = path.map((step) => visible(step.name)).join(" > ");
  const traits = Object.entries(tool?.traits ?? {}).map(([name, value]) =>
    value === true ? name : `${name}: ${String(value)}`,
  );
  const lines = [
    ["tool", `${visible(tool?.title ?? call.name)} (${visible(call.name)})${owner}`],
    ["asked by", through],
    ["says", visible(summary ?? "", "\n")],
    ["because", visible(reason ?? "")],
    ["breaks", visible(violation ?? "")],
    ["declares", visible(traits.join(", "))],
    ["until", expiresAt === undefined ? "" : timeOf(expiresAt)],
    ["arguments", json(call.arguments ?? {})],
    ["as the tool gets them", effective ? json(effective) : ""],
    ["runs with it", beside.map((each) => visible(callText(each))).join("\n")],
  ];
  return lines.flatMap(([name, text]) => (text ? [field(name, text)] : [])).join("\n");
}

function json(value: JsonObject): string {
  return visible(JSON.stringify(value, undefined, 2), "\n");
}

function callText({ name, arguments: args = {} }: FunctionCallContent): string {
  return `${name} ${JSON.stringify(args)}`;
}

/** Further lines stand behind a bar, so that none of them can pose as a field of its own. */
function field(name = "", text: string): string {
  const [first = "", ...more] = text.split("\n");
  if (more.length === 0) return `  ${name}: ${first}`;
  return [`  ${name}:`, ...[first, ...more].map((line) => `    | ${line}`)].join("\n");
}

/** Some times are so late that no calendar has them: "never", in effect. */
function timeOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? String(milliseconds) : time.toISOString();
}

async function decisionOn(
  request: FunctionApprovalRequestContent,
  heading: string,
  terminal: Terminal,
  remember: boolean,
): Promise<FunctionApprovalResponseContent> {
  const choices = remember
    ? "[y]es, [a]lways with these arguments, [n]o, or n and a reason"
    : "[y]es, [n]o, or n and a reason";
  let text = `${heading}  Run it? (${choices}) `;
  for (;;) {
    const line = (await terminal.question(text)).trim();
    const [word = "", reason] = split(line);
    if (word === "y" || word === "yes") {
      if (reason === undefined) return approve(request);
    } else if (word === "n" || word === "no") {
      return deny(request, { reason });
    } else if (remember && (word === "a" || word === "always") && reason === undefined) {
      return approve(request, { remember: true });
    }
    text = `  Please type one of: ${choices}. `;
  }
}

function split(line: string): readonly [string, string | undefined] {
  const [word = ""] = line.split(/\s/, 1);
  const rest = line.slice(word.length).trim();
  return [word.toLowerCase(), rest === "" ? undefined : rest];
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Written out: characters that nobody sees, that move the cursor, or that turn the text around. */
function visible(text: string, but = ""): string {
  return text.replace(unseen, (character) =>
    character === but
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}
