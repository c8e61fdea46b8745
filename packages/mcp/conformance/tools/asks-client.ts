import {
  type FunctionInvocationContext,
  type FunctionTool,
  type JsonObject,
  tool,
} from "@tunic/core";
import { type ServedClient, servedClient } from "../../src/server.js";

/** Who has called; these tools are called by nobody else. */
export function clientOf(context: FunctionInvocationContext): ServedClient {
  const client = servedClient(context);
  if (client === undefined) throw new Error("Nobody has called.");
  return client;
}

const text = { type: "object", properties: { text: { type: "string" } } } as const;

async function fill(
  context: FunctionInvocationContext,
  properties: JsonObject,
  message = "Please fill this in.",
): Promise<string> {
  const answer = await clientOf(context).elicit({
    message,
    requestedSchema: { type: "object", properties },
  });
  const content = answer.action === "accept" ? JSON.stringify(answer.content) : "none";
  return `Elicitation completed: action=${answer.action}, content=${content}`;
}

const options = ["option1", "option2", "option3"];
const titled = ["First", "Second", "Third"].map((title, index) => ({
  const: `value${index + 1}`,
  title,
}));

/** Tools that ask the client while they run. */
export const asksClient: readonly FunctionTool[] = [
  tool({
    description: "For the suite.",
    name: "test_sampling",
    parameters: {
      type: "object",
      properties: { prompt: { type: "string" } },
      required: ["prompt"],
    },
    async execute({ prompt }, context) {
      const { text: answer } = await clientOf(context).sample({
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return `LLM response: ${answer}`;
    },
  }),
  tool({
    description: "For the suite.",
    name: "test_elicitation",
    parameters: {
      type: "object",
      properties: { message: { type: "string" } },
      required: ["message"],
    },
    execute: ({ message }, context) =>
      fill(context, { username: { type: "string" }, email: { type: "string" } }, message),
  }),
  tool({
    description: "For the suite.",
    name: "test_elicitation_sep1034_defaults",
    execute: (_input, context) =>
      fill(context, {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
  }),
  tool({
    description: "For the suite.",
    name: "test_elicitation_sep1330_enums",
    execute: (_input, context) =>
      fill(context, {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titled } },
      }),
  }),
  tool({
    description: "For the suite.",
    name: "test_streaming_elicitation",
    execute: (_input, context) => fill(context, text.properties),
  }),
  tool({
    description: "For the suite.",
    name: "test_missing_capability",
    async execute(_input, context) {
      const messages = [{ role: "user", content: { type: "text", text: "Hello" } }];
      return (await clientOf(context).sample({ messages, maxTokens: 10 })).text;
    },
  }),
];
