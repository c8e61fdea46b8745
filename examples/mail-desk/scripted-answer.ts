import type { ChatMessage, ToolCall } from "@copilotkit/aimock";

/** What the scripted model answers: text, calls, or both. */
export interface ScriptedAnswer {
  readonly text: string;
  readonly calls?: readonly ToolCall[];
}

/** A call with what came of it. */
export interface Result {
  readonly name: string;
  /** The arguments, as the model wrote them. */
  readonly input: string;
  readonly failed: boolean;
  readonly text: string;
}

/** A call as the service writes it. */
export function call(name: string, args: object): ToolCall {
  return { name, arguments: JSON.stringify(args) };
}

/** What the successful calls of a tool gave, in order. The script knows its own tools. */
export function succeeded<Value>(results: readonly Result[], name: string): readonly Value[] {
  return results
    .filter((result) => result.name === name && !result.failed)
    .map(({ text }): Value => JSON.parse(text));
}

/** All results of a conversation, in order. */
export function resultsIn(messages: readonly ChatMessage[]): readonly Result[] {
  const calls = new Map(
    messages.flatMap((message) => message.tool_calls ?? []).map((each) => [each.id, each.function]),
  );
  return messages
    .filter(({ role }) => role === "tool")
    .map((message) => {
      const text = textOf(message);
      const { name = "", arguments: input = "" } = calls.get(message.tool_call_id ?? "") ?? {};
      return { name, input, text, failed: text.startsWith("Error:") };
    });
}

/** The text of a message. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  if (typeof content === "string") return content;
  return content.map(({ text }) => text ?? "").join("");
}
