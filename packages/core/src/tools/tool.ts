import type {
  Content,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionResultError,
  ToolTraits,
} from "../messages/content.js";
import type { JsonObject, JsonValue } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import type { Update } from "../messages/update.js";
import type { RunContext, Services } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import type { StandardSchema } from "./standard-schema.js";

/** What a call came to. */
export interface ToolResult {
  /** What the model gets to see. */
  readonly contents: readonly Content[];
  readonly isError?: boolean;
  readonly error?: FunctionResultError;
  /** What the tool's function returned, untouched; for code, never sent and never stored. */
  readonly value?: unknown;
}

/** How `invoke` is told about its surroundings. */
export interface InvokeOptions {
  /** What `execute` gets as its second argument. Default: that of a run of its own, without an agent. */
  readonly context?: FunctionInvocationContext | undefined;
  /** What it finds in `context.services`. Excludes `context`. */
  readonly services?: Services | undefined;
  /** What it finds in `context.session`. Excludes `context`. */
  readonly session?: AgentSession | undefined;
  /** Return the function's own value untouched, instead of a {@link ToolResult}. Default false. */
  readonly skipParsing?: boolean | undefined;
}

/**
 * Says what a call works on. Written as a method's type, as the members of {@link FunctionTool} are:
 * a tool with arguments of its own is to be a `Tool` all the same.
 */
export type ResourceKeys<Arguments> = {
  keys(this: void, input: Arguments): readonly string[];
}["keys"];

/** What is known of a call when it is judged. */
export interface ApprovalContext {
  readonly tool: FunctionTool;
  readonly call: FunctionCallContent;
  /** As validated. */
  readonly arguments: JsonObject;
  /** All calls of the batch, in order. */
  readonly batch: readonly FunctionCallContent[];
  readonly run: RunContext;
  /** Undefined when the caller gave none. */
  readonly session: AgentSession | undefined;
  readonly signal: AbortSignal;
}

/** Whether a call needs approval; anything but `false`, a throw included, means that it does. */
export type ApprovalPredicate<Arguments> = {
  needs(this: void, input: Arguments, context: ApprovalContext): boolean | PromiseLike<boolean>;
}["needs"];

/** When a person is asked about a tool's calls: never, always, or where a predicate says so. */
export type ApprovalMode<Arguments = unknown> =
  | "never_require"
  | "always_require"
  | ApprovalPredicate<Arguments>;

/** Puts a call into words for people. */
export type CallDescription<Arguments> = {
  describe(this: void, input: Arguments, context: ApprovalContext): string | PromiseLike<string>;
}["describe"];

/** A person's decision about the call that runs. */
export interface ApprovalDecision {
  readonly requestId: string;
  readonly approved: true;
  readonly decidedBy?: string;
  readonly reason?: string;
  /** Whether the person has changed the arguments. */
  readonly edited: boolean;
  /** The call in words, as the person was told. */
  readonly summary?: string;
  /** The rule that the call would break, as the person was told. */
  readonly violation?: string;
  /** The facts of the request, as the person was told. */
  readonly additionalProperties?: JsonObject;
}

/** What a call that had paused goes on with. */
export interface ResumedCall {
  /** What {@link paused} was given. */
  readonly state: JsonValue;
  readonly answers: readonly FunctionApprovalResponseContent[];
}

/**
 * Whether a service is to hold a tool's schema exactly, where it has such a mode. `auto`: where the
 * schema can be said in the service's strict form, else not, with a notice that says why. `true`: an
 * error where it cannot (with Gemini, which has no form of its own for it, only another mode). What comes
 * back is checked in any case.
 */
export type StrictMode = boolean | "auto";

/**
 * A function that a model can call. Made by `tool()`; holds configuration only, so that one object
 * can serve any number of runs at once.
 */
