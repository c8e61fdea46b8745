import { expect, it } from "vitest";
import { defined } from "./defined.js";

it("leaves out what is undefined, and nothing else", () => {
  const options: { a?: number | undefined; b: null; c: string; d: boolean } = {
    a: undefined,
    b: null,
    c: "",
    d: false,
  };
  expect(Object.keys(defined(options))).toEqual(["b", "c", "d"]);
  expect(defined(options)).toEqual({ b: null, c: "", d: false });
});
