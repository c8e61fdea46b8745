import { ConfigurationError } from "../errors/configuration-error.js";
import { InputError } from "../errors/run-errors.js";
import type { Content, FunctionCallContent, FunctionResultContent } from "../messages/content.js";
import { copyWithRaw } from "../messages/json.js";
import type { Message, MessageInput, Role } from "../messages/message.js";
import type { RunContext } from "../run/run-context.js";

/** What a run can be started with. Neighbouring texts and contents become one message. */
export type AgentInput =
  | string
  | Content
  | MessageInput
  | readonly (string | Content | MessageInput)[];

/** Input that was read. */
export interface ReadInput {
  readonly messages: readonly Message[];
  /** Ids that came with the input: whoever gave them knows the messages already. */
  readonly givenIds: ReadonlySet<string>;
  /** Those that came with a time, too: a run has made such a message, and somebody has stored it. */
  readonly storedIds: ReadonlySet<string>;
}

const roles: ReadonlySet<string> = new Set<Role>(["system", "user", "assistant", "tool"]);

/**
 * The input as messages of the run: copied, so that the caller may go on changing its own, with ids
 * and times.
 *
 * @throws InputError `invalid_input` or `empty_input`.
 * @throws ConfigurationError `system_message` for role `system`, unless that is allowed.
 */
export function readInput(
  input: AgentInput,
  run: RunContext,
  allowSystemMessages: boolean,
): ReadInput {
  const messages: Message[] = [];
  const givenIds = new Set<string>();
  const storedIds = new Set<string>();
  let loose: Content[] = [];
  let kind: LooseKind = "words";
  const flush = (): void => {
    if (loose.length > 0)
      messages.push(newMessage(run, kind === "result" ? "tool" : "user", loose));
    loose = [];
  };
  for (const part of Array.isArray(input) ? input : [input as string | Content | MessageInput]) {
    if (isMessage(part)) {
      flush();
      const message = readMessage(part, run, allowSystemMessages);
      if (part.id) givenIds.add(message.id);
      if (part.id && part.createdAt !== undefined) storedIds.add(message.id);
      messages.push(message);
      continue;
    }
    const content = readLoose(part);
    const next = looseKind(content);
    if (next !== kind) flush();
    kind = next;
    loose.push(content);
  }
  flush();
  return { messages, givenIds, storedIds };
}

function readLoose(part: unknown): Content {
  const content = readContent(part);
  if (content.type !== "function_approval_request") return content;
  throw new InputError(
    "invalid_input",
    "The input holds an approval request. Answer it: approve(request), or deny(request).",
  );
}

/** A result answers a call, and a decision a request: each belongs into a message of its own. */
type LooseKind = "words" | "result" | "decision";

function looseKind({ type }: Content): LooseKind {
  if (type === "function_result") return "result";
  return type === "function_approval_response" ? "decision" : "words";
}

function readMessage(input: MessageInput, run: RunContext, allowSystemMessages: boolean): Message {
  if (!roles.has(input.role)) {
    throw new InputError(
      "invalid_input",
      `A message has the role ${typeof input.role === "string" ? `"${input.role}"` : `of a ${typeof input.role}`}; roles are: ${[...roles].join(", ")}.`,
    );
  }
  checkHead(input);
  if (input.role === "system" && !allowSystemMessages) {
    throw new ConfigurationError(
      "system_message",
      'A message with role "system" came in with the input, where users\' text stands. Write it as `instructions`, or allow it with `allowSystemMessages` when you made it yourself.',
    );
  }
  checkContents(input.contents);
  const own = ownCopy(input);
  const { id, createdAt, contents } = own;
  const whole = typeof contents === "object" && !contents.some(isText);
  // A history of thousands of messages comes in whole: its copies need no second look.
  if (id && createdAt !== undefined && whole) return own as Message;
  return {
    ...own,
    id: id || run.newId("message"),
    contents: typeof contents === "string" ? [asContent(contents)] : contents.map(asContent),
    createdAt: createdAt ?? run.now(),
  };
}

function checkHead({ id, createdAt }: MessageInput): void {
  if (id !== undefined && typeof id !== "string") {
    throw new InputError("invalid_input", "A message's `id` is a string.");
  }
  if (createdAt !== undefined && !Number.isFinite(createdAt)) {
    throw new InputError("invalid_input", "A message's `createdAt` is a number of milliseconds.");
  }
}

function checkContents(contents: unknown): void {
  if (typeof contents === "string") return;
  if (!Array.isArray(contents)) {
    throw new InputError(
      "invalid_input",
      "A message's `contents` is a string or a list of contents.",
    );
  }
  for (const content of contents) checkContent(content);
}

function readContent(content: unknown): Content {
  checkContent(content);
  return typeof content === "string" ? asContent(content) : ownCopy(content as Content);
}

function asContent(content: string | Content): Content {
  return typeof content === "string" ? { type: "text", text: content } : content;
}

/** Written without types, a list of contents may hold texts, too. */
function isText(content: unknown): boolean {
  return typeof content === "string";
}

function checkContent(content: unknown): void {
  if (typeof content === "string") return;
  const type = (content as { type?: unknown } | null | undefined)?.type;
  if (typeof content !== "object" || typeof type !== "string") {
    throw new InputError(
      "invalid_input",
      `The input holds ${describe(content)}. A run takes a string, contents such as textContent("…"), messages, or a list of these.`,
    );
  }
  if (type === "text" && typeof (content as { text?: unknown }).text !== "string") {
    throw new InputError("invalid_input", "A text content has no `text`.");
  }
  if (type === "function_result") checkResult(content as FunctionResultContent);
  if (type === "function_call") checkCall(content as FunctionCallContent);
}

function ownCopy<Value>(value: Value): Value {
  try {
    return copyWithRaw(value);
  } catch {
    throw new InputError(
      "invalid_input",
      "The input holds something that holds itself, or is nested too deeply; a log is plain JSON.",
    );
  }
}

function checkResult(content: FunctionResultContent): void {
  if (typeof content.callId === "string" && Array.isArray(content.contents)) return;
  throw new InputError(
    "invalid_input",
    "A function_result needs `callId` and a list `contents`; functionResultContent(callId, result) makes one.",
  );
}

function checkCall(content: FunctionCallContent): void {
  if (typeof content.callId === "string" && typeof content.name === "string") return;
  throw new InputError("invalid_input", "A function_call needs `callId` and `name`.");
}

function newMessage(run: RunContext, role: Role, contents: readonly Content[]): Message {
  return { id: run.newId("message"), role, contents, createdAt: run.now() };
}

function isMessage(part: unknown): part is MessageInput {
  return typeof part === "object" && part !== null && "role" in part;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  return typeof value === "object" ? "an object without role and type" : `a ${typeof value}`;
}
