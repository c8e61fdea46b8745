/** How many pieces of text each streamed answer has. */
const deltas = 2000;

const piece = (at: number): string => `word${at % 10} `;
const pieces = Array.from({ length: deltas }, (_, at) => piece(at));

/** What all pieces come to. */
export const wholeText: string = pieces.join("");

const data = (event: unknown): string => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { readonly type: string }): string => `event: ${event.type}\n${data(event)}`;

/** The same answer in each service's own events, by the path it is asked under. */
export const streamedBodies: readonly (readonly [RegExp, Buffer])[] = [
  [/chat\/completions/, Buffer.from(chatCompletions())],
  [/responses/, Buffer.from(responses())],
  [/messages/, Buffer.from(anthropic())],
  [/streamGenerateContent/, Buffer.from(gemini())],
];

function chatCompletions(): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "gpt-5",
      system_fingerprint: "fp_1",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces.map((content) => chunk({ content })),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ].join("");
}

function responses(): string {
  let sequence_number = 0;
  const event = (type: string, rest: object) =>
    named({ type, sequence_number: sequence_number++, ...rest } as { type: string });
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const part = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
  const item = (status: string, content: readonly object[]) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    status,
    content,
  });
  const response = (status: string, output: readonly object[]) => ({
    id: "resp_1",
    object: "response",
    created_at: 1,
    status,
    model: "gpt-5",
    output,
    usage: { input_tokens: 1, output_tokens: deltas, total_tokens: deltas + 1 },
  });
  return [
    event("response.created", { response: response("in_progress", []) }),
    event("response.output_item.added", { output_index: 0, item: item("in_progress", []) }),
    event("response.content_part.added", { ...at, part: part("") }),
    ...pieces.map((delta) =>
      event("response.output_text.delta", { ...at, delta, logprobs: [], obfuscation: "abcdef" }),
    ),
    event("response.output_text.done", { ...at, text: wholeText, logprobs: [] }),
    event("response.content_part.done", { ...at, part: part(wholeText) }),
    event("response.output_item.done", {
      output_index: 0,
      item: item("completed", [part(wholeText)]),
    }),
    event("response.completed", {
      response: response("completed", [item("completed", [part(wholeText)])]),
    }),
  ].join("");
}

function anthropic(): string {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...pieces.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: deltas },
    },
    { type: "message_stop" },
  ]
    .map(named)
    .join("");
}

function gemini(): string {
  return pieces
    .map((text, at) =>
      data({
        candidates: [
          {
            content: { parts: [{ text }], role: "model" },
            index: 0,
            ...(at === deltas - 1 && { finishReason: "STOP" }),
          },
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: at, totalTokenCount: at + 1 },
        modelVersion: "gemini-3-pro",
        responseId: "r1",
      }),
    )
    .join("");
}
