import { expect, it } from "vitest";
import { foreignType } from "./foreign-type.js";

it.each([
  ["hologram", "hologram"],
  ["constructor", "constructor"],
  ["function_result", "mine_function_result"],
  ["paused_call", "mine_paused_call"],
  ["function_approval_response", "mine_function_approval_response"],
  ["", "mine_"],
])("a part of type %j is kept as %j", (type, expected) => {
  expect(foreignType(type, "mine")).toBe(expected);
});
