import { ConfigurationError, isJsonObject } from "@tunic/core";
import type { CallRule, FlowEffect, FlowPolicy } from "./flow-policy.js";

const policyMembers = ["version", "levels", "tools", "lists", "endorse", "endorseBits", "answer"];
const toolMembers = [
  "effects",
  "rule",
  "arguments",
  "recipients",
  "clearance",
  "result",
  "progress",
  "reads",
  "writes",
  "definition",
];
/** What a label can say; paths of these names are written `["integrity"]`. */
export const labelMembers: readonly string[] = [
  "integrity",
  "confidentiality",
  "readers",
  "capacity",
];
const effects: readonly FlowEffect[] = ["read", "consequential", "egress"];
const rules: readonly CallRule[] = ["trusted_action", "permitted_flow", "either", "both", "always"];

/**
 * Whether a policy, which may have been read from a file, has the form of one. A word that is
 * misspelt would be a guard that is not there.
 *
 * @throws ConfigurationError `flow_policy`.
 */
export function checkPolicyShape(policy: FlowPolicy): void {
  const source: unknown = policy;
  if (!isJsonObject(source)) throw wrong("The policy", "an object: { version: 1, tools: { … } }");
  members("The policy", source, policyMembers);
  if (source["version"] !== 1) throw wrong("version", "1");
  const levels = source["levels"];
  if (levels !== undefined && !(isTexts(levels) && levels.length > 0)) {
    throw wrong("levels", "a list of names, the lowest level first");
  }
  const known = (levels as readonly string[] | undefined) ?? ["public", "private", "user_identity"];
  const { tools, lists } = source;
  if (!isJsonObject(tools)) throw wrong("tools", "an object: what each tool does, by its name");
  for (const [key, flow] of Object.entries(tools)) checkTool(`tools["${key}"]`, flow, known);
  if (lists !== undefined) checkLists(lists);
  checkEndorse(source["endorse"], isJsonObject(lists) ? lists : {});
  const bits = source["endorseBits"];
  if (bits !== undefined && !(typeof bits === "number" && bits >= 0)) {
    throw wrong("endorseBits", "a number of bits, 0 or more");
  }
  checkAnswer(source["answer"]);
}

function checkTool(where: string, flow: unknown, levels: readonly string[]): void {
  if (!isJsonObject(flow)) throw wrong(where, "an object: { effects, rule, arguments, result, … }");
  members(where, flow, toolMembers);
  oneOfEach(`${where}.effects`, flow["effects"], effects);
  oneOf(`${where}.rule`, flow["rule"], rules);
  oneOf(`${where}.clearance`, flow["clearance"], levels);
  oneOf(`${where}.progress`, flow["progress"], ["all"]);
  for (const name of ["recipients", "reads", "writes"]) {
    if (flow[name] !== undefined && !isTexts(flow[name])) {
      throw wrong(`${where}.${name}`, "a list of texts");
    }
  }
  const { definition, result } = flow;
  if (definition !== undefined && typeof definition !== "string") {
    throw wrong(`${where}.definition`, "the hash that toolHash(tool) gives");
  }
  if (result !== undefined && typeof result !== "string" && !isJsonObject(result)) {
    throw wrong(
      `${where}.result`,
      'a label, or labels by path: { $: "trusted", "[*].body": "untrusted" }',
    );
  }
  if (isJsonObject(result)) checkResult(`${where}.result`, result);
  checkArguments(`${where}.arguments`, flow["arguments"], levels);
  const acts = flow["effects"] === undefined || !isOnlyRead(flow["effects"]);
  if (acts && flow["rule"] === "always" && flow["effects"] === undefined) {
    throw wrong(
      `${where}.effects`,
      'said where the rule is "always": what is let through has to be known',
    );
  }
}

/** Half a label would be taken for the path of a part that is not there. */
function checkResult(where: string, result: object): void {
  const names = Object.keys(result);
  const own = names.find((name) => labelMembers.includes(name));
  const path = names.find((name) => !labelMembers.includes(name));
  if (own === undefined || path === undefined) return;
  throw wrong(
    where,
    `one label or labels by path, not both: "${own}" belongs to a label and "${path}" is a path. Write { $: { ${own}: … }, "${path}": … }; a part that is called so is the path ["${own}"]`,
  );
}

function isOnlyRead(value: unknown): boolean {
  return Array.isArray(value) && value.every((effect) => effect === "read");
}

