import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
} from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { approve, deny } from "./approval-response.js";
import { describeInput } from "./describe-input.js";
import { type RequestedInput, requestedInput } from "./requested-input.js";
import type { Terminal } from "./terminal.js";
import { visible } from "./visible-text.js";

/** How people are asked in a terminal. */
export interface PromptOptions {
  /**
   * Offers to remember an approval of exactly these arguments; needs a session. Never for a form or a page,
   * which are answered each time. Default false.
   */
  readonly remember?: boolean | undefined;
}

/**
 * Asks about each request in a terminal, one after the other. Whatever is typed that is no clear yes
 * is no yes: an empty line and everything else is asked again, `n` may be followed by a reason. Values
 * are shown whole, with invisible characters and those that steer a terminal written out.
 *
 * A request that asks for a form is answered with it: after the yes, each field is asked for until what is
 * typed fits. An empty line takes the default or leaves the field out; where it is required and has none,
 * the yes is taken back, and the request is asked about again. Secrets are not asked for.
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
  const input = requestedInput(request);
  const shown = input?.rest ?? call.arguments ?? {};
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
    ...(input ? describeInput(input) : []),
    ["arguments", input && Object.keys(shown).length === 0 ? "" : json(shown)],
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
  const input = requestedInput(request);
  const always = remember && input === undefined;
  const choices = always
    ? "[y]es, [a]lways with these arguments, [n]o, or n and a reason"
    : "[y]es, [n]o, or n and a reason";
  const question = `${input ? "Answer?" : "Run it?"} (${choices}) `;
  let text = `${heading}  ${question}`;
  for (;;) {
    const { answer, reason } = readAnswer((await terminal.question(text)).trim());
    if (answer === "no") return deny(request, { reason });
    if (answer === "always" && always) return approve(request, { remember: true });
    const given = answer === "yes" ? await approvalOf(request, input, terminal) : undefined;
    if (typeof given === "object") return given;
    text = given === undefined ? `  Please type one of: ${choices}. ` : `  ${given} ${question}`;
  }
}

/** With what is filled in; in words why there is none. */
async function approvalOf(
  request: FunctionApprovalRequestContent,
  input: RequestedInput | undefined,
  terminal: Terminal,
): Promise<FunctionApprovalResponseContent | string> {
  if (input?.mode !== "form") return approve(request);
  const { fillInForm } = await import("./fill-in-form.js");
  const filled = await fillInForm(input, terminal);
  return typeof filled === "string" ? filled : approve(request, { arguments: filled });
}

type Answer = "yes" | "no" | "always";

const answers: ReadonlyMap<string, Answer> = new Map([
  ["y", "yes"],
  ["yes", "yes"],
  ["n", "no"],
  ["no", "no"],
  ["a", "always"],
  ["always", "always"],
]);

/** Only a no may have something after it: "yes, but" is no yes. */
function readAnswer(line: string): { readonly answer?: Answer; readonly reason?: string } {
  const [word = ""] = line.split(/\s/, 1);
  const reason = line.slice(word.length).trim();
  const answer = answers.get(word.toLowerCase());
  if (answer === undefined) return {};
  if (reason === "") return { answer };
  return answer === "no" ? { answer, reason } : {};
}
