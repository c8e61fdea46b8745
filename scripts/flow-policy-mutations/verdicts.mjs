// What the policy says of calls, and what is done about them.
export const verdictGuards = {
  "policy/judge-call.ts": [
    [
      "a reference to nothing is a violation",
      'violations: [{ rule: "unknown_reference" }]',
      "violations: []",
    ],
    ["an argument has a highest level", "...levelViolations(policy.lattice, leaves),"],
    [
      "strict: the context may not be told of",
      "...(facts.strict ? contextViolations(policy.lattice, facts, leaves) : []),",
    ],
    [
      "strict: only where the context is too confidential for the receivers",
      'return [{ rule: "confidential_context", label: asJson(callLabel) }];',
      "return [];",
    ],
    [
      "a tool without a rule still has levels",
      'if (rule === "always") return { violations: others, endorsements: [] };',
      'if (rule === "always") return { violations: [], endorsements: [] };',
    ],
    [
      "permitted flow is looked at",
      'const flow = rule === "trusted_action" ? [] : flowViolations(policy.lattice, facts, leaves);',
      "const flow: FlowViolation[] = [];",
    ],
    [
      "either: a flow that is not permitted needs trust",
      'if (flow.length === 0 && rule === "either") {',
      'if (rule === "either") {',
    ],
    [
      "either: guarded arguments have to be trusted in a permitted flow, too",
      "violations: [...guardViolations(leaves, endorsements), ...others]",
      "violations: others",
    ],
    [
      "a permitted flow breaks other rules",
      "return { violations: [...flow, ...others], endorsements: [] };",
      "return { violations: flow, endorsements: [] };",
    ],
    [
      "both: trust counts",
      "const violations = [...trust, ...flow, ...others];",
      "const violations = [...flow, ...others];",
    ],
    [
      "both: the flow counts",
      "const violations = [...trust, ...flow, ...others];",
      "const violations = [...trust, ...others];",
    ],
    [
      "a trusted action has levels, too",
      "const violations = [...trust, ...flow, ...others];",
      "const violations = [...trust, ...flow];",
    ],
    [
      "who decides on a call has to be trusted",
      '    { rule: "trusted_call", label: asJson(callLabel) },\n',
    ],
    [
      "untrusted references are said beside an untrusted context",
      "    ...guardViolations(referred, endorsements),\n",
    ],
    [
      "guarded arguments have to be trusted",
      'return wrong.map((leaf) => about("trusted_argument", leaf));',
      "return [];",
    ],
    ["receivers have to be allowed to read", 'violations.push(about("permitted_flow", leaf));'],
    ["no untrusted link goes along", 'violations.push(about("untrusted_link", leaf));'],
    [
      "a tool has a clearance",
      "return lattice.levels.indexOf(label.confidentiality) <= tool.clearance;",
      "return true;",
    ],
    [
      "what has readers goes to nobody who is not named",
      "return recipients.length > 0 && recipients",
      "return recipients",
    ],
    [
      "every receiver has to be a reader",
      "recipients.every((each) => readers.includes(each))",
      "recipients.some((each) => readers.includes(each))",
    ],
  ],
  "policy/endorse-call.ts": [
    ["endorsements have a budget", "return bits <= facts.bitsLeft ? found : [];", "return found;"],
    [
      "a value that is endorsed has a capacity",
      "return capacity !== undefined && capacity <= rule.maxBits ? capacity : undefined;",
      "return capacity ?? 0;",
    ],
    [
      "a value that is endorsed is small",
      "return capacity !== undefined && capacity <= rule.maxBits ? capacity : undefined;",
      "return capacity;",
    ],
    [
      "a selection from the user's words is one of them",
      'if (rule.from === "user") return sumOf(chosen.map(named.bitsFor));',
      'if (rule.from === "user") return sumOf(chosen.map(named.bitsFor)) ?? 0;',
    ],
    [
      "a selection from a list is in it",
      "return chosen.every((each) => list.has(each)) ?",
      "return chosen.length > 0 ?",
    ],
    ["a rule is about certain arguments", "return into.some(", "return true || into.some("],
    [
      "an untrusted context is endorsed only where the policy says so",
      "each.untrustedContext === true &&",
    ],
    [
      "an untrusted context: a rule is about all arguments",
      "leaves.every((leaf) => appliesTo(each, facts.tool, leaf)),",
      "leaves.length >= 0,",
    ],
    ["an untrusted context: every argument is the user's word", "    else return [];"],
    [
      "an untrusted context: something special was said",
      'return words > 0 ? [{ at: "", rule, bits }] : [];',
      'return [{ at: "", rule, bits }];',
    ],
    [
      "an untrusted context: a guarded argument is never small enough",
      'flow?.integrity !== "trusted" && isBounded(value)',
      "isBounded(value)",
    ],
  ],
  "policy/named-values.ts": [
    ["the user's words are whole words", "if (inWord.test(character)) return false;"],
    [
      "a word may go on behind a dot",
      'if (character !== ",") return next === "" || !inWord.test(next);',
      'if (character !== ",") return true;',
    ],
    [
      "a number may go on behind a comma",
      "  return !(/\\p{N}/u.test(next) && /\\p{N}/u.test(beside(text, at, step === 1 ? -1 : 1)));",
      "  return true;",
    ],
  ],
  "policy/compile-policy.ts": [
    [
      "a tool that is not named is taken for the worst: its rule",
      'rule: "both",',
      'rule: "always",',
    ],
    [
      "a tool that is not named is taken for the worst: its result",
      "result: pathTable({}, lattice.top),",
      "result: pathTable({}, lattice.bottom),",
    ],
    [
      "a tool that is not named is taken for the worst: its arguments",
      "arguments: pathTable({ $: guarded }),",
      "arguments: pathTable({}),",
    ],
    [
      "a tool that acts has a rule",
      'rule: flow.rule ?? (acts ? "trusted_action" : "always"),',
      'rule: flow.rule ?? "always",',
    ],
    [
      "arguments are guarded by default",
      "arguments: flows = { $: guarded },",
      "arguments: flows = {},",
    ],
    [
      "results are untrusted by default",
      '        lattice.label("untrusted"),\n        lattice.joinAll',
      "        lattice.bottom,\n        lattice.joinAll",
    ],
    [
      "a result's label without an integrity is untrusted",
      '{ integrity: "untrusted", ...input }',
      "input",
    ],
  ],
  "flow/policy-enforcement.ts": [
    [
      "a denial further in holds",
      'if (inner.kind === "deny") return inner;',
      'if (inner.kind === "deny") return { kind: "run" };',
    ],
    [
      "a call has the label of the request that it was decided on in",
      "const decided = callLabel(flow, context.call.callId) ?? knownLabel(flow);",
      "const decided = settings.lattice.bottom;",
    ],
    [
      "nobody is asked about a reference to nothing",
      'if (mode !== "approve" || call.leaves === undefined) {',
      'if (mode !== "approve") {',
    ],
    [
      "a question after a permit says that something has changed",
      "rules === decision?.violation ?",
      "rules === undefined ?",
    ],
    [
      "what a person has not edited is as the model wrote it",
      "    callLabel: decided,\n",
      "    callLabel: label,\n",
    ],
    ["what waits inside of a call is written down", "  notePaused(flow, response);\n"],
    ["a person sees what references stand for", "    effective: verdict.effective ?? effective,\n"],
    ["a question says which rule is broken", "    violation: brokenRules(judged, context),\n"],
    ["endorsements use the budget up", "    flow.ledger.bits += bits;\n"],
    [
      "what is written keeps its label",
      "  noteWrites(flow, call.tool, call.effective, lattice.join(decided, call.argumentsLabel));\n",
    ],
    ["a history that comes in is looked at", "  takeInput(flow, context.messages);\n"],
    [
      "both halves have to be there: when a call is judged",
      "  checkHalves(flow.halves);\n  const decided",
      "  const decided",
    ],
    [
      "both halves have to be there: when a run is over",
      "  checkHalves(flow.halves);\n  noteOwnWords",
      "  noteOwnWords",
    ],
  ],
  "flow/judge-in-run.ts": [
    [
      "tools of this package are free, and no others",
      "if (isOwnTool(originalOf(tool))) return",
      "if (tool) return",
    ],
  ],
  "flow/permit.ts": [
    [
      "a permit needs a decision",
      "  if (decision === undefined) return false;\n  if (asked !== permit && !(decision.edited &&",
      "  if (asked !== permit && !(decision?.edited &&",
    ],
    [
      "a permit is for exactly what was asked",
      "  if (asked !== permit && !(decision.edited && isWithin(flow, context, call, asked))) return false;\n",
    ],
    [
      "an edit holds only within what was permitted",
      "!(decision.edited && isWithin(flow, context, call, asked))",
      "!decision.edited",
    ],
    [
      "an edit is of what was asked",
      "  if (asked !== permitFor(context.tool, callId, original, before)) return false;\n",
    ],
    ["a permit is for one call", "    callId,\n    tool:", "    tool:"],
    ["a permit is for one definition of the tool", "    tool: toolHash(originalOf(tool)),\n"],
    ["a permit is for these values", "    effective,\n    labels", "    labels"],
    [
      "a permit is for these labels",
      "    labels: leaves.map(({ path, label }) => [path, { ...label }]) as unknown as JsonValue,\n",
    ],
    ["a permit is for this context", "    callLabel: { ...callLabel } as unknown as JsonValue,\n"],
    [
      "a permit is for these violations",
      "    violations: violations.map(({ rule, argument = null }) => [rule, argument]),\n",
    ],
  ],
  "policy/describe-violation.ts": [
    [
      "a person sees untrusted text in a fence",
      '  if (label.integrity === "trusted") return text;',
      "  if (label) return text;",
    ],
    ["no text gets out of its fence", '    .replace(/[\\u27e6\\u27e7\\u301a\\u301b]/g, "|")\n'],
  ],
};
