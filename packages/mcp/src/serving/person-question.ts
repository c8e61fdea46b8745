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
  /** What the client's answer says. Anything but a plain yes is a no. */
  decide(answer: JsonObject): Promise<FunctionApprovalResponseContent>;
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
      approve: { type: "boolean", title: "Run it", description: "Whether the call may run." },
    },
    required: ["approve"],
  };
  return {
    // Whole, and with what nobody sees written out: this is what is decided about.
    params: {
      mode: "form",
      message: `May this call run?\n${describeRequest(request)}`,
      requestedSchema,
    },
    needs: "forms",
    async decide({ action, content }) {
      const isYes = action === "accept" && isJsonObject(content) && content["approve"] === true;
      return isYes ? approve(request) : declined(request);
    },
  };
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
  };
}

function pageOf(request: FunctionApprovalRequestContent, url: string): PersonQuestion {
  return {
    params: { mode: "url", message: textOf(request), url, elicitationId: randomUUID() },
    needs: "pages",
    decide: async ({ action }) => (action === "accept" ? approve(request) : declined(request)),
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
