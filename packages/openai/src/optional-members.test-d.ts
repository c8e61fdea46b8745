import { expectTypeOf, it } from "vitest";
import type { OpenAIResponsesClientOptions } from "./responses/responses-client-options.js";
import type { OpenAIChatClientOptions } from "./sdk-client.js";

/** The optional members that cannot be written as undefined, under `exactOptionalPropertyTypes`. */
type Exact<Options> = {
  [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? Record<Name, undefined> extends Pick<Options, Name>
      ? never
      : Name
    : never;
}[keyof Options];

it("options may be written as undefined", () => {
  expectTypeOf<Exact<OpenAIChatClientOptions>>().toBeNever();
  expectTypeOf<Exact<OpenAIResponsesClientOptions>>().toBeNever();
});
