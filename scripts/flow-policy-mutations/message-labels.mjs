// What requests and messages are labelled with.
export const messageGuards = {
  "flow/flow-halves.ts": [["a half does not stand alone", "halves.size < 2", "halves.size < 1"]],
  "flow/label-tracking.ts": [
    [
      "a permit is used up",
      "  if (own(flow.memory.permits, callId) !== undefined) delete flow.memory.permits[callId];\n",
    ],
    [
      "what a service holds is written down",
      "    recordHeld(flow, [response.conversationId, response.responseId], answer.current);\n",
    ],
    [
      "an agent inside reports what it has read",
      "around.childLabels.set(parentCallId, lattice.joinAll([before, answer, shown]));",
    ],
  ],
  "flow/request-label.ts": [
    ["a run inside another one knows what its call knows", "    flow.floor,\n"],
    ["instructions have a label", "    labels.instructions,\n"],
    ["what providers say in a run has a label", "    providedLabel(flow, options.instructions),\n"],
    ["messages have labels", "    shown,\n    toolsLabel", "    toolsLabel"],
    ["definitions have a label", "    toolsLabel(flow, options.tools ?? []),\n"],
    ["what a service holds has a label", "    heldLabel(flow, options),\n"],
    [
      "an unknown id stands for the worst",
      "return held.get(id) ?? lattice.top;",
      "return held.get(id) ?? lattice.bottom;",
    ],
    [
      "options of a service can name what it holds",
      "for (const own of Object.values(providerOptions ?? {})) ids.push(...heldIds(own));",
    ],
    ["hosted tools can name what a service holds", "    ids.push(...heldIds(tool.definition));\n"],
    [
      "a definition is vetted by its hash",
      "return definition !== undefined && definition === toolHash(original);",
      "return definition !== undefined;",
    ],
    [
      "a definition is what it was when it was first met",
      "  for (const tool of tools) noteDefinition(flow, tool);\n",
    ],
  ],
  "flow/request-view.ts": [
    [
      "another view is labelled anew",
      "given.every((message, at) => message === messages[at]);",
      "given !== messages;",
    ],
  ],
  "flow/answer-label.ts": [
    [
      "an answer brings what hosted tools bring",
      "      current = lattice.join(current, brought);\n",
    ],
    [
      "hosted tools bring untrusted text",
      'const untrusted = lattice.label("untrusted");',
      "const untrusted = lattice.bottom;",
    ],
  ],
  "flow/message-labels.ts": [
    [
      "an answer that comes in is the worst where nothing is believed",
      "put(flow.memory.messages, message.id, label ?? flow.settings.lattice.top);",
      "put(flow.memory.messages, message.id, label ?? flow.settings.lattice.bottom);",
    ],
    [
      "two messages under one id are the worst",
      "    else if (!isSame(before, message)) distrust(flow, before, message);\n",
    ],
    [
      "references of another conversation stand for nothing",
      "    skipReferences(flow, message);\n",
    ],
    [
      "a result that comes in is the worst where nothing is believed",
      "believedLabel(flow, content, false, () => sealedPart(content, result)) ?? lattice.top,",
      "believedLabel(flow, content, false, () => sealedPart(content, result)) ?? lattice.bottom,",
    ],
    [
      "what is no result has no seal",
      "  if (results.length < Math.max(1, message.contents.length)) return lattice.top;\n",
    ],
    [
      "an edit is told in words that no seal is over",
      "if (contents.length === 0 || edited !== undefined) return lattice.top;",
      "if (contents.length === 0) return lattice.top;",
    ],
    ["a user's message can say that it is untrusted", "    restricted,\n"],
    [
      "parts of a user's message have labels",
      "    ...message.contents.map((content) => userContentLabel(flow, content)),\n",
    ],
    [
      "an answer is believed where it stands in our session",
      "const ours = stored !== undefined;",
      "const ours = true;",
    ],
    [
      "a result whose label was taken away is the worst",
      "if (labels.every((label) => label === undefined) && !hasLostLabel(flow, result)) {",
      "if (labels.every((label) => label === undefined)) {",
    ],
    [
      "what an untrusted call says to an agent inside is not the user's words",
      '  if (flow.floor.integrity === "untrusted") return true;\n',
    ],
    [
      "untrusted messages are not the user's words",
      'if (message.role !== "user" || messageTaints(flow, message)) return [];',
      'if (message.role !== "user") return [];',
    ],
    [
      "others' messages are not the user's words",
      'if (message.role !== "user" || messageTaints(flow, message)) return [];',
      "if (messageTaints(flow, message)) return [];",
    ],
    [
      "untrusted parts of a message are not the user's words",
      'content.type === "text" && userContentLabel(flow, content).integrity === "trusted"',
      'content.type === "text"',
    ],
  ],
  "flow/content-labels.ts": [
    [
      "a label that anybody can write is not believed",
      "if (labelSecret === undefined) return ours ? read : undefined;",
      "if (labelSecret === undefined) return read;",
    ],
    [
      "a sealed label is genuine",
      "return genuine ? read : undefined;",
      "return genuine || read ? read : undefined;",
    ],
    [
      "attachments have a label of their own",
      'const usual = content.type === "text" ? labels.user : labels.attachments;',
      "const usual = labels.user;",
    ],
    [
      "a part of a user's message can say that it is untrusted",
      "return lattice.join(usual, lattice.read(written) ?? lattice.top);",
      "return usual;",
    ],
  ],
  "flow/flow-run.ts": [
    [
      "an agent under one that follows no labels trusts nothing",
      "  if (record === undefined) return lattice.top;\n",
      "  if (record === undefined) return lattice.bottom;\n",
    ],
    [
      "a permit is gone once there is a result",
      'if (content.type === "function_result") delete permits[content.callId];',
      "void content;",
    ],
    [
      "an agent inside begins with what its call knew",
      "return lattice.join(record.callLabel, record.argumentsLabel);",
      "return record.argumentsLabel === record.callLabel ? lattice.bottom : lattice.bottom;",
    ],
  ],
};
