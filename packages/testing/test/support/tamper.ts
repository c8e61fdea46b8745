import type { Content, FunctionApprovalRequestContent, Message } from "@tunic/core";

type Request = FunctionApprovalRequestContent;
type Change = (content: Content, request: Request) => readonly Content[] | undefined;

/** A call that waits for the answer to a request. */
function waits(content: Content, { batch = [] }: Request): boolean {
  return content.type === "function_call" && batch.includes(content.callId);
}

function isAsked(content: Content, { requestId }: Request): content is Request {
  return content.type === "function_approval_request" && content.requestId === requestId;
}

/** What somebody who holds a history might change in it before a yes; each changes one content. */
export const tamperings: Readonly<Record<string, Change>> = {
  "other arguments": (content, request) =>
    waits(content, request) ? [{ ...content, arguments: { n: 66 } } as Content] : undefined,
  "another tool": (content, request) =>
    waits(content, request) ? [{ ...content, name: "other" } as Content] : undefined,
  "one call more": (content, request) => {
    if (!waits(content, request) || content.type !== "function_call") return undefined;
    return [content, { ...content, callId: `${content.callId}_more` }];
  },
  "a longer batch": (content, request) =>
    isAsked(content, request)
      ? [{ ...content, batch: [...(content.batch ?? []), "c9"] }]
      : undefined,
  "a later end": (content, request) =>
    isAsked(content, request) ? [{ ...content, expiresAt: 1e15 }] : undefined,
  "no signature": (content, request) => {
    if (!isAsked(content, request)) return undefined;
    const { signature: _gone, ...unsigned } = content;
    return [unsigned];
  },
  "no question about a sibling": (content, request) => {
    if (content.type !== "function_approval_request") return undefined;
    const sibling = content.requestId !== request.requestId;
    return sibling && content.signature === request.signature ? [] : undefined;
  },
  "other state of a sub-agent": (content, request) =>
    content.type === "paused_call" && content.requestIds.includes(request.requestId)
      ? [{ ...content, state: { messages: [] } }]
      : undefined,
};

/** A history with one thing changed; undefined where there is nothing of that kind. */
export function tampered(
  log: readonly Message[],
  request: Request,
  change: Change,
): readonly Message[] | undefined {
  let done = false;
  const messages = log.map((message): Message => {
    const contents = message.contents.flatMap((content): readonly Content[] => {
      const changed = done ? undefined : change(content, request);
      done ||= changed !== undefined;
      return changed ?? [content];
    });
    return { ...message, contents };
  });
  return done ? messages : undefined;
}
