import { type ToolNameRules, toWireToolName } from "@tunic/core";

/** Which names of tools the service takes; the pattern stands in its own error texts. */
export const toolNameRules: ToolNameRules = {
  service: "Anthropic",
  refused: /[^a-zA-Z0-9_-]/g,
  longest: 128,
};

/** The name of a tool on the wire, the same in the list of tools, the tool choice and old calls. */
export function wireToolName(name: string): string {
  return toWireToolName(name, toolNameRules);
}

const callIdPattern = /^[a-zA-Z0-9_-]+$/;
const escapedPrefix = "call-x-";

/**
 * The id of a call as Anthropic takes it (letters, digits, `_` and `-`). Ids that came from there go
 * back as they are. Others are escaped character by character: the same id always gives the same
 * name, for the call and for its result, and two ids never share one.
 */
export function toWireCallId(callId: string): string {
  if (callIdPattern.test(callId) && !callId.startsWith(escapedPrefix)) return callId;
  const escaped = callId.replace(
    /[^a-zA-Z0-9-]/gu,
    (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}_`,
  );
  return escapedPrefix + escaped;
}
