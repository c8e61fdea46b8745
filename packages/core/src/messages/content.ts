import type { JsonObject, JsonValue } from "./json.js";

/** Key under which a vendor's own object may ride along on a content; it is lost in JSON. */
export const rawRepresentation: unique symbol = Symbol("tunic.raw");

/** Members that every content may have. */
export interface ContentBase {
  /** What a vendor must get back on this very part, by vendor. Other vendors never see it. */
  readonly providerData?: Readonly<Record<string, JsonObject>>;
  /** Belongs to Tunic and its users (labels live here). Never sent to a model service. */
  readonly additionalProperties?: JsonObject;
  readonly [rawRepresentation]?: unknown;
}

export interface TextContent extends ContentBase {
  readonly type: "text";
  readonly text: string;
  /** Tells blocks of text apart: only text of the same id (or of none) grows together. */
  readonly id?: string;
}

/** What a model thought before it answered, as far as its service shows it. */
export interface TextReasoningContent extends ContentBase {
  readonly type: "text_reasoning";
  readonly text: string;
  /** Tells blocks of reasoning apart: only text of the same id (or of none) grows together. */
  readonly id?: string;
}

/** Bytes, inline. */
export interface DataContent extends ContentBase {
  readonly type: "data";
  /** Base64. */
  readonly data: string;
  /** IANA media type, such as `image/png`. */
  readonly mediaType: string;
  readonly name?: string;
}

/** Something that lives at an address. */
export interface UriContent extends ContentBase {
  readonly type: "uri";
  readonly uri: string;
  readonly mediaType: string;
}

/** A failure as part of a message, such as a refusal. */
export interface ErrorContent extends ContentBase {
  readonly type: "error";
  readonly message: string;
  readonly code?: string;
}

/** The model asks for a tool to be called. */
export interface FunctionCallContent extends ContentBase {
  readonly type: "function_call";
  /** Unique within a log. */
  readonly callId: string;
  readonly name: string;
  /** The parsed object. Absent in fragments of a stream and where `parseError` says why. */
  readonly arguments?: JsonObject;
  /** A fragment of the arguments' text (in a `delta`), or the whole text where it did not parse. */
  readonly argumentsText?: string;
  /** Why the arguments are no object; such a call never runs. */
  readonly parseError?: string;
  /** The service has run this call already: kept for the record, never run here. */
  readonly informationalOnly?: boolean;
}

/** Why a call has an error result. */
export interface FunctionResultError {
  /** Stable, for programs. */
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly message: string;
  /** What the model can do about it. */
  readonly fix?: string;
}

/** The one answer to a call. */
export interface FunctionResultContent extends ContentBase {
  readonly type: "function_result";
  readonly callId: string;
  readonly contents: readonly Content[];
  readonly isError?: boolean;
  readonly error?: FunctionResultError;
  /** Set where a person has changed the arguments: what was proposed, and what ran. */
  readonly edited?: EditedArguments;
}

/** A call that ran with other arguments than the model gave. */
export interface EditedArguments {
  readonly proposed: JsonObject;
  readonly effective: JsonObject;
  readonly decidedBy?: string;
}

/** What a tool declares of itself beside its arguments. */
export interface ToolTraits {
  /** Changes nothing. */
  readonly readOnly?: boolean;
  /** May destroy something. */
  readonly destructive?: boolean;
  /** Runs a shell or code that comes with the call. */
  readonly runsCode?: boolean;
  /** Whether the tool is somebody else's, such as one of a remote server. */
  readonly trust?: ToolTrust;
}

export type ToolTrust = "trusted" | "external";

/** The tool of a call as it was when somebody was asked. */
export interface RequestedTool {
  readonly name: string;
  /** Whose tool it is; absent for the program's own. */
  readonly owner?: string;
  readonly title?: string;
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly traits: ToolTraits;
  /** Of all of the above: a tool that has changed since is another one. */
  readonly hash: string;
}

/** One call of a sub-agent on the way down to a call. */
export interface RequestPathStep {
  readonly callId: string;
  /** The name of the tool that is the sub-agent. */
  readonly name: string;
}

