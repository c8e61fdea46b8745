import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { type ApprovalMode, type ChatClient, checkOptionNames } from "@tunic/core";
import { type McpApproval, type ReadApproval, readApproval } from "./approval-option.js";
import type { McpAskContext } from "./asking/ask-context.js";
import type { McpElicitation, McpElicitationAnswer } from "./asking/elicitation.js";
import { type McpRoot, readRoots } from "./asking/roots.js";
import type { McpSamplingRequest } from "./asking/sampling-request.js";
import type { McpLogEntry, McpLogLevel } from "./client/mcp-client.js";
import { isLogLevel, logLevels } from "./client/read-answers.js";
import { type McpHeaders, unfitHeader } from "./header-values.js";
import { amount, names, noTexts, wrong } from "./option-values.js";
import type { McpTransport } from "./target.js";
import { checkPrefix } from "./tools/tool-name.js";

/** What a server may send. */
export interface McpLimits {
  /** Bytes of one result. Default 10 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** Default 500. */
  readonly maxTools?: number | undefined;
  /** Bytes of one tool's definition. Default 64 KiB. */
  readonly maxSchemaBytes?: number | undefined;
}

/** How a call runs as a task. It may take `maxTotalTimeoutMs`, as all calls may. */
export interface McpTaskOptions {
  /** Milliseconds that the server is asked to keep a task for. Default: as the server has it. */
  readonly ttlMs?: number | undefined;
  /** Cancel the task when nobody waits for it any more. Default true. */
  readonly cancel?: boolean | undefined;
}

