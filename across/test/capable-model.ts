import type {
  ChatCompletionRequest,
  LLMock,
  TextResponse,
  ToolCallResponse,
} from "@copilotkit/aimock";

type Answer = TextResponse | ToolCallResponse;

/** Makes the mock answer like a model that is up to all live scenarios, whatever protocol it is asked in. */
export function playCapableModel(mock: LLMock): void {
  mock.on({ predicate: () => true }, (request) => answerTo(request));
}

function answerTo(request: ChatCompletionRequest): Answer {
  const question = lastText(request);
  const results = resultsSince(request);
  if (results.length > 0) return afterTools(question, results);
  const [, a, b] = /(\d+) plus (\d+)|\((\d+) and (\d+)\)/.exec(question)?.filter(Boolean) ?? [];
  if (/all three calls/.test(question)) {
    return calls(request, [
      [10, 1],
      [20, 2],
      [30, 3],
    ]);
  }
  if (/My number is 70/.test(question)) return calls(request, [[70, 7]]);
  if (/Add 40 and 2/.test(question)) return calls(request, [[40, 2]]);
  if (/Take a picture/.test(question)) return call(request, /picture/, {});
  if (/No tool/.test(question)) return said("You gave me 70, and the sum was 77.");
  if (/square/.test(question)) return said("Red");
  if (a !== undefined && mayCall(request)) return calls(request, [[Number(a), Number(b)]]);
  if (/orchid/.test(question)) return said("Orchid");
  if (/twenty/.test(question)) return said(numbers);
  return said(/story/.test(question) ? "Once upon a time there was a light. ".repeat(50) : "5");
}

const numbers =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen " +
  "sixteen seventeen eighteen nineteen twenty";

function afterTools(question: string, results: readonly string[]): Answer {
  if (/report it/.test(question)) return said('{"sum":42,"parts":[40,2],"remark":null}');
  if (/picture/.test(question)) return said("Red");
  return said(`That makes ${results.join(", ")}.`);
}

function said(content: string): Answer {
  return { content, usage: counts };
}

/** Each protocol has names of its own. */
const counts = {
  prompt_tokens: 5,
  completion_tokens: 5,
  total_tokens: 10,
  input_tokens: 5,
  output_tokens: 5,
  promptTokenCount: 5,
  candidatesTokenCount: 5,
  totalTokenCount: 10,
};

function calls(request: ChatCompletionRequest, sums: readonly (readonly [number, number])[]) {
  const name = nameOf(request, /math/);
  return {
    toolCalls: sums.map(([a, b]) => ({ name, arguments: JSON.stringify({ a, b, comment: null }) })),
    usage: counts,
  };
}

function call(request: ChatCompletionRequest, name: RegExp, args: object): Answer {
  return {
    toolCalls: [{ name: nameOf(request, name), arguments: JSON.stringify(args) }],
    usage: counts,
  };
}

/** The tool's name as it was sent. */
function nameOf(request: ChatCompletionRequest, pattern: RegExp): string {
  return toolNames(request).find((name) => pattern.test(name)) ?? "unknown";
}

function toolNames({ tools = [] }: ChatCompletionRequest): readonly string[] {
  return tools.map((tool) => tool.function?.name ?? "");
}

function mayCall(request: ChatCompletionRequest): boolean {
  const choice = JSON.stringify(request["tool_choice"] ?? request["toolConfig"] ?? "auto");
  return toolNames(request).length > 0 && !/none/i.test(choice);
}

function lastText({ messages }: ChatCompletionRequest): string {
  // Where a protocol takes no pictures in results, a user message brings them.
  const asked = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => textIn(content))
    .filter((text) => text !== "" && !text.startsWith("Returned by the tool call"));
  return asked.at(-1) ?? "";
}

function resultsSince({ messages }: ChatCompletionRequest): readonly string[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(lastAnswer + 1)
    .filter(({ role }) => role === "tool")
    .map(({ content }) => textIn(content));
}

function textIn(content: ChatCompletionRequest["messages"][number]["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}
