import {
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  type Message,
  type Tool,
  tool,
  type Update,
} from "@tunic/core";

/** A tool that every service takes, but for its function. */
export const weatherOptions = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;
const weather = tool({ ...weatherOptions, execute: ({ city }) => `sunny in ${city}` });
/** Its name is none that services take. */
export const oddlyNamed = tool({
  ...weatherOptions,
  name: "1. weather / today",
  execute: ({ city }) => `sunny in ${city}`,
});

/** A question with instructions, and one tool if nobody says otherwise. */
export function request(tools: readonly Tool[] = [weather]): ChatRequest {
  const hello: Message = {
    id: "message_1",
    role: "user",
    contents: [{ type: "text", text: "hello" }],
    createdAt: 0,
  };
  return { messages: [hello], options: { instructions: "Be brief.", tools } };
}

/** Asks for a stream: the answer, and what was streamed of it. */
export async function streamed(
  client: ChatClient,
  tools?: readonly Tool[],
): Promise<{ response: ChatResponse; updates: Update[] }> {
  const updates: Update[] = [];
  const response = await client.getResponse({
    ...request(tools),
    onUpdate: (update) => {
      updates.push(update);
    },
  });
  return { response, updates };
}
