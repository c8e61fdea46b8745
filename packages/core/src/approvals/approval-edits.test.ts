import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApprovalError } from "../errors/run-errors.js";
import type { FunctionApprovalRequestContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { approve, checkEdit } from "./approval-response.js";

type Editable = FunctionApprovalRequestContent["editable"];

/** As it comes out of a text: with a member of its own, whatever it is called. */
const parse = (text: string): JsonObject => JSON.parse(text);

const payment = parse('{"amount":5,"note":"rent","to":{"iban":"DE1","bank":["a","b"]}}');
const without = (args: JsonObject, name: string): JsonObject => {
  const { [name]: _gone, ...rest } = args;
  return rest;
};

function requestFor(args: JsonObject | undefined, editable: Editable) {
  const request: FunctionApprovalRequestContent = {
    type: "function_approval_request",
    requestId: "r1",
    call: {
      type: "function_call",
      callId: "c1",
      name: "pay",
      ...(args && { arguments: args }),
    },
    ...(editable !== undefined && { editable }),
  };
  return request;
}

/** The message with which an edit is refused; undefined where it is taken. */
function refused(
  edited: JsonObject,
  editable: Editable,
  args: JsonObject | "none" = payment,
): string | undefined {
  try {
    checkEdit(requestFor(args === "none" ? undefined : args, editable), edited);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApprovalError)) throw error;
    expect([error.code, error.requestId]).toEqual(["not_editable", "r1"]);
    return error.message;
  }
}

const changes: readonly [what: string, edited: JsonObject, changed: string][] = [
  ["a changed member", { ...payment, note: "rent, May" }, "note"],
  ["a changed type", { ...payment, amount: "5" }, "amount"],
  ["a removed member", without(payment, "note"), "note"],
  ["an added member", { ...payment, memo: "x" }, "memo"],
  ["an added null", { ...payment, memo: null }, "memo"],
  ["a member set to null", { ...payment, note: null }, "note"],
  ["a changed member inside", { ...payment, to: { iban: "XX9", bank: ["a", "b"] } }, "to"],
  ["a removed member inside", { ...payment, to: { bank: ["a", "b"] } }, "to"],
  ["an added member inside", { ...payment, to: { iban: "DE1", bank: ["a", "b"], x: 1 } }, "to"],
  ["another order in a list", { ...payment, to: { iban: "DE1", bank: ["b", "a"] } }, "to"],
  [
    "an added __proto__",
    parse(`${JSON.stringify(payment).slice(0, -1)},"__proto__":{}}`),
    "__proto__",
  ],
  [
    "an added __proto__ inside",
    parse(JSON.stringify(payment).replace('"bank"', '"__proto__":{},"bank"')),
    "to",
  ],
  ["an added member that every object inherits", { ...payment, toString: "x" }, "toString"],
];

describe("checkEdit", () => {
  it.each(changes)(
    "lets %s pass only where that argument is editable",
    (_what, edited, changed) => {
      expect(refused(edited, true)).toBeUndefined();
      expect(refused(edited, [changed])).toBeUndefined();
      expect(refused(edited, ["other", changed])).toBeUndefined();
      for (const editable of [undefined, [], ["other"], ["am", "not"]]) {
        expect(refused(edited, editable)).toContain(`"${changed}" of "pay" may not be changed`);
      }
    },
  );

  it("finds nothing changed where everything is said again, in whatever order", () => {
    const again = parse('{"to":{"bank":["a","b"],"iban":"DE1"},"note":"rent","amount":5}');
    for (const editable of [undefined, [], ["note"], true] as const) {
      expect(refused(again, editable)).toBeUndefined();
    }
  });

  it("looks at every change, not only at the first", () => {
    const edited = { ...payment, note: "x", amount: 5000 };
    expect(refused(edited, ["note", "amount"])).toBeUndefined();
    expect(refused(edited, ["note"])).toContain('"amount"');
    expect(refused(edited, ["amount"])).toContain('"note"');
  });

  it("says which arguments are editable", () => {
    expect(refused({}, ["note", "to"])).toContain("(editable: only: note, to)");
    expect(refused({}, undefined)).toContain("(editable: none)");
  });

  it("holds a call without arguments against none", () => {
    expect(refused({}, undefined, "none")).toBeUndefined();
    expect(refused({ note: "x" }, undefined, "none")).toContain('"note"');
    expect(refused({ note: "x" }, ["note"], "none")).toBeUndefined();
  });

  it("takes an edit exactly when every argument that differs is in the list", () => {
    const name: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
    const value = fc.oneof(
      fc.constantFrom(null, 1, "1"),
      fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("x", "__proto__"), fc.constantFrom(1, {}), { maxKeys: 2 }),
    );
    const args = fc
      .array(fc.tuple(name, value), { maxLength: 4 })
      .map((members) => parse(JSON.stringify(Object.fromEntries(members))));
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(args, args, fc.uniqueArray(name), (proposed, edited, editable) => {
        const differing = [...new Set([...Object.keys(proposed), ...Object.keys(edited)])].filter(
          (each) =>
            Object.hasOwn(proposed, each) !== Object.hasOwn(edited, each) ||
            !isDeepStrictEqual(proposed[each], edited[each]),
        );
        const fits = differing.every((each) => editable.includes(each));
        seen.add(fits);
        expect(refused(edited, editable, proposed) === undefined).toBe(fits);
        expect(refused(edited, undefined, proposed) === undefined).toBe(differing.length === 0);
        expect(refused(edited, true, proposed)).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe("approve with other arguments", () => {
  it("is checked at once, as the run will check it", () => {
    const request = requestFor(payment, ["note"]);
    const edited = { ...payment, note: "rent, May" };
    expect(approve(request, { arguments: edited }).arguments).toEqual(edited);
    expect(() => approve(request, { arguments: { ...edited, amount: 5000 } })).toThrow(
      expect.objectContaining({ code: "not_editable" }),
    );
    expect(() => approve(request, { arguments: {} })).toThrow(ApprovalError);
  });
});
