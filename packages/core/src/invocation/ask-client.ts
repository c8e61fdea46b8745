import type { ChatClient, ChatRequest, ChatResponse } from "../chat/chat-client.js";
import { ChatContext } from "../chat/chat-context.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { isA, messageOf } from "../errors/thrown.js";
import { TunicError } from "../errors/tunic-error.js";
import { Run } from "../run/run.js";
import { checkResponse, StreamedRound } from "./round.js";

/** The core of the chat onion: the client, asked with what the layers have made of the request. */
export async function askClient(client: ChatClient, context: ChatContext): Promise<ChatResponse> {
  const { messages, options, run } = context;
  const { round, segment, signal, transformed } = ChatContext.passageOf(context);
  // A handler may have been deaf to the end of its time: nothing new begins after it.
  if (signal?.aborted) throw signal.reason;
  if (run instanceof Run) run.gate.throwIfAborted();
  round.sent = options;
  // Without anybody who could stop the run there is no signal to make: it is not cheap.
  const stoppable = (signal || !(run instanceof Run) || run.gate.armed) && {
    signal: context.signal,
  };
  const request: ChatRequest = { messages, options, run, ...stoppable };
  try {
    if (segment === undefined) return checkResponse(await client.getResponse(request));
    if (!transformed) {
      return checkResponse(await client.getResponse({ ...request, onUpdate: segment.emit }));
    }
    // A transform sees what is streamed, and must see the response: the two have to agree.
    const entrance = {
      run,
      provider: client.metadata.provider,
      callIds: new Set<string>(),
      used: new Set<string>(),
      asked: false,
      variations: new Map<string, number>(),
    };
    const guard = new StreamedRound(entrance, new Set(), segment.emit);
    const response = checkResponse(await client.getResponse({ ...request, onUpdate: guard.emit }));
    return { ...response, messages: await guard.end(response) };
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason;
    throw run instanceof Run && run.gate.aborted ? run.gate.reason : asClientError(thrown);
  }
}

/** Whatever a chat client throws, the run rejects with an error that programs can read. */
export function asClientError(thrown: unknown): unknown {
  if (isA(thrown, TunicError) || isA(thrown, ConfigurationError)) return thrown;
  const message = `The chat client failed: ${messageOf(thrown)}`;
  return new ChatClientError("unknown", message, { cause: thrown });
}
