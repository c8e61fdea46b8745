import type Anthropic from "@anthropic-ai/sdk";

type Event = Anthropic.RawMessageStreamEvent;
/** Blocks and events as they come over the wire, where members are missing that the types promise. */
export type Wire = { readonly type: string; readonly [member: string]: unknown };

/** Cuts a text into pieces; the default is one piece. */
export type Cut = (text: string) => readonly string[];

const inOne: Cut = (text) => [text];

/** The events in which the service would stream a whole message. */
export function asEvents(message: Anthropic.Message, cut: Cut = inOne): Event[] {
  const { content, stop_reason, stop_details, usage, container, ...rest } = message;
  const { input_transformations, ...head } = { input_transformations: undefined, ...rest };
  const events: Wire[] = [
    {
      type: "message_start",
      message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: "ping" },
  ];
  content.forEach((block, index) => {
    const [start, deltas] = blockEvents(block, cut);
    events.push({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  });
  events.push(
    {
      type: "message_delta",
      delta: { stop_reason, stop_details, ...(container && { container }) },
      usage: { output_tokens: usage.output_tokens },
      ...(input_transformations !== undefined && { input_transformations }),
    },
    { type: "message_stop" },
  );
  return events as unknown as Event[];
}

function blockEvents(
  block: Anthropic.ContentBlock | Anthropic.Beta.BetaMCPToolUseBlock,
  cut: Cut,
): [start: object, deltas: object[]] {
  switch (block.type) {
    case "text": {
      const texts = cut(block.text).map((text) => ({ type: "text_delta", text }));
      const citations = (block.citations ?? []).map((citation) => ({
        type: "citations_delta",
        citation,
      }));
      return [
        { ...block, text: "", ...(block.citations && { citations: [] }) },
        [...texts, ...citations],
      ];
    }
    case "thinking": {
      const texts = cut(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      const signature = block.signature
        ? [{ type: "signature_delta", signature: block.signature }]
        : [];
      return [{ type: "thinking", thinking: "", signature: "" }, [...texts, ...signature]];
    }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const text = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
      const deltas =
        text === "{}"
          ? []
          : cut(text).map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return [{ ...block, input: {} }, deltas];
    }
    default:
      return [block, []];
  }
}

/** Events as the text of a server-sent event stream. */
export function asText(events: readonly object[]): string {
  return events
    .map((event) => `event: ${(event as Wire).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
