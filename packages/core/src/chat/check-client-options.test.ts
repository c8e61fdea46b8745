import { expect, it } from "vitest";
import { checkClientOptions } from "./check-client-options.js";

const known = new Set(["model", "client", "apiKey", "baseURL"]);
const sdk = {
  words: 'an instance of Lamp, of the package "lamp"',
  fits: (client: object) => "light" in client,
};
const check = (options: unknown) => () =>
  Reflect.apply(checkClientOptions, undefined, ["LampClient", options, known, sdk]);

it.each<[unknown, string, string]>([
  [undefined, "invalid_option", 'takes an object: new LampClient({ model: "…" }).'],
  [null, "invalid_option", "takes an object"],
  [["m"], "invalid_option", "takes an object"],
  ["gpt", "invalid_option", 'new LampClient({ model: "gpt" })'],
  [{ model: "m", apikey: "k" }, "unknown_option", 'did you mean "apiKey"'],
  [{ apiKey: "k" }, "invalid_option", 'new LampClient({ model: "…" })'],
  [{ model: "" }, "invalid_option", "needs a model"],
  [{ model: "m", client: { light() {} }, apiKey: "" }, "two_sources", "a client and apiKey"],
  [{ model: "m", client: {} }, "invalid_option", "client must be an instance of Lamp"],
  [{ model: "m", client: null }, "invalid_option", "client must be an instance of Lamp"],
  [{ model: "m", baseURL: "localhost:8080/v1" }, "invalid_option", 'got "localhost:8080/v1"'],
  [{ model: "m", baseURL: "file:///etc" }, "invalid_option", "http://"],
  [{ model: "m", baseURL: "http://" }, "invalid_option", "http://"],
  [{ model: "m", baseURL: 8080 }, "invalid_option", "got 8080"],
])("refuses %j", (options, code, text) => {
  expect(check(options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  );
});

it.each([
  { model: "m" },
  { model: "m", apiKey: "k" },
  { model: "m", client: { light() {} }, apiKey: undefined },
  { model: "m", baseURL: "http://127.0.0.1:8080/v1" },
  { model: "m", baseURL: "HTTPS://example.org" },
  { model: "m", client: undefined, apiKey: "k" },
])("takes %j", (options) => {
  expect(check(options)).not.toThrow();
});
