import { describe, expectTypeOf, it } from "vitest";
import type { ChatRequest } from "../chat/chat-client.js";
import type { ChatOptions } from "../chat/chat-options.js";
import type { ResponseEnd } from "../chat/response-builder.js";
import type { StreamOptions } from "../chat/response-stream.js";
import type { ChatClientErrorOptions } from "../errors/chat-client-error.js";
import type { ToolErrorOptions } from "../errors/tool-errors.js";
import type { FunctionInvocationConfiguration } from "../invocation/function-invocation-configuration.js";
import type { ToolOptions } from "../tools/function-tool.js";
import type { InvokeOptions } from "../tools/tool.js";
import type { AgentToolOptions } from "./agent-as-tool.js";
import type { AgentOptions, ModelOptions, RunOptions } from "./agent-options.js";

/** The optional members that cannot be written as undefined, under `exactOptionalPropertyTypes`. */
type Exact<Options> = {
  [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? Record<Name, undefined> extends Pick<Options, Name>
      ? never
      : Name
    : never;
}[keyof Options];

describe("what a caller may have or not have can be passed on as it is", () => {
  it("in every public type of options", () => {
    expectTypeOf<Exact<{ readonly signal?: AbortSignal }>>().toEqualTypeOf<"signal">();
    expectTypeOf<Exact<RunOptions>>().toBeNever();
    expectTypeOf<Exact<AgentOptions>>().toBeNever();
    expectTypeOf<Exact<ModelOptions>>().toBeNever();
    expectTypeOf<Exact<ChatOptions>>().toBeNever();
    expectTypeOf<Exact<ChatRequest>>().toBeNever();
    expectTypeOf<Exact<StreamOptions>>().toBeNever();
    expectTypeOf<Exact<ResponseEnd>>().toBeNever();
    expectTypeOf<Exact<ToolOptions<undefined, unknown>>>().toBeNever();
    expectTypeOf<Exact<InvokeOptions>>().toBeNever();
    expectTypeOf<Exact<AgentToolOptions>>().toBeNever();
    expectTypeOf<Exact<FunctionInvocationConfiguration>>().toBeNever();
    expectTypeOf<Exact<ChatClientErrorOptions>>().toBeNever();
    expectTypeOf<Exact<ToolErrorOptions>>().toBeNever();
  });
});
