import {
  type AgentContext,
  type AgentResponse,
  agentMiddleware,
  bufferUpdates,
  type ChatContext,
  type ChatResponse,
  chatMiddleware,
  type DeltaUpdate,
  endRun,
  type Handler,
  type Message,
  type Middleware,
  type Next,
  type RunEnvironment,
  replaceText,
  type Transform,
  textOf,
} from "@tunic/core";
import fc from "fast-check";

/** What a timeout of these stacks fires with. */
class TimeIsUp extends Error {}

const attempts = 3;

/** Calls `next` under a signal that fires after `ms`; the clock is the test's. */
async function within<Result>(
  environment: RunEnvironment,
  ms: number,
  next: Next<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const cancel = environment.setTimer(() => controller.abort(new TimeIsUp()), ms);
  try {
    return await next({ signal: controller.signal });
  } finally {
    cancel();
  }
}

/** What handlers of both streaming onions have in common. */
interface Shape<Context, Result> {
  answer(context: Context, text: string): Result;
  replaced(result: Result, messages: readonly Message[]): Result;
}

function shared<
  Context extends { messages: readonly Message[] },
  Result extends { messages: readonly Message[] },
>(shape: Shape<Context, Result>, environment: RunEnvironment) {
  type Handling = Handler<Context, Result>;
  const secret = (result: Result): boolean =>
    result.messages.some((message) => textOf(message).includes("secret"));
  const handlers = {
    idle: () => (_context, next) => next(),
    retry: () => async (_context, next) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await next();
        } catch (error) {
          if (attempt === attempts) throw error;
        }
      }
    },
    /** Asks twice, whatever came of the first time. */
    again: () => async (_context, next) => {
      await next().catch(() => {});
      return next();
    },
    /** Keeps the first answer when there is no second. */
    firstOfTwo: () => async (_context, next) => {
      const first = await next();
      try {
        return await next();
      } catch {
        return first;
      }
    },
    /** Keeps the first answer although there is a second. */
    firstAnyway: () => async (_context, next) => {
      const first = await next();
      await next();
      return first;
    },
    cache: (at) => async (context) => shape.answer(context, `cached ${at} 4111`),
    rescue: (at) => async (context, next) => {
      try {
        return await next();
      } catch {
        return shape.answer(context, `rescued ${at}`);
      }
    },
    withhold: (at) => async (context, next) => {
      const result = await next();
      return secret(result) ? shape.answer(context, `[withheld ${at}]`) : result;
    },
    shout: () => async (_context, next) => {
      const result = await next();
      return shape.replaced(result, result.messages.map(shouted));
    },
    sameMessages: () => async (_context, next) => {
      const result = await next();
      return shape.replaced(result, result.messages);
    },
    inject: (at) => (context, next) => {
      context.messages = [userMessage(`inject-${at}`), ...context.messages];
      return next();
    },
    timeout: (at) => async (context, next) => {
      try {
        return await within(environment, 25, next);
      } catch (error) {
        if (error instanceof TimeIsUp) return shape.answer(context, `timed out ${at}`);
        throw error;
      }
    },
    retryTimeout: () => async (_context, next) => {
      try {
        return await within(environment, 25, next);
      } catch (error) {
        if (!(error instanceof TimeIsUp)) throw error;
        return next();
      }
    },
    end: () => async (_context, next) => endRun(await next()),
    endEarly: (at) => async (context) => endRun(shape.answer(context, `ended ${at}`)),
  } satisfies Record<string, (at: number) => Handling>;
  return handlers;
}

export type ChatKind = keyof ReturnType<typeof chatHandlers>;
export type AgentKind = keyof ReturnType<typeof agentHandlers>;

function chatHandlers(environment: RunEnvironment) {
  const transform =
    (make: Parameters<ChatContext["transformUpdates"]>[0]): Handler<ChatContext, ChatResponse> =>
    (context, next) => {
      context.transformUpdates(make);
      return next();
    };
  return {
    ...shared<ChatContext, ChatResponse>(
      {
        answer: (context, text) => context.respond(text),
        replaced: (response, messages) => ({ ...response, messages, model: "renamed" }),
      },
      environment,
    ),
    redact: () => transform(replaceText(/\d{4}/, "****", { maxLength: 4 })),
    drop: () => transform(bufferUpdates((_message, text) => !text.includes("secret"))),
    swap: () =>
      transform(bufferUpdates((_message, text) => (text.includes("x") ? "swapped" : true))),
    lagging: () => transform(lagging),
  } satisfies Record<string, (at: number) => Handler<ChatContext, ChatResponse>>;
}

/** A transform that holds on to the last character. */
function lagging(): Transform {
  let held = "";
  let last: DeltaUpdate | undefined;
  const say = async (text: string, emit: Parameters<Transform["update"]>[1]): Promise<void> => {
    if (last && text !== "") await emit({ ...last, contents: [{ type: "text", text }] });
  };
  return {
    async update(update, emit) {
      last = update;
      for (const content of update.contents) {
        if (content.type === "text") {
          const text = held + content.text;
          held = text.slice(-1);
          await say(text.slice(0, -1), emit);
        } else {
          await say(held, emit);
          held = "";
          await emit({ ...update, contents: [content] });
        }
      }
    },
    end: (emit) => say(held, emit),
  };
}

function agentHandlers(environment: RunEnvironment) {
  return shared<AgentContext, AgentResponse>(
    {
      answer: (context, text) => context.respond(text),
      replaced: (response, messages) => response.with({ messages, model: "renamed" }),
    },
    environment,
  );
}

/** Chat middlewares of these kinds, the first outermost. */
export function chatStack(kinds: readonly ChatKind[], environment: RunEnvironment): Middleware[] {
  const handlers = chatHandlers(environment);
  return kinds.map((kind, at) => chatMiddleware(`chat ${kind} ${at}`, handlers[kind](at)));
}

/** Agent middlewares of these kinds, the first outermost. */
export function agentStack(kinds: readonly AgentKind[], environment: RunEnvironment): Middleware[] {
  const handlers = agentHandlers(environment);
  return kinds.map((kind, at) => agentMiddleware(`agent ${kind} ${at}`, handlers[kind](at + 100)));
}

const environmentOfNobody: RunEnvironment = {
  now: () => 0,
  setTimer: () => () => {},
  randomId: () => "",
};

export const chatKinds: fc.Arbitrary<ChatKind[]> = fc.array(
  fc.constantFrom(...(Object.keys(chatHandlers(environmentOfNobody)) as ChatKind[])),
  { maxLength: 5 },
);
export const agentKinds: fc.Arbitrary<AgentKind[]> = fc.array(
  fc.constantFrom(...(Object.keys(agentHandlers(environmentOfNobody)) as AgentKind[])),
  { maxLength: 3 },
);

function shouted(message: Message): Message {
  const contents = message.contents.map((content) =>
    content.type === "text" ? { ...content, text: content.text.toUpperCase() } : content,
  );
  return { ...message, contents };
}

function userMessage(text: string): Message {
  return { id: text, role: "user", contents: [{ type: "text", text }], createdAt: 0 };
}
