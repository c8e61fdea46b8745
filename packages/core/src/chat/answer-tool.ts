import type { Content, FunctionCallContent, TextContent } from "../messages/content.js";
import { UpdateFold } from "../messages/fold-updates.js";
import type { Message } from "../messages/message.js";
import type { DeltaUpdate, FinishReason, FinishUpdate } from "../messages/update.js";
import { tool } from "../tools/function-tool.js";
import type { Tool } from "../tools/tool.js";
import type { ChatRequest, ChatResponse } from "./chat-client.js";
import type { ToolChoice } from "./chat-options.js";
import { responseSchema } from "./response-format.js";

/**
 * Asks for an answer of a certain form where the service has no such thing: the model is made to
 * call a tool whose arguments are the answer, and the call comes back as text. For chat clients.
 *
 * With tools of its own in the request the model must call some tool, one of those or the answer;
 * with `toolChoice` of one name it is left to call that first.
 *
 * @param request One with `options.responseFormat`.
 * @param ask Asks the service, with a request that has no response format any more.
 */
export async function askWithAnswerTool(
  request: ChatRequest,
  ask: (request: ChatRequest) => Promise<ChatResponse>,
): Promise<ChatResponse> {
  const { responseFormat, ...options } = request.options;
  if (responseFormat === undefined) return await ask(request);
  const tools = options.tools ?? [];
  const name = freeName(responseFormat.name ?? "response", tools);
  const answerTool = tool({
    name,
    description: "Gives the final answer. Call it once, when everything else is done.",
    parameters: responseSchema(responseFormat),
  });
  const forbidden = options.toolChoice === "none";
  const { onUpdate } = request;
  const response = await ask({
    ...request,
    options: {
      ...options,
      tools: forbidden ? [answerTool] : [...tools, answerTool],
      toolChoice: choiceFor(options.toolChoice, tools, name),
    },
    ...(onUpdate && { onUpdate: answeringUpdates(onUpdate, name) }),
  });
  const messages = response.messages.map((message) => withAnswer(message, name));
  const last = messages.at(-1);
  return { ...response, messages, ...(last && endOf(last, response.finishReason)) };
}

function choiceFor(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
  name: string,
): ToolChoice {
  if (choice === "none" || tools.length === 0) return { name };
  if (typeof choice !== "object") return "required";
  return "name" in choice ? choice : { allowed: [...choice.allowed, name] };
}

function freeName(name: string, tools: readonly Tool[]): string {
  let free = name;
  for (let count = 2; tools.some((each) => each.name === free); count++) free = `${name}_${count}`;
  return free;
}

/**
 * Holds back the answering call, whose text is only said when it is whole: so it is the same text
 * whether the answer is streamed or not.
 */
function answeringUpdates(onUpdate: OnUpdate, name: string): OnUpdate {
  const fold = new UpdateFold();
  const callIds = new Set<string>();
  return async (update) => {
    fold.add(update);
    if (update.type === "delta")
      await sendOthers(onUpdate, update, (call) => isHeld(call, name, callIds));
    else if (update.type === "finish") await sendAnswer(onUpdate, update, fold, name);
    else await onUpdate(update);
  };
}

type OnUpdate = NonNullable<ChatRequest["onUpdate"]>;

/** Only the first fragment of a call has its name. */
function isHeld(call: FunctionCallContent, name: string, callIds: Set<string>): boolean {
  if (call.name === name) callIds.add(call.callId);
  return callIds.has(call.callId);
}

async function sendOthers(
  onUpdate: OnUpdate,
  update: DeltaUpdate,
  held: (call: FunctionCallContent) => boolean,
): Promise<void> {
  const contents = update.contents.filter(
    (content) => content.type !== "function_call" || !held(content),
  );
  // The first delta of a message tells when it began, whatever is left in it.
  const first = update.createdAt !== undefined;
  if (contents.length > 0 || first) await onUpdate({ ...update, contents });
}

async function sendAnswer(
  onUpdate: OnUpdate,
  update: FinishUpdate,
  fold: UpdateFold,
  name: string,
): Promise<void> {
  const { messageId } = update;
  const message = fold.messages.find((each) => each.id === messageId);
  if (message === undefined) return await onUpdate(update);
  const contents = answersIn(message, name);
  if (contents.length > 0)
    await onUpdate({ type: "delta", messageId, role: "assistant", contents });
  await onUpdate({ ...update, ...endOf(withAnswer(message, name), update.finishReason) });
}

/** The message with its answering call as text, at the end. */
function withAnswer(message: Message, name: string): Message {
  const answers = answersIn(message, name);
  if (answers.length === 0) return message;
  const others = message.contents.filter((content) => !isCallOf(content, name));
  return { ...message, contents: [...others, ...answers] };
}

function answersIn({ contents }: Message, name: string): readonly TextContent[] {
  return contents.filter((content) => isCallOf(content, name)).map(toText);
}

function toText({ callId, arguments: given, argumentsText = "" }: FunctionCallContent) {
  const text = given === undefined ? argumentsText : JSON.stringify(given);
  return { type: "text", id: `answer_${callId}`, text } as const;
}

function isCallOf(content: Content, name: string): content is FunctionCallContent {
  return content.type === "function_call" && content.name === name;
}

/** A model that has only answered made no call for anybody. */
function endOf({ contents }: Message, reason: FinishReason | undefined) {
  const calls = contents.some((content) => content.type === "function_call");
  return reason === "tool_calls" && !calls ? { finishReason: "stop" } : {};
}
