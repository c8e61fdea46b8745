import type { Content, EditedArguments, FunctionResultContent } from "../messages/content.js";
import { copyJson, copyWithRaw } from "../messages/json.js";
import { isMadeContent } from "../messages/make-content.js";
import { resultText } from "../tools/result-text.js";
import type { ToolResult } from "../tools/tool.js";
import { isToolResult } from "../tools/tool-result.js";
import type { RunnableCall } from "./judged-call.js";

/** A tool's result as it stands in the log. */
export function resultContent(
  callId: string,
  result: ToolResult,
  edited?: EditedArguments,
): FunctionResultContent {
  if (edited) return editedResult(callId, result, edited);
  const { isError, error } = result;
  const contents = ownContents(result);
  if (!isError) return { type: "function_result", callId, contents };
  return { type: "function_result", callId, contents, isError: true, ...(error && { error }) };
}

function editedResult(
  callId: string,
  result: ToolResult,
  edited: EditedArguments,
): FunctionResultContent {
  const content = resultContent(callId, result);
  return { ...content, contents: [editedNote(edited), ...content.contents], edited };
}

/** The call in the log stays as the model made it, so its result has to say what ran. */
function editedNote({ effective }: EditedArguments): Content {
  return {
    type: "text",
    text: `Note: a person changed the arguments before the call ran. It ran with ${JSON.stringify(effective)}.\n`,
  };
}

/**
 * What is in a log never changes, whatever the tool still does with what it returned. Only what it
 * made itself can be in its hands; what a conversion made is nobody else's.
 */
function ownContents(result: ToolResult): readonly Content[] {
  const { contents } = result;
  if (!isToolResult(result) && !contents.some(isMadeContent)) return contents;
  try {
    return contents.map(copyWithRaw);
  } catch {
    // Something in them holds itself, which no log can.
    return [{ type: "text", text: resultText(contents) }];
  }
}

/** Where a person has changed the arguments: what was proposed, and what ran. */
export function editedOf({
  call,
  arguments: args,
  ruling,
}: RunnableCall): EditedArguments | undefined {
  if (ruling?.kind !== "approved" || ruling.arguments === undefined) return undefined;
  const { decidedBy } = ruling.answer;
  return {
    proposed: call.arguments ?? {},
    effective: copyJson(args),
    ...(decidedBy !== undefined && { decidedBy }),
  };
}
