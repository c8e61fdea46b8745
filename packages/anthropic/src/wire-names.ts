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

/**
 * The name of a tool in an old call. Tools that are offered now have been checked; a name out of
 * another service's history may hold characters that would have the whole request refused.
 */
export function toWireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128) || "_";
}
