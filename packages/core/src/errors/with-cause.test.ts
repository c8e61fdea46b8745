import { expect, it } from "vitest";
import { withCause } from "./with-cause.js";

const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");

it.each<[string, unknown, string]>([
  [
    "the innermost cause",
    new TypeError("fetch failed", { cause: refused }),
    "Lost: connect ECONNREFUSED 127.0.0.1:1",
  ],
  [
    "the innermost that says something",
    new Error("outer", { cause: new Error("inner", { cause: new Error("") }) }),
    "Lost: inner",
  ],
  [
    "the first of several addresses",
    new TypeError("fetch failed", { cause: new AggregateError([refused, new Error("::1")]) }),
    "Lost: connect ECONNREFUSED 127.0.0.1:1",
  ],
  ["the last that is an error", new Error("closed", { cause: { code: 1 } }), "Lost: closed"],
  ["nothing twice", new Error("Lost"), "Lost."],
  ["nothing that is no error", "closed", "Lost."],
  ["nothing where there is nothing", undefined, "Lost."],
])("adds %s", (_, cause, expected) => {
  expect(withCause("Lost.", cause)).toBe(expected);
});

it("ends where causes go in a circle", () => {
  const error = new Error("round");
  error.cause = error;
  expect(withCause("Lost.", error)).toBe("Lost: round");
});