function checkArguments(where: string, value: unknown, levels: readonly string[]): void {
  if (value === undefined) return;
  if (!isJsonObject(value)) throw wrong(where, 'an object: { to: { integrity: "trusted" } }');
  for (const [path, flow] of Object.entries(value)) {
    const at = `${where}["${path}"]`;
    if (!isJsonObject(flow)) throw wrong(at, '{ integrity: "trusted" }, { confidentiality } or {}');
    members(at, flow, ["integrity", "confidentiality"]);
    oneOf(`${at}.integrity`, flow["integrity"], ["trusted"]);
    oneOf(`${at}.confidentiality`, flow["confidentiality"], levels);
  }
}

function checkLists(lists: unknown): void {
  if (!isJsonObject(lists)) throw wrong("lists", "an object: lists of values by name");
  for (const [name, list] of Object.entries(lists)) {
    const fits =
      Array.isArray(list) &&
      list.length > 0 &&
      list.every((each) => typeof each === "string" || typeof each === "number");
    if (name === "user")
      throw wrong("lists", 'without "user", which stands for what the user has written');
    if (!fits) throw wrong(`lists["${name}"]`, "a list of texts and numbers, not empty");
  }
}

function checkEndorse(endorse: unknown, lists: object): void {
  if (endorse === undefined) return;
  if (!Array.isArray(endorse)) throw wrong("endorse", "a list of rules");
  for (const [at, rule] of endorse.entries()) checkEndorseRule(`endorse[${at}]`, rule, lists);
}

function checkEndorseRule(where: string, rule: unknown, lists: object): void {
  if (!isJsonObject(rule))
    throw wrong(where, 'a rule: { type: "selection", from } or { type: "value", maxBits }');
  oneOf(`${where}.type`, rule["type"] ?? "", ["selection", "value", "lookup"]);
  if (rule["type"] === "lookup") {
    checkLookup(where, rule);
    return;
  }
  const { into, maxBits } = rule;
  if (into !== undefined && !(isTexts(into) && into.length > 0 && into.every(isPattern))) {
    throw wrong(
      `${where}.into`,
      'a list of patterns such as "send_mail.to", "send_mail.*", "*.to" or "*"',
    );
  }
  if (rule["type"] === "value") {
    members(where, rule, ["type", "maxBits", "into"]);
    if (typeof maxBits === "number" && maxBits > 0) return;
    throw wrong(`${where}.maxBits`, "a number above 0");
  }
  checkSelection(where, rule, lists);
}

function checkSelection(
  where: string,
  rule: { readonly [name: string]: unknown },
  lists: object,
): void {
  members(where, rule, ["type", "from", "into", "untrustedContext"]);
  const { from, untrustedContext } = rule;
  if (from !== "user" && !(typeof from === "string" && Object.hasOwn(lists, from))) {
    throw wrong(
      `${where}.from`,
      `"user" or the name of a list: ${Object.keys(lists).join(", ") || "there are none"}`,
    );
  }
  if (untrustedContext === undefined) return;
  if (typeof untrustedContext !== "boolean" || (untrustedContext && from !== "user")) {
    throw wrong(`${where}.untrustedContext`, 'true only with from: "user"');
  }
}

function checkLookup(
  where: string,
  { results, bits, ...rest }: { readonly [name: string]: unknown },
): void {
  members(where, rest, ["type"]);
  if (!isTexts(results) || results.length === 0) {
    throw wrong(
      `${where}.results`,
      'a list of tools, or of parts of their results such as "create_file.id"',
    );
  }
  if (bits !== undefined && !(typeof bits === "number" && bits >= 0)) {
    throw wrong(`${where}.bits`, "a number of bits, 0 or more");
  }
}

function checkAnswer(answer: unknown): void {
  if (answer === undefined) return;
  if (!isJsonObject(answer)) throw wrong("answer", "an object: { links, readers }");
  members("answer", answer, ["links", "readers"]);
  oneOf("answer.links", answer["links"], ["remove", "allow"]);
  if (answer["readers"] !== undefined && !isTexts(answer["readers"])) {
    throw wrong("answer.readers", "a list of names");
  }
}

function members(where: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw wrong(where, `without "${unknown}"; it may have: ${known.join(", ")}`);
}

function oneOf(where: string, value: unknown, words: readonly string[]): void {
  if (value === undefined || words.some((word) => word === value)) return;
  throw wrong(where, `one of ${words.map((word) => `"${word}"`).join(", ")}`);
}

function oneOfEach(where: string, value: unknown, words: readonly string[]): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length === 0) throw wrong(where, "a list, not empty");
  for (const [at, each] of value.entries()) oneOf(`${where}[${at}]`, each ?? "", words);
}

function isPattern(text: string): boolean {
  return text === "*" || /.\../s.test(text);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function wrong(where: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    "flow_policy",
    `Information flow policy: ${where} must be ${expected}.`,
  );
}
