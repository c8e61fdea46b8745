import type { ChatMessage, ToolCall } from "@copilotkit/aimock";
import { call, type Result, textOf } from "./scripted-answer.js";

/** What a scripted model has to go by when it writes a mail. Neither: nobody has told it how. */
export interface Style {
  /** What it has to ask for first. */
  readonly call?: ToolCall;
  /** The mail, with names in braces for what is to be filled in. */
  readonly template?: string;
}

/**
 * How to write a mail on some occasion, as a skill says that is offered in the instructions: the model loads
 * it, looks up which template fits, and reads that. It knows none of their texts.
 *
 * @param occasion What it looks for in the skill's table of templates.
 */
export function styleFor(
  occasion: RegExp,
  messages: readonly ChatMessage[],
  results: readonly Result[],
): Style {
  const skill_name = offeredSkill(messages);
  if (skill_name === undefined) return {};
  const loaded = results.find(({ name }) => name === "load_skill");
  if (loaded === undefined) return { call: call("load_skill", { skill_name }) };
  const resource_name = loaded.failed ? undefined : resourceFor(occasion, loaded.text);
  if (resource_name === undefined) return {};
  const read = results.find(
    ({ name, input }) => name === "read_skill_resource" && input.includes(resource_name),
  );
  if (read === undefined) {
    return { call: call("read_skill_resource", { skill_name, resource_name }) };
  }
  const template = read.failed ? undefined : templateIn(read.text);
  return template === undefined ? {} : { template };
}

/** A template with its braces filled in. What nobody knows stays as it is, to be seen. */
export function filledIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (braces, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? braces) : braces,
  );
}

/** The text of the mail in a file about it. */
export function templateIn(file: string): string | undefined {
  return /^```text\n(.*?)\n```$/ms.exec(file)?.[1];
}

/** Only of the instructions: what a mail offers is no skill. */
function offeredSkill(messages: readonly ChatMessage[]): string | undefined {
  const instructions = messages
    .filter(({ role }) => role === "system")
    .map(textOf)
    .join("\n");
  const offers = instructions.matchAll(
    /<skill><name>(.*?)<\/name><description>(.*?)<\/description>/g,
  );
  for (const [, name, description = ""] of offers) {
    if (/\bmails?\b/i.test(description)) return name;
  }
  return undefined;
}

/** The file that a row of the table names. */
function resourceFor(occasion: RegExp, skill: string): string | undefined {
  const row = skill.split("\n").find((line) => line.startsWith("|") && occasion.test(line));
  return /`([^`]+)`/.exec(row ?? "")?.[1];
}
