import { expect, it } from "vitest";
import { checkClientOptions } from "./check-client-options.js";

const known = new Set(["model", "client", "apiKey"]);
const check = (options: unknown) => () =>
  Reflect.apply(checkClientOptions, undefined, ["LampClient", options, known]);

it.each<[unknown, string, string]>([
  [undefined, "invalid_option", 'takes an object: new LampClient({ model: "…" }).'],
  [null, "invalid_option", "takes an object"],
  [["m"], "invalid_option", "takes an object"],
  ["gpt", "invalid_option", 'new LampClient({ model: "gpt" })'],
  [{ model: "m", apikey: "k" }, "unknown_option", 'did you mean "apiKey"'],
  [{ apiKey: "k" }, "invalid_option", 'new LampClient({ model: "…" })'],
  [{ model: "" }, "invalid_option", "needs a model"],
  [{ model: "m", client: {}, apiKey: "" }, "two_sources", "a client and apiKey"],
])("refuses %j", (options, code, text) => {
  expect(check(options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  );
});

it.each([
  { model: "m" },
  { model: "m", apiKey: "k" },
  { model: "m", client: {}, apiKey: undefined },
  { model: "m", client: undefined, apiKey: "k" },
])("takes %j", (options) => {
  expect(check(options)).not.toThrow();
});