/** How the tools of a server are offered and called. */
export interface McpToolsOptions {
  /** The server's label: whose tools they are, and what their names begin with. Default: made from the target. */
  readonly name?: string | undefined;
  /** What the tools' names begin with, instead of the label. */
  readonly toolNamePrefix?: string | undefined;
  /** By the server's own names. Default: all. None: the server is not even connected to. Only such as it does not have: an error (`unknown_tool`). */
  readonly allowedTools?: readonly string[] | undefined;
  /** By the server's own names; wins over `allowedTools`. What it does not have is an error (`unknown_tool`). */
  readonly blockedTools?: readonly string[] | undefined;
  /**
   * When somebody is asked. By default nobody is: every tool runs, also one that writes, unless middleware such as
   * `toolApproval` asks, which counts these tools as somebody else's.
   */
  readonly approvalMode?: ApprovalMode | McpApproval | undefined;
  /** Tools that you know to change nothing, by the server's own names; the server's word for it is not taken. */
  readonly readOnlyTools?: readonly string[] | undefined;
  /** Tools that may run twice for one call, after a connection broke. Those of `readOnlyTools` may. */
  readonly repeatableTools?: readonly string[] | undefined;
  /** Take the server's word for which tools change nothing, and which may run twice. Default false. */
  readonly trustAnnotations?: boolean | undefined;
  /**
   * A run goes on without the server where it cannot be connected to, or somebody has to sign in at it first: it has
   * none of its tools then, and the notice `mcp_unavailable`. The next run tries again. A run in which an approval or a
   * question of its tools waits fails all the same, and it stays open. Default false: the run fails.
   */
  readonly optional?: boolean | undefined;
  /** Wins over what the target looks like. */
  readonly transport?: McpTransport | undefined;
  /** Over HTTP, for the server's own origin. Those of the protocol itself cannot be changed. */
  readonly headers?: McpHeaders | undefined;
  /**
   * Signs in at servers that ask for it (OAuth), as the SDK has it. Where somebody has to be sent to a page for it,
   * what needs the server fails with `mcp_unauthorized` until `finishAuth()` was called.
   */
  readonly authProvider?: OAuthClientProvider | undefined;
  /** Which line of the SDK. Default `auto`: the second where `@modelcontextprotocol/client` is installed. */
  readonly sdk?: "auto" | 1 | 2 | undefined;
  /** Milliseconds until a server has started and listed its tools. Default 30 000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Milliseconds that a call may take without a sign of progress. Default 60 000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds that a call may take, whatever progress it makes. Default 600 000. */
  readonly maxTotalTimeoutMs?: number | undefined;
  /**
   * `tools`: each prompt of the server is a tool too, `<prefix>_prompt_<name>`; a list: those of these names are.
   * Default false. Options that name tools know a prompt by its own name. A name that the server does not have is a notice.
   */
  readonly prompts?: "tools" | readonly string[] | false | undefined;
  /**
   * `tools`: the server's resources are listed and read by two tools, `<prefix>_list_resources` and
   * `<prefix>_read_resource`. Default false. Options that name tools know them as `list_resources` and `read_resource`.
   */
  readonly resources?: "tools" | false | undefined;
  /** URIs of resources that each run has in its context: as messages, and no more trusted than results are. */
  readonly contextResources?: readonly string[] | undefined;
  /** How tools are called that a server runs as tasks: created once, and asked after. `false`: as all others. */
  readonly tasks?: McpTaskOptions | false | undefined;
  readonly limits?: McpLimits | undefined;
  /**
   * Hold structured content against the `outputSchema` of its tool: a result that does not fit, or has none, is a
   * failure. Default true; false for a server that does not keep what it promises.
   */
  readonly checkOutput?: boolean | undefined;
  /**
   * What comes of a server's question to a person (elicitation). Default true: the run pauses with an approval
   * request, and goes on with the answer. A function answers at once. False: the server is told that nobody can be asked.
   */
  readonly elicitation?:
    | boolean
    | ((
        request: McpElicitation,
        context: McpAskContext,
      ) => McpElicitationAnswer | Promise<McpElicitationAnswer>)
    | undefined;
  /** Milliseconds that a server's call is kept waiting for a person. Default 900 000. */
  readonly elicitationTimeoutMs?: number | undefined;
  /**
   * Decides whether a server may ask a model (sampling), each time it wants to. Default: servers are told that there is
   * no model. Whatever is not `true`, and a throw, is a no.
   */
  readonly samplingApproval?:
    | ((request: McpSamplingRequest, context: McpAskContext) => boolean | Promise<boolean>)
    | undefined;
  /** The model that servers ask. Default: that of the agent whose call the server works on, with its chat handlers and budgets. */
  readonly samplingClient?: ChatClient | undefined;
  /** How often a server may ask a model in one run, over however many connections; outside of runs, over one connection. Default 25. */
  readonly maxSamplingRequests?: number | undefined;
  /** The most tokens of one answer. Default 4096. */
  readonly maxSamplingTokens?: number | undefined;
  /** Folders and files that servers are told to work in: paths, or addresses with `file:`. Nothing keeps them in there. */
  readonly roots?:
    | readonly (string | McpRoot)[]
    | ((
        context: McpAskContext,
      ) => readonly (string | McpRoot)[] | Promise<readonly (string | McpRoot)[]>)
    | undefined;
  /** From which level on a server is to log. Default: as it does unasked. */
  readonly logLevel?: McpLogLevel | undefined;
  /** Gets what the server logs, and what it writes beside the protocol. */
  readonly onLog?: ((entry: McpLogEntry) => void) | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof McpToolsOptions>([
  "name",
  "toolNamePrefix",
  "allowedTools",
  "blockedTools",
  "approvalMode",
  "readOnlyTools",
  "repeatableTools",
  "trustAnnotations",
  "optional",
  "transport",
  "headers",
  "authProvider",
  "sdk",
  "connectTimeoutMs",
  "timeoutMs",
  "maxTotalTimeoutMs",
  "prompts",
  "resources",
  "contextResources",
  "tasks",
  "limits",
  "checkOutput",
  "elicitation",
  "elicitationTimeoutMs",
  "samplingApproval",
  "samplingClient",
  "maxSamplingRequests",
  "maxSamplingTokens",
  "roots",
  "logLevel",
  "onLog",
]);
const taskNames: ReadonlySet<string> = new Set<keyof McpTaskOptions>(["ttlMs", "cancel"]);
const limitNames: ReadonlySet<string> = new Set<keyof McpLimits>([
  "maxResultBytes",
  "maxTools",
  "maxSchemaBytes",
]);

/** Options with their defaults, and lists as sets. */
export interface ReadOptions {
  readonly allowed: ReadonlySet<string> | undefined;
  readonly blocked: ReadonlySet<string>;
  readonly readOnly: ReadonlySet<string>;
  readonly repeatable: ReadonlySet<string>;
  readonly trustAnnotations: boolean;
  readonly checkOutput: boolean;
  readonly optional: boolean;
  readonly approval: ReadApproval;
  readonly headers: McpHeaders | undefined;
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly maxTotalTimeoutMs: number;
  readonly contextResources: ReadonlySet<string>;
  /** Undefined: no call runs as a task. */
  readonly tasks: { readonly ttlMs: number | undefined; readonly cancel: boolean } | undefined;
  /** What is done with a question to a person: a function answers it, the run pauses, or it is not offered. */
  readonly elicitation: "answer" | "pause" | "off";
  readonly elicitationTimeoutMs: number;
  readonly logLevel: McpLogLevel | undefined;
  readonly maxSamplingRequests: number;
  readonly maxSamplingTokens: number;
  readonly limits: { readonly [Name in keyof McpLimits]-?: number };
}

/** @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write. */
export function readOptions(options: McpToolsOptions): ReadOptions {
  checkOptionNames("mcpTools()", options, optionNames);
  for (const option of ["name", "toolNamePrefix"] as const) {
    if (options[option] !== undefined) checkPrefix(option, options[option]);
  }
  const { limits = {}, trustAnnotations = false, checkOutput = true } = options;
  const { headers, onLog, sdk, optional = false } = options;
  checkOptionNames("mcpTools(): limits", limits, limitNames);
  if (typeof trustAnnotations !== "boolean") throw wrong("trustAnnotations", "true or false");
  if (typeof checkOutput !== "boolean") throw wrong("checkOutput", "true or false");
  if (typeof optional !== "boolean") throw wrong("optional", "true or false");
  if (sdk !== undefined && sdk !== "auto" && sdk !== 1 && sdk !== 2) {
    throw wrong("sdk", '"auto", 1 or 2');
  }
  if (onLog !== undefined && typeof onLog !== "function") throw wrong("onLog", "a function");
  checkSending(options);
  checkOffers(options);
  checkAsking(options);
  return {
    allowed:
      options.allowedTools === undefined ? undefined : names("allowedTools", options.allowedTools),
    blocked: names("blockedTools", options.blockedTools),
    readOnly: names("readOnlyTools", options.readOnlyTools),
    repeatable: names("repeatableTools", options.repeatableTools),
    trustAnnotations,
    checkOutput,
    optional,
    approval: readApproval(options.approvalMode),
    headers,
    connectTimeoutMs: amount("connectTimeoutMs", options.connectTimeoutMs, 30_000),
    timeoutMs: amount("timeoutMs", options.timeoutMs, 60_000),
    maxTotalTimeoutMs: amount("maxTotalTimeoutMs", options.maxTotalTimeoutMs, 600_000),
    contextResources: names("contextResources", options.contextResources, "a list of URIs"),
    tasks: readTasks(options.tasks),
    elicitation: elicitationMode(options.elicitation),
    elicitationTimeoutMs: amount("elicitationTimeoutMs", options.elicitationTimeoutMs, 900_000),
    logLevel: options.logLevel,
    maxSamplingRequests: amount("maxSamplingRequests", options.maxSamplingRequests, 25),
    maxSamplingTokens: amount("maxSamplingTokens", options.maxSamplingTokens, 4096),
    limits: {
      maxResultBytes: amount("limits.maxResultBytes", limits.maxResultBytes, 10 * 1024 * 1024),
      maxTools: amount("limits.maxTools", limits.maxTools, 500),
      maxSchemaBytes: amount("limits.maxSchemaBytes", limits.maxSchemaBytes, 64 * 1024),
    },
  };
}

function checkSending({ headers, authProvider }: McpToolsOptions): void {
  const stray =
    headers === undefined || typeof headers === "function" ? undefined : noTexts(headers);
  if (stray !== undefined) {
    throw wrong(
      "headers",
      `an object of texts, or a function that returns one: there is one ${stray}`,
    );
  }
  const unfit = typeof headers === "object" ? unfitHeader(headers) : undefined;
  if (unfit !== undefined) throw wrong("headers", `such as can be sent: there is ${unfit}`);
  if (authProvider !== undefined && typeof authProvider?.tokens !== "function") {
    throw wrong("authProvider", "an OAuthClientProvider of the SDK");
  }
}

function elicitationMode(
  elicitation: McpToolsOptions["elicitation"] = true,
): ReadOptions["elicitation"] {
  if (typeof elicitation === "function") return "answer";
  if (typeof elicitation !== "boolean") throw wrong("elicitation", "true, false or a function");
  return elicitation ? "pause" : "off";
}

function checkAsking({ samplingApproval, samplingClient, roots, logLevel }: McpToolsOptions): void {
  if (samplingApproval !== undefined && typeof samplingApproval !== "function") {
    throw wrong("samplingApproval", "a function");
  }
  if (samplingClient !== undefined && typeof samplingClient.getResponse !== "function") {
    throw wrong("samplingClient", "a chat client");
  }
  if (samplingClient !== undefined && samplingApproval === undefined) {
    throw wrong("samplingApproval", "a function where there is a samplingClient");
  }
  if (roots !== undefined && typeof roots !== "function") readRoots(roots);
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw wrong("logLevel", `one of ${[...logLevels].join(", ")}`);
  }
}

function checkOffers({ prompts, resources }: McpToolsOptions): void {
  if (prompts !== undefined && prompts !== false && prompts !== "tools") {
    names("prompts", prompts, '"tools", false, or a list of the server\'s own names of prompts');
  }
  if (resources !== undefined && resources !== false && resources !== "tools") {
    throw wrong("resources", '"tools" or false');
  }
}

function readTasks(tasks: McpTaskOptions | false | undefined = {}): ReadOptions["tasks"] {
  if (tasks === false) return undefined;
  checkOptionNames("mcpTools(): tasks", tasks, taskNames);
  const { ttlMs, cancel = true } = tasks;
  if (typeof cancel !== "boolean") throw wrong("tasks.cancel", "true or false");
  return { ttlMs: ttlMs === undefined ? undefined : amount("tasks.ttlMs", ttlMs, 0), cancel };
}
