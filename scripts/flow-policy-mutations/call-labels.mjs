// What calls and results are labelled with, the tools of the package, and the answer.
export const callGuards = {
  "tools/own-tools.ts": [
    [
      "a tool of this package is known by itself, not by its name",
      "return own.has(tool);",
      'return own.has(tool) || tool.name === "inspect_variable" || tool.name === "quarantined_llm";',
    ],
  ],
  "flow/read-call.ts": [
    [
      "a foreign tool that has changed is another tool",
      "if (named === undefined || changed) return",
      "if (named === undefined) return",
    ],
    [
      "a definition that nobody has looked at is another tool",
      "const other = definition !== undefined && definition !== toolHash(original);",
      "const other = false;",
    ],
    ["a reference has to stand for something", "      this.complete = false;\n"],
    [
      "a value keeps its label behind a reference",
      "label: variable?.label ?? this.#callLabel,",
      "label: this.#callLabel,",
    ],
    [
      "what a model writes has the label of its context",
      "label: variable?.label ?? this.#callLabel,",
      "label: variable?.label ?? this.#flow.settings.lattice.bottom,",
    ],
    [
      "arguments make the label of a call",
      "...(leaves?.map((leaf) => leaf.label) ?? namedLabels(flow, args)),",
    ],
    [
      "which references name nothing tells of the variables",
      "leaf.label) ?? namedLabels(flow, args)",
      "leaf.label) ?? []",
    ],
    [
      "an empty list keeps its label",
      "if (isEmpty(value) && (variable !== undefined || this.#path.length > 1)) {",
      "if (!value) {",
    ],
  ],
  "flow/result-terms.ts": [
    [
      "a result knows what its call knew",
      "lattice.joinAll([callLabel, argumentsLabel, child, read]);",
      "lattice.joinAll([argumentsLabel === callLabel ? lattice.bottom : argumentsLabel, child, read]);",
    ],
    [
      "a result knows what its arguments knew",
      "lattice.joinAll([callLabel, argumentsLabel, child, read]);",
      "lattice.joinAll([callLabel, child, read]);",
    ],
    [
      "a result knows what an agent inside has read",
      "lattice.joinAll([callLabel, argumentsLabel, child, read]);",
      "lattice.joinAll([callLabel, argumentsLabel, read]);",
    ],
    [
      "a result knows what was written to where it reads",
      "lattice.joinAll([callLabel, argumentsLabel, child, read]);",
      "lattice.joinAll([callLabel, argumentsLabel, child]);",
    ],
    [
      "what was made of small values is not small",
      "  const { capacity: _, ...rest } = lattice.joinAll(",
      "  const rest = lattice.joinAll(",
    ],
    [
      "untrusted parts are hidden from a trusted context",
      '  if (label.integrity === "untrusted" && record.callLabel.integrity === "trusted") return false;\n',
    ],
    [
      "confidential parts are hidden where that is asked for",
      'return hide === "untrusted" || lattice.flowsTo(label, record.callLabel);',
      "return true;",
    ],
    [
      "a result's label is kept for the next request",
      "  flow.results.set(callId, label);\n",
      "  flow.results.set(callId, flow.settings.lattice.bottom);\n",
    ],
  ],
  "flow/label-result.ts": [
    [
      "what is visible of a result makes its label",
      "    ...part.labels.map((each) => labelOfPart(terms, each)),\n",
    ],
    [
      "a foreign tool's own label can only restrict",
      'return tool.trust === "external" ? flow.settings.lattice.join(otherwise, label) : label;',
      "return label;",
    ],
    [
      "a label that is none counts as the worst",
      "    return lattice.top;\n",
      "    return lattice.bottom;\n",
    ],
    ["a content that says it is untrusted is", "    ...restricting,\n"],
    [
      "a text may come from any part of a result",
      "const declared = isScalar(content, value) ? [tool.result.root.value] : tool.result.values;",
      "const declared = [tool.result.root.value];",
    ],
    [
      "look-ups have a budget",
      "if (flow.ledger.bits + bits > flow.settings.policy.endorseBits) {",
      "if (bits < 0) {",
    ],
    ["look-ups use the budget up", "  flow.ledger.bits += bits;\n"],
  ],
  "flow/hide-repeats.ts": [
    [
      "a look-up does not repeat what was asked",
      'if (typeof each !== "object") return isRepetition(each) ? keep(each) : each;',
      'if (typeof each !== "object") return each;',
    ],
    [
      "names of members can repeat what was asked",
      "if (entries.some(([name]) => repeats(name))) return keep(each);",
    ],
  ],
  "flow/label-error.ts": [
    [
      "errors are somebody else's words",
      'lattice.joinAll([base, lattice.label("untrusted"), ...tool.result.values])',
      "lattice.joinAll([base, ...tool.result.values])",
    ],
    [
      "errors know what results know",
      'lattice.joinAll([base, lattice.label("untrusted"), ...tool.result.values])',
      'lattice.joinAll([base, lattice.label("untrusted")])',
    ],
    [
      "that untrusted arguments have failed costs a bit",
      "const told = isVisible(terms, cause) || spendOutcome(flow, callId, tool.key);",
      "const told = true;",
    ],
  ],
  "tools/inspect-variable.ts": [
    [
      "who inspects has read it",
      "        flow.ownResults.set(call.callId, label);\n",
      "        flow.ownResults.set(call.callId, record.callLabel);\n",
    ],
  ],
  "tools/quarantined-llm.ts": [
    [
      "the quarantine's answer knows what it was made of",
      "const label = flow.settings.lattice.join(callLabel, asked.label);",
      "const label = callLabel;",
    ],
    [
      "the quarantine's answer knows what the question knew",
      "const label = flow.settings.lattice.join(callLabel, asked.label);",
      "const label = asked.label;",
    ],
    [
      "that there is no answer is told only where it is affordable",
      '!untrusted || spendOutcome(flow, origin.callId, "quarantined_llm")',
      "!untrusted || origin",
    ],
  ],
  "answer/guard-answer.ts": [
    [
      "an answer that its reader may not read is withheld",
      "        await this.#withhold(update, emit);\n",
      "        await emit(update);\n",
    ],
    [
      "links that nobody trusted has written are taken out",
      "return this.#leaves(label) || namedValuesOf(this.#flow).hasLink(link);",
      "return this.#leaves(label) || link !== undefined;",
    ],
    [
      "a hidden value that its reader may not read is withheld",
      "const text = mayRead(this.#flow.settings, label)",
      "const text = label",
    ],
    [
      "what an answer shows is known from then on",
      "    this.#flow.shown = lattice.join(this.#flow.shown, label);\n",
    ],
    [
      "an address in an answer is a link",
      'if (content.type !== "uri" || this.#keeps(content.uri, label)) return content;',
      "if (label) return content;",
    ],
    [
      "an error in an answer can hold links",
      "return { ...content, message: this.#guarded(content.message, label) };",
      "return content;",
    ],
    [
      "links in hidden values are taken out",
      "return this.#links.aside(text, (link) => this.#keeps(link, label));",
      "return this.#links.pass(text);",
    ],
    [
      "links stay only where the answer is trusted",
      'return label.integrity === "trusted" || this.#inner;',
      "return label !== undefined;",
    ],
  ],
  "flow/outcome-bit.ts": [
    [
      "that something failed is told only where it is affordable",
      "  if (ledger.bits + 1 > settings.policy.endorseBits) return false;\n",
    ],
    ["that something failed uses the budget up", "  ledger.bits += 1;\n"],
  ],
  "tools/checked-progress.ts": [
    [
      "progress of a tool without a record is not shown",
      "  if (record === undefined) return false;",
      "  if (record === undefined) return true;",
    ],
    [
      "progress that is not trusted is not shown",
      'return label.integrity === "trusted" && mayRead(settings, label);',
      "return mayRead(settings, label);",
    ],
    [
      "progress that its reader may not read is not shown",
      'return label.integrity === "trusted" && mayRead(settings, label);',
      'return label.integrity === "trusted";',
    ],
  ],
  "answer/audience.ts": [
    [
      "everybody who reads an answer may read it",
      "return audience.every((each) => readers.includes(each));",
      "return audience.length >= 0;",
    ],
  ],
  "answer/shown-variables.ts": [
    [
      "what an answer has shown the user, the model does not see",
      'if (message.role !== "assistant" || !message.contents.some(isShown)) return message;',
      "if (message) return message;",
    ],
  ],
  "variables/variable-store.ts": [
    [
      "hidden values have a limit",
      "count >= most || memory.bytes + bytes > mostBytes",
      "memory.bytes + bytes > mostBytes",
    ],
    [
      "hidden bytes have a limit",
      "count >= most || memory.bytes + bytes > mostBytes",
      "count >= most",
    ],
    ["hidden values are counted", "      count += 1;\n"],
    ["hidden bytes are counted", "      memory.bytes += bytes;\n"],
  ],
  "tools/quarantine-answer.ts": [
    [
      "a small answer is shown only where it is affordable",
      "if (rule !== undefined && affordable) {",
      "if (rule !== undefined && capacity !== undefined) {",
    ],
    ["a small answer is shown only where a rule says so", "      capacity <= each.maxBits &&\n"],
    [
      "a small answer is shown only by a rule about everything",
      '(each.into ?? ["*"]).includes("*"),',
      "each.into !== each,",
    ],
    ["a small answer that is shown uses the budget up", "    flow.ledger.bits += capacity;\n"],
    [
      "an answer of the quarantine can say no more than what it was made of",
      "const least = Math.min(capacity, bits);",
      "const least = bits;",
    ],
    [
      "the bits of several small values add up",
      'integrity === "trusted" ? sum : sum + capacity,',
      'integrity === "trusted" ? sum : Math.max(sum, capacity),',
    ],
    [
      "members are those of the schema",
      "  if (members !== undefined) {",
      "  if (members !== undefined && isJsonObject(value) && !Object.keys(value).length) {",
    ],
  ],
  "tools/asked-variables.ts": [
    [
      "calls of one batch do not see what others hide",
      "if (reference === undefined || Number(reference.id.slice(1)) >= nextVariable) continue;",
      "if (reference === undefined) continue;",
    ],
    [
      "what is not found tells of what was asked",
      "    label = lattice.join(label, lattice.read(whole.label) ?? lattice.top);\n",
    ],
  ],
  "flow/outcome-label.ts": [
    [
      "that a call was not done says something of its values",
      "  return flow.settings.lattice.join(callLabel, values);",
      "  return callLabel;",
    ],
  ],
};
