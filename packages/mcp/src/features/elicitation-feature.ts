import { isJsonObject, type JsonObject } from "@tunic/core";
import { askContext } from "../asking/ask-context.js";
import {
  type McpElicitation,
  type McpElicitationAnswer,
  readElicitation,
} from "../asking/elicitation.js";
import { fillIn } from "../asking/question.js";
import { McpError } from "../mcp-error.js";
import type { McpToolsOptions } from "../options.js";
import type { FeatureTerms, McpFeature } from "./feature.js";

/** Of one call: who has answered so often is not asked for ever. */
const mostQuestions = 20;

/** Servers may ask people: with a pause of the run, or through a function. */
export function elicitationFeature(
  { elicitation: answer }: McpToolsOptions,
  { label, settings, flights, log }: FeatureTerms,
): McpFeature | undefined {
  if (settings.elicitation === "off") return undefined;
  const nobody = (why: string): JsonObject => {
    const data = `The server asks a person something, which is cancelled: ${why}`;
    log({ level: "warning", logger: "elicitation", data });
    return { action: "cancel" };
  };
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    requests: {
      "elicitation/create": async (params, { signal, origin }) => {
        const elicitation = readElicitation(params, label, settings.limits.maxSchemaBytes);
        if (typeof answer === "function") {
          const behalf = await flights.onBehalfOf(origin, signal);
          const given = await answer(elicitation, askContext(label, behalf, signal));
          return await checkedAnswer(elicitation, given);
        }
        const flight = await flights.whose(origin, signal);
        if (flight === undefined) return nobody("it is not clear for which call.");
        if (flight.asked >= mostQuestions) return nobody("the call has asked too often.");
        // Code that calls a tool by itself cannot be paused.
        if (flight.context?.messages.length === 0) return nobody("the call is not made in a run.");
        return { ...(await flight.ask(elicitation, signal)) };
      },
    },
  };
}

/** What a function of the program has answered, seen from outside its types. */
async function checkedAnswer(
  elicitation: McpElicitation,
  answer: McpElicitationAnswer,
): Promise<JsonObject> {
  const { action, content = {} } = { content: undefined, ...answer };
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(content)) {
    throw unfit('the answer must be { action: "accept", content }, or "decline", or "cancel".');
  }
  if (elicitation.mode === "url") return { action };
  const filled = await fillIn(elicitation.requestedSchema, content);
  if (typeof filled === "string") throw unfit(filled);
  return { action, content: filled };
}

function unfit(why: string): McpError {
  const message = `mcpTools(): what \`elicitation\` returned does not fit: ${why}`;
  return new McpError("mcp_wrong_answer", message, { rpcCode: -32603 });
}
