import { createHash } from "node:crypto";
import {
  canonicalJson,
  checkArguments,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type FunctionInvocationContext,
  type JsonObject,
  type RequestedTool,
} from "@tunic/core";
import type { McpElicitation, McpElicitationAnswer } from "./elicitation.js";
import { formDefaults } from "./form-schema.js";

/** A server's question, on its way to a person. */
export interface Question {
  /** What its answer goes back under. */
  readonly key: string;
  readonly elicitation: McpElicitation;
  /** How often it was answered with what does not fit. */
  readonly tries: number;
  /** What did not fit last. */
  readonly problem?: string;
}

/** A question that somebody has been asked; JSON. */
export interface AskedQuestion extends Question {
  readonly requestId: string;
}

/** After so many answers that do not fit, the server is told that there is none. */
const mostTries = 3;

/**
 * A question as an approval request, which whoever answers those can answer: an approval accepts, with the
 * edited arguments as what was filled in, and a denial declines.
 *
 * @param expiresAt When the server stops waiting.
 */
export function requestFor(
  { elicitation, problem }: Question,
  { run, tool: asking }: FunctionInvocationContext,
  expiresAt: number | undefined,
): FunctionApprovalRequestContent {
  const { mode, server, message } = elicitation;
  const about = requestedTool(elicitation);
  const works = `The MCP server "${server}" asks while it works on "${asking.name}"`;
  const where = mode === "url" ? `: open ${new URL(elicitation.url).host}` : "";
  return {
    type: "function_approval_request",
    requestId: run.newId("request"),
    call: {
      type: "function_call",
      callId: run.newId("call"),
      name: about.name,
      arguments:
        mode === "form" ? formDefaults(elicitation.requestedSchema) : { url: elicitation.url },
    },
    tool: about,
    reason: `${works}${where}.${problem === undefined ? "" : ` The last answer did not fit: ${problem}`}`,
    summary: message,
    ...(mode === "form" && { editable: true }),
    ...(expiresAt !== undefined && { expiresAt }),
    additionalProperties: { elicitation: { ...elicitation } },
  };
}

/** What a person has said; a question where it does not fit. */
export async function readResponse(
  question: Question,
  response: FunctionApprovalResponseContent | undefined,
): Promise<McpElicitationAnswer | Question> {
  const { elicitation, tries } = question;
  if (response === undefined) return { action: "cancel" };
  if (!response.approved) return { action: "decline" };
  if (elicitation.mode === "url") return { action: "accept" };
  const { requestedSchema } = elicitation;
  const filled = await fillIn(requestedSchema, response.arguments ?? formDefaults(requestedSchema));
  if (typeof filled !== "string") return { action: "accept", content: filled };
  if (tries + 1 >= mostTries) return { action: "cancel" };
  return { ...question, tries: tries + 1, problem: filled };
}

/** What goes back to the server, with defaults where nothing was written; or in words what does not fit. */
export async function fillIn(
  schema: JsonObject,
  content: JsonObject,
): Promise<JsonObject | string> {
  const checked = await checkArguments({ name: "elicitation", parameters: schema }, content);
  return checked.ok ? { ...formDefaults(schema), ...checked.arguments } : checked.message;
}

/** The question in the form of a tool. */
function requestedTool(elicitation: McpElicitation): RequestedTool {
  const { server: owner, message: description } = elicitation;
  const shown = {
    name: `${owner}_elicitation`,
    owner,
    description,
    parameters: elicitation.mode === "form" ? elicitation.requestedSchema : urlSchema,
    traits: { trust: "external" as const },
  };
  const hash = createHash("sha256").update(canonicalJson(shown)).digest("base64url");
  return { ...shown, hash };
}

const urlSchema: JsonObject = {
  type: "object",
  properties: { url: { type: "string", format: "uri" } },
  required: ["url"],
  additionalProperties: false,
};
