import { randomUUID } from "node:crypto";
import {
  approve,
  deny,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  isJsonObject,
  type JsonObject,
} from "@tunic/core";
import { describeRequest } from "@tunic/core/approvals";
import { fillIn } from "../asking/question.js";
import { plainText } from "../plain-text.js";
import type { ClientAbilities } from "./calling-client.js";
import { ofForm } from "./served-client.js";

/** What the person at a client is asked about a request. */
export interface PersonQuestion {
  /** Of `elicitation/create`. */
  readonly params: JsonObject;
  /** What the client has to be able to do. */
  readonly needs: keyof ClientAbilities;
  /** What the client's answer says. Undefined: neither yes nor no. */
  decide(answer: JsonObject): Promise<FunctionApprovalResponseContent | undefined>;
  /** What it comes to when nobody answers. Undefined: the call does not run, for want of an approval. */
  readonly unanswered: FunctionApprovalResponseContent | undefined;
}

/** Whether a call may run; or, where the request is itself a question, such as a server's form, just that. */
export function personQuestion(request: FunctionApprovalRequestContent): PersonQuestion {
  const { additionalProperties, editable } = request;
  const asked = additionalProperties?.["elicitation"];
  const { mode, url, requestedSchema } = isJsonObject(asked) ? asked : {};
  if (mode === "url" && typeof url === "string") return pageOf(request, url);
  const isForm = mode === "form" && editable === true && isJsonObject(requestedSchema);
  return isForm ? formOf(request, requestedSchema) : mayItRun(request);
}

function mayItRun(request: FunctionApprovalRequestContent): PersonQuestion {
  const requestedSchema = {
    type: "object",
    properties: {
      approve: {
        type: "boolean",
        title: "Run it",
        description: "Whether the call may run.",
        // Who accepts without touching it says what it shows.
        default: true,
      },
    },
  };
  return {
    // Whole, and with what nobody sees written out: this is what is decided about.
    params: {
      mode: "form",
      message: `May this call run?\n${describeRequest(request)}`,
      requestedSchema,
    },
    needs: "forms",
    async decide(answer) {
      const isYes = readDecision(answer);
      if (isYes === undefined) return undefined;
      return isYes ? approve(request) : declined(request);
    },
    unanswered: undefined,
  };
}

/**
 * What the person has said. To accept is to agree ("explicitly approved", says the protocol), unless the form's field
 * says no. Undefined: neither, such as a form that was closed, or content that means nothing.
 */
function readDecision({ action, content }: JsonObject): boolean | undefined {
  if (action === "decline") return false;
  if (action !== "accept") return undefined;
  // Some clients send no content where nothing has to be filled in, or null.
  const filled = content ?? {};
  const said = isJsonObject(filled) ? (filled["approve"] ?? true) : undefined;
  return typeof said === "boolean" ? said : undefined;
}

function formOf(
  request: FunctionApprovalRequestContent,
  requestedSchema: JsonObject,
): PersonQuestion {
  return {
    params: { mode: "form", message: textOf(request), requestedSchema },
    needs: "forms",
    async decide({ action, content = {} }) {
      if (action !== "accept" || !isJsonObject(content)) return declined(request);
      const filled = await fillIn(requestedSchema, ofForm(requestedSchema, content));
      if (typeof filled !== "string") return approve(request, { arguments: filled });
      return deny(request, { reason: `The answer does not fit the form: ${filled}` });
    },
    unanswered: nobody(request),
  };
}

function pageOf(request: FunctionApprovalRequestContent, url: string): PersonQuestion {
  return {
    params: { mode: "url", message: textOf(request), url, elicitationId: randomUUID() },
    needs: "pages",
    decide: async ({ action }) => (action === "accept" ? approve(request) : declined(request)),
    unanswered: nobody(request),
  };
}

/** What is asked, and who asks. */
function textOf({ summary, reason }: FunctionApprovalRequestContent): string {
  const parts = [summary, reason].filter((part) => part !== undefined);
  return plainText(parts.join("\n\n"));
}

function declined(request: FunctionApprovalRequestContent): FunctionApprovalResponseContent {
  return deny(request, { reason: "Declined." });
}

/** A question belongs to a call that has begun: it goes on without an answer. */
function nobody(request: FunctionApprovalRequestContent): FunctionApprovalResponseContent {
  return deny(request, { reason: "Nobody has answered." });
}
