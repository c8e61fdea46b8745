import {
  Agent,
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  type Content,
  type FunctionCallContent,
  type Middleware,
  ResponseBuilder,
  tool,
} from "@tunic/core";
import {
  addSchema,
  type Contender,
  deltas,
  deltaText,
  echoSchema,
  fragments,
  type Work,
} from "./script.js";

/** The same work through an agent. One agent and one client serve all runs, one after the other. */
export function tunic(middleware: readonly Middleware[] = []): Contender {
  let current: Work;

  const client: ChatClient = {
    metadata: { provider: "mock" },
    async getResponse(request: ChatRequest): Promise<ChatResponse> {
      const turn = current.next();
      if ("stream" in turn || request.onUpdate) return streamTurn(turn, request);
      const contents =
        "calls" in turn
          ? turn.calls.map(
              (call): FunctionCallContent => ({
                type: "function_call",
                callId: call.id,
                name: call.name,
                arguments: JSON.parse(call.args),
              }),
            )
          : [{ type: "text" as const, text: turn.text }];
      const run = request.run;
      const message = {
        id: run?.newId("message") ?? "",
        role: "assistant" as const,
        contents,
        createdAt: run?.now() ?? 0,
      };
      return { messages: [message] };
    },
  };

  async function streamTurn(
    turn: ReturnType<Work["next"]>,
    request: ChatRequest,
  ): Promise<ChatResponse> {
    const builder = new ResponseBuilder(request);
    for (const content of piecesOf(turn)) {
      const room = builder.add(content);
      if (room !== undefined) await room;
    }
    return builder.finish();
  }

  const agent = new Agent({
    client,
    tools: [
      tool({
        name: "add",
        description: "add",
        parameters: addSchema,
        execute: ({ a, b }) => current.add(a, b),
      }),
      tool({
        name: "echo",
        description: "echo",
        parameters: echoSchema,
        execute: ({ text }) => current.echo(text),
      }),
    ],
    invocation: { maxIterations: 1000 },
    middleware,
  });

  return {
    async run(work) {
      current = work;
      return { text: (await agent.run("go")).text };
    },
    async stream(work) {
      current = work;
      let length = 0;
      const stream = agent.stream("go");
      for await (const update of stream) {
        if (update.type !== "delta" || update.role !== "assistant") continue;
        for (const content of update.contents)
          if (content.type === "text") length += content.text.length;
      }
      return { text: (await stream.response).text, streamed: length };
    },
  };
}

/** What a turn streams, piece by piece. */
function* piecesOf(turn: ReturnType<Work["next"]>): Generator<Content> {
  if ("text" in turn) yield { type: "text", text: turn.text };
  if (!("stream" in turn)) return;
  for (let index = 0; index < deltas; index++) yield { type: "text", text: deltaText };
  let name = "echo";
  for (const argumentsText of fragments) {
    yield { type: "function_call", callId: "c0", name, argumentsText };
    name = "";
  }
}
