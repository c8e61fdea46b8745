import {
  type AgentSession,
  type ChatClient,
  ChatClientError,
  type FunctionCallContent,
  type JsonObject,
  ResponseBuilder,
} from "@tunic/core";

/** A call that has come in. */
interface IncomingCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/**
 * A chat client without a model: in the run of a session it makes the one call that is kept for that session, and has
 * nothing to add once it is answered. So a call that comes from outside passes the same layers as one that a model makes.
 */
export interface CallClient extends ChatClient {
  /** The call that the runs of a session make. */
  expect(session: AgentSession, call: IncomingCall): void;
}

export function callClient(): CallClient {
  const calls = new WeakMap<AgentSession, IncomingCall>();
  return {
    metadata: { provider: "mcp" },
    expect(session, call) {
      calls.set(session, call);
    },
    async getResponse(request) {
      const session = request.run?.session;
      const call = session && calls.get(session);
      if (call === undefined) {
        throw new ChatClientError("bad_request", "There is no call for this run.");
      }
      const answer = new ResponseBuilder(request);
      const isAnswered = request.messages.some(({ role }) => role === "tool");
      if (isAnswered) return answer.finish({ finishReason: "stop" });
      const content: FunctionCallContent = {
        type: "function_call",
        callId: answer.callId(),
        ...call,
      };
      await answer.add(content);
      return answer.finish({ finishReason: "tool_calls" });
    },
  };
}
