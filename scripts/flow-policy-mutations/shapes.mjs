// What holds for the parts of data: of results, of answers, of what a person has changed, of what is kept elsewhere.
export const shapeGuards = {
  "tree/labeled-tree.ts": [
    [
      "a label holds for everything inside",
      "const inherited = labels.length > 0 ? uniformState(value) : under;",
      "const inherited = under;",
    ],
    [
      "a label inside of another one counts",
      "this.marks = { labels: [label, ...labels], below };",
      "this.marks = { labels: [label, ...labels], below: new Map() };",
    ],
    [
      "of two labels of one value the inner one counts",
      "this.marks = { labels: [label, ...labels], below };",
      "this.marks = { labels: [label], below };",
    ],
    [
      "items have labels of their own",
      "      if (this.marks !== undefined) below.set(at, this.marks);\n",
    ],
    [
      "members have labels of their own",
      "      if (this.marks !== undefined) below.set(key, this.marks);\n",
    ],
  ],
  "tree/hide.ts": [
    [
      "what is hidden as one has the labels of all that is in it",
      "return [state.value, ...found];",
      "return [state.value];",
    ],
  ],
  "flow/label-result.ts": [
    [
      "labels count where it cannot be told what they stand at",
      "marks === undefined ? (marked?.labels ?? []) : []",
      "marks === undefined ? [] : []",
    ],
    [
      "what a content says of itself holds for its parts",
      "mappedState(state, (declared) => lattice.join(declared, label))",
      "mappedState(state, (declared) => (label ? declared : declared))",
    ],
    [
      "a result of another form than the policy's is the worst that is declared",
      "if (!missesUntrusted(tool, data, state)) return",
      "if (tool) return",
    ],
    [
      "what stands twice under one name is not left in a text",
      '(state.settled || content.type !== "text" || !hasLostNames(content.text, data))',
      "data !== undefined",
    ],
  ],
  "flow/result-shape.ts": [
    [
      "a text that no path of the policy meets is looked for at any depth",
      "Object.values(node).some(holdsText)",
      'Object.values(node).some((each) => typeof each === "string")',
    ],
  ],
  "flow/edited-call.ts": [
    [
      "what a person has left as it was keeps its label",
      "  if (path === before.path && isSame(value, before.value)) return true;\n",
    ],
    [
      "what a person has left inside of a longer text keeps its label",
      "return value.includes(text);",
      "return false;",
    ],
  ],
  "flow/edit-notes.ts": [
    [
      "the model is not told to what a person has changed its call",
      'if (message.role !== "tool" || !message.contents.some(isEdited)) return message;',
      "if (message) return message;",
    ],
  ],
  "flow/resources.ts": [
    [
      "what was written before stays where something is added",
      "before === undefined ? label : lattice.join(",
      "before !== undefined || before === undefined ? label : lattice.join(",
    ],
    [
      "a resource is that of these arguments",
      'return typeof value === "string" ? value : JSON.stringify(value ?? null);',
      'return typeof value === "string" ? String(Math.random()) : "";',
    ],
  ],
  "flow/flow-memory.ts": [
    [
      "where it is not known what was spent, all was",
      "value >= 0 ? value : Number.MAX_SAFE_INTEGER;",
      "value >= 0 ? value : 0;",
    ],
  ],
  "flow/request-label.ts": [
    ["an id may stand in what is named", '(held && name === "id")', "false"],
    [
      "ids may stand in lists",
      "return value.flatMap((each: JsonValue) => heldIds(each, held));",
      "return value.flatMap((each: JsonValue) => heldIds(each));",
    ],
    [
      "what was recorded counts, whatever the configuration says",
      "if (recorded !== undefined) return",
      "if (recorded !== undefined && !held.has(id)) return",
    ],
  ],
  "flow/label-tracking.ts": [
    [
      "what was sent counts where it is kept, also when the request has failed",
      "    recordHeld(flow, [context.options.conversationId], answer.current);\n",
    ],
    [
      "what an agent inside has shown, its caller knows",
      "lattice.joinAll([before, answer, shown])",
      "lattice.joinAll([before, answer])",
    ],
  ],
  "answer/json-link-guard.ts": [
    [
      "links in JSON are looked for in what it says, not in how it is written",
      "const said = decoded(begun",
      "const said = undefined && decoded(begun",
    ],
    [
      "a text that was begun before is looked at as well",
      "const said = decoded(begun",
      "const said = begun ? undefined : decoded(begun",
    ],
    [
      "hidden values in JSON have rules of their own",
      "const inner = jsonLinkGuard(keeps, this.#onRemoved);",
      "const inner = jsonLinkGuard(this.#keeps, this.#onRemoved);",
    ],
    [
      "hidden values in JSON are looked at as JSON",
      "const inner = jsonLinkGuard(keeps, this.#onRemoved);",
      "const inner = linkGuard(keeps, this.#onRemoved);",
    ],
  ],
  "answer/link-guard.ts": [
    [
      "a link that has begun in what was shown is one",
      "const found = linkStartIn(this.#before + view, this.#before.length);",
      "const found = linkStartIn(view);",
    ],
    ["a value that is shown in between ends no link", "    inner.#before = this.#before;\n"],
    [
      "the rest of a link that was taken out is taken out, too",
      "    this.#skipping = stop === this.#held.length || stop > longestLink;\n",
    ],
    [
      "nothing makes another link of one that was kept",
      "    this.#open = stop === this.#held.length;\n",
    ],
    [
      "what a program takes for a link has to be allowed whole",
      "(longest === link || this.#mayStay(longest))",
      "longest !== undefined",
    ],
    [
      "a word that a hidden value has begun is no freer for what stands behind it",
      "    this.#foreign = /\\s$/u.test(shown) ? undefined : keeps;\n",
    ],
  ],
  "answer/guard-answer.ts": [
    [
      "links stay in an inner agent's answer only where nobody watches it",
      "return follows && !showsProgress(around, parentCallId);",
      "return follows;",
    ],
  ],
  "flow/answer-label.ts": [
    [
      "what a hosted tool brings without an integrity is untrusted",
      '{ integrity: "untrusted", ...result }',
      "result",
    ],
  ],
  "flow/message-labels.ts": [
    [
      "what did not come in with an input is not the user's",
      "  if (origin === undefined) {\n",
      "  if (origin === undefined && !flow) {\n",
    ],
    [
      "an answer of our session without a label is the worst",
      "return believed ?? flow.settings.lattice.top;",
      "return believed ?? flow.settings.lattice.bottom;",
    ],
  ],
  "flow/policy-enforcement.ts": [
    [
      "a call that no answer has made knows what the conversation holds",
      "callLabel(flow, context.call.callId) ?? knownLabel(flow)",
      "callLabel(flow, context.call.callId) ?? settings.lattice.bottom",
    ],
    [
      "a denial that hidden values have decided tells of them",
      "  if (byValue) return argumentsLabel;\n",
    ],
    [
      "a denial that receivers have decided tells of them",
      'if (!rules.includes("permitted_flow")) return lattice.bottom;',
      "if (rules) return lattice.bottom;",
    ],
  ],
};
