import { expectTypeOf, it } from "vitest";
import type { GeminiChatClientOptions } from "./gemini-client-options.js";
import type { GeminiContentsOptions } from "./to-gemini.js";

/** The optional members that cannot be written as undefined, under `exactOptionalPropertyTypes`. */
type Exact<Options> = {
  [Name in keyof Options]-?: Record<never, never> extends Pick<Options, Name>
    ? Record<Name, undefined> extends Pick<Options, Name>
      ? never
      : Name
    : never;
}[keyof Options];

it("options may be written as undefined", () => {
  expectTypeOf<Exact<GeminiChatClientOptions>>().toBeNever();
  expectTypeOf<Exact<GeminiContentsOptions>>().toBeNever();
});
