import { ConfigurationError, isJsonObject, type JsonObject } from "@tunic/core";

/** How tools are written down in a request. */
export interface ToolSettings {
  /**
   * Whether a tool that does not say so itself (`strict` absent) is held strictly where it can be.
   * Default false: the service compiles all strict schemas of a request into one grammar, which
   * costs seconds at first and has limits.
   */
  readonly strictTools?: boolean | undefined;
  /**
   * Stream the arguments of calls as they are written, unchecked by the service. Default false: the
   * service holds them back until a member is complete.
   */
  readonly eagerInputStreaming?: boolean | undefined;
  /**
   * Further members of a tool in the request, by the tool's name: `cache_control`, `defer_loading`,
   * `allowed_callers`, `input_examples`, `eager_input_streaming`. With a `type` such as
   * `bash_20250124` the tool is the service's own kind of tool, which this program runs: its
   * description and schema are not sent.
   */
  readonly toolOptions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** What a tool says of itself. */
const own = ["name", "description", "input_schema", "strict"];

/** @throws ConfigurationError `invalid_option` for members that the tool itself has a word for. */
export function checkToolOptions({ toolOptions }: ToolSettings): void {
  for (const [tool, options] of Object.entries(toolOptions ?? {})) {
    if (!isJsonObject(options)) throw wrong(tool, "must be an object");
    const member = own.find((each) => each in options);
    if (member !== undefined) throw wrong(tool, `has "${member}", which the tool says itself`);
  }
}

function wrong(tool: string, text: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `AnthropicChatClient: toolOptions["${tool}"] ${text}.`,
  );
}