export interface FunctionTool<Arguments = unknown, Value = unknown> extends ToolTraits {
  readonly type: "function";
  /** Whose tool it is, such as a server's name; absent for the program's own. */
  readonly owner?: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** The JSON Schema of the arguments, as it is sent, checked and stored. */
  readonly parameters: JsonObject;
  /** Absent: as the client does it unasked, which is `auto` at OpenAI, and `false` elsewhere. */
  readonly strict?: StrictMode;
  /** Validates after `parameters` did; its output is what `execute` receives. */
  readonly schema?: StandardSchema;
  /**
   * Arguments with the values that something in them stands for, such as references: what verdict handlers
   * judge. Default: as they are.
   */
  argumentsFor?(this: void, args: JsonObject, run: RunContext): JsonObject;
  /** Absent on a declaration-only tool: its calls go back to the caller. */
  execute?(this: void, input: Arguments, context: FunctionInvocationContext): unknown;
  /** Turns the function's value into what the model sees, instead of the usual conversion. */
  parseResult?(this: void, value: Value): string | readonly Content[];
  /** How many calls may run in one run; further ones are answered "not run: limit reached". */
  readonly maxInvocations?: number;
  /** How many failures in one run are enough; further calls are answered "not run: limit reached". */
  readonly maxInvocationExceptions?: number;
  /** Runs alone: no other call of its batch at the same time. */
  readonly exclusive?: boolean;
  /** May destroy something; waits its turn in a batch like `exclusive`. */
  readonly destructive?: boolean;
  /** Whether a person is asked before a call runs. */
  readonly approvalMode?: ApprovalMode<Arguments>;
  /** The call in words for people; shown with the question. */
  readonly describeCall?: CallDescription<Arguments>;
  /** Which arguments a person may change when approving: all, or these. */
  readonly editable?: boolean | readonly string[];
  /** `false`: waits its turn in a batch like `exclusive`. Default true. */
  readonly concurrencySafe?: boolean;
  /** Keys of what the tool works on; calls that share one run one after the other. */
  readonly resources?: readonly string[] | ResourceKeys<Arguments>;
  /**
   * Validates the arguments, runs the function and converts its value. What the function throws
   * comes out as a result with `isError`, except with `skipParsing`, where it is thrown.
   *
   * @throws ConfigurationError for an unknown option, and for `services` or `session` beside `context`.
   * @throws ToolInvalidArgumentsError with `skipParsing`, when the arguments do not fit.
   * @throws ToolError `declaration_only` on a tool without a function.
   */
  invoke(args: unknown, options: InvokeOptions & { readonly skipParsing: true }): Promise<Value>;
  invoke(args: unknown, options?: InvokeOptions): Promise<ToolResult>;
}

/** A tool that the model service runs itself: passed to its provider as it is, refused by others. */
export interface HostedTool {
  readonly type: "hosted";
  /** Whose tool it is: the `provider` of a chat client's metadata, such as `openai`. */
  readonly provider: string;
  readonly name: string;
  /** What goes into the provider's list of tools. */
  readonly definition: JsonObject;
}

export type Tool = FunctionTool | HostedTool;

/** Tools as they may be written: single ones, packs (anything with `.tools`) and nested lists. */
export type ToolInput = Tool | { readonly tools: ToolInput } | readonly ToolInput[];

/** What a tool's function is told beside its arguments. The model never sees it. */
export interface FunctionInvocationContext {
  readonly agentId: string | undefined;
  readonly agentName: string | undefined;
  readonly run: RunContext;
  /** Undefined when the caller gave none. */
  readonly session: AgentSession | undefined;
  readonly tool: FunctionTool;
  readonly call: FunctionCallContent;
  /**
   * The arguments as validated JSON: without defaults and without a schema's transformations. What
   * a function handler assigns is validated again, and is what the inside gets.
   */
  arguments: JsonObject;
  /** What the model saw when it made the call. */
  readonly messages: readonly Message[];
  /** The tools of the run as they stand now. */
  readonly tools: readonly Tool[];
  readonly services: Services;
  /** Which model round trip of the run this is; the first is 1. */
  readonly iteration: number;
  readonly signal: AbortSignal;
  /**
   * Adds tools from the next round on: all of them or, on an error, none. A tool that is there
   * already counts once.
   *
   * @throws ConfigurationError `duplicate_tool` when another tool has the name.
   */
  readonly addTools: (tools: ToolInput) => void;
  /** Removes tools from the next round on, by name or object; unknown ones are ignored. */
  readonly removeTools: (tools: string | Tool | readonly (string | Tool)[]) => void;
  /** The decision of the person who was asked about this call; undefined when nobody was. */
  readonly approval: ApprovalDecision | undefined;
  /** Set when this call had paused and goes on. */
  readonly resumed: ResumedCall | undefined;
  /** Whether somebody watches the run as a stream. */
  readonly streamed: boolean;
  /**
   * Shows how far the work is, or an update of a run inside it, as a `progress` update; without a
   * stream it does nothing. A returned promise is back-pressure.
   *
   * @throws ConfigurationError `invalid_progress` for anything else.
   */
  readonly reportProgress: (
    progress: string | readonly Content[] | { readonly update: Update },
  ) => void | Promise<void>;
}