/** A call waits for a person's decision. Plain data: it survives a restart. */
export interface FunctionApprovalRequestContent extends ContentBase {
  readonly type: "function_approval_request";
  /** What an answer names. */
  readonly requestId: string;
  readonly call: FunctionCallContent;
  /** The arguments that the tool would get, where they are others than the call's: with defaults, corrected, or as a handler says. */
  readonly effective?: JsonObject;
  /** Absent on the request of a model service for a tool that it runs itself. */
  readonly tool?: RequestedTool;
  /** Why somebody is asked. */
  readonly reason?: string;
  /** The call in words for people. */
  readonly summary?: string;
  /** The rule that the call would break. */
  readonly violation?: string;
  /** Which arguments an answer may change: all of them, or these. Absent: none. */
  readonly editable?: true | readonly string[];
  /** Milliseconds since the epoch; from then on the call counts as denied. */
  readonly expiresAt?: number;
  /** The calls of sub-agents on the way down to this one, the outermost first. Absent: none. */
  readonly path?: readonly RequestPathStep[];
  /**
   * On the first request of a pause: the ids of all calls in this log that wait together, this one's
   * included. None of them runs before all requests about them are answered.
   */
  readonly batch?: readonly string[];
  /** On the first request of a pause: the ids of calls beside that could not run when they were made. */
  readonly refused?: readonly string[];
  /** On the first request of a pause: the calls that nobody is asked about, and that run with the batch. */
  readonly beside?: readonly FunctionCallContent[];
  /** The model service that asks, where it does: the answer goes back to it. */
  readonly provider?: string;
  /** What the run had used up when it paused. */
  readonly spent?: Spent;
  /** Of the whole pause, where there is an `approvalSecret`: id of the key, a dot, base64url. */
  readonly signature?: string;
}

/** What a run has used up. Plain JSON: a paused run takes it along. */
export interface Spent {
  readonly iterations: number;
  readonly functionCalls: number;
  readonly tokens: number;
}

/** For which further calls a decision holds. It never reaches another owner's tool, nor a violation. */
export interface Remember {
  /**
   * `arguments`: calls with exactly these arguments. `{ matching }`: calls in which these members are
   * equal, whatever the others are. `tool`: every call of the tool. Default `arguments`.
   */
  readonly scope?: "arguments" | "tool" | { readonly matching: JsonObject };
  /** Milliseconds since the epoch. Default: as long as the session lives. */
  readonly until?: number;
  /** For how many further calls. Default: no limit. */
  readonly uses?: number;
}

/** A person's decision. It names a request and carries no call. */
export interface FunctionApprovalResponseContent extends ContentBase {
  readonly type: "function_approval_response";
  readonly requestId: string;
  readonly approved: boolean;
  /** For the model, with a denial. */
  readonly reason?: string;
  /** All arguments as they are to be, where the request says that they may be changed. */
  readonly arguments?: JsonObject;
  /** Holds for further calls, too; `true` stands for `{}`. Needs a session. */
  readonly remember?: boolean | Remember;
  /** Who decided, as the server knows it. */
  readonly decidedBy?: string;
}

/** A call that has started and waits for answers to what it asks: a sub-agent that paused. */
export interface PausedCallContent extends ContentBase {
  readonly type: "paused_call";
  readonly callId: string;
  /** What it waits for. */
  readonly requestIds: readonly string[];
  /** Of the tool that waits. */
  readonly hash: string;
  /** What the tool gets back when it goes on. */
  readonly state: JsonValue;
}

/** A tool that the model service called itself. */
export interface HostedToolCallContent extends ContentBase {
  readonly type: "hosted_tool_call";
  readonly callId: string;
  readonly name: string;
  readonly input?: JsonValue;
}

/** What a tool of the model service brought. */
export interface HostedToolResultContent extends ContentBase {
  readonly type: "hosted_tool_result";
  readonly callId: string;
  readonly name?: string;
  readonly output?: JsonValue;
}

/**
 * One part of a message. At run time a part of a type that is not listed here is kept as it came;
 * switch statements over `type` need a default branch.
 */
export type Content =
  | TextContent
  | TextReasoningContent
  | DataContent
  | UriContent
  | ErrorContent
  | FunctionCallContent
  | FunctionResultContent
  | FunctionApprovalRequestContent
  | FunctionApprovalResponseContent
  | PausedCallContent
  | HostedToolCallContent
  | HostedToolResultContent;
