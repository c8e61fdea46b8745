import {
  type FunctionInvocationContext,
  type FunctionTool,
  type JsonObject,
  tool,
} from "@tunic/core";
import { clientOf } from "./asks-client.js";

const user = (text: string): JsonObject => ({ role: "user", content: { type: "text", text } });

function confirm(context: FunctionInvocationContext): Promise<unknown> {
  const properties = { ok: { type: "boolean" } };
  return clientOf(context).elicit(
    { message: "Please confirm", requestedSchema: { type: "object", properties } },
    { id: "confirm" },
  );
}

async function nameOf(context: FunctionInvocationContext): Promise<unknown> {
  const requestedSchema = {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
  };
  const answer = await clientOf(context).elicit(
    { message: "What is your name?", requestedSchema },
    { id: "user_name" },
  );
  return answer.action === "accept" ? answer.content?.["name"] : "whoever you are";
}

/** A tool that is answered once a person has confirmed; the suite calls it again with its state, right or tampered with. */
function confirmed(what: string) {
  return tool({
    description: "For the suite.",
    name: `test_input_required_result_${what}`,
    async execute(_input, context) {
      await confirm(context);
      return "state-ok";
    },
  });
}

/** Tools for which clients of revision 2026-07-28 call again with what was asked. */
export const asksInput: readonly FunctionTool[] = [
  tool({
    description: "For the suite.",
    name: "test_input_required_result_elicitation",
    execute: async (_input, context) => `Hello, ${await nameOf(context)}!`,
  }),
  tool({
    description: "For the suite.",
    name: "test_input_required_result_sampling",
    async execute(_input, context) {
      const messages = [user("What is the capital of France?")];
      const sample = { messages, maxTokens: 100 };
      return (await clientOf(context).sample(sample, { id: "capital_question" })).text;
    },
  }),
  tool({
    description: "For the suite.",
    name: "test_input_required_result_list_roots",
    async execute(_input, context) {
      return JSON.stringify(await clientOf(context).listRoots({ id: "client_roots" }));
    },
  }),
  confirmed("request_state"),
  confirmed("tampered_state"),
  tool({
    description: "For the suite.",
    name: "test_input_required_result_multiple_inputs",
    async execute(_input, context) {
      const client = clientOf(context);
      const greeting = { messages: [user("Generate a greeting")], maxTokens: 50 };
      const [name, { text }, roots] = await Promise.all([
        nameOf(context),
        client.sample(greeting, { id: "greeting" }),
        client.listRoots({ id: "client_roots" }),
      ]);
      return `${text} ${name} ${roots.length}`;
    },
  }),
  tool({
    description: "For the suite.",
    name: "test_input_required_result_multi_round",
    async execute(_input, context) {
      const name = await nameOf(context);
      const properties = { color: { type: "string" } };
      const answer = await clientOf(context).elicit(
        {
          message: "What is your favorite color?",
          requestedSchema: { type: "object", properties },
        },
        { id: "step2" },
      );
      return `${name}: ${JSON.stringify(answer)}`;
    },
  }),
  tool({
    description: "For the suite.",
    name: "test_input_required_result_capabilities",
    async execute(_input, context) {
      const { can, sample } = clientOf(context);
      const greeting = { messages: [user("Generate a greeting")], maxTokens: 50 };
      const said = can.sampling ? (await sample(greeting)).text : "";
      return can.forms ? `${said} ${await nameOf(context)}` : said;
    },
  }),
];
