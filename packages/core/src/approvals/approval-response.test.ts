import { isDeepStrictEqual as same } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApprovalError } from "../errors/run-errors.js";
import type { FunctionApprovalRequestContent, Remember } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { approve, checkDecision, deny, parseDecision } from "./approval-response.js";

const request: FunctionApprovalRequestContent = {
  type: "function_approval_request",
  requestId: "r1",
  call: { type: "function_call", callId: "c1", name: "pay", arguments: { amount: 5 } },
  editable: true,
};
const yes = { type: "function_approval_response", requestId: "r1", approved: true };
const no = { ...yes, approved: false };

/** What something is refused with; anything but an `ApprovalError` fails the test. */
function refusal(attempt: () => unknown): ApprovalError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof ApprovalError) return error;
    throw error;
  }
}

const jsonObject = fc
  .dictionary(fc.oneof(fc.constantFrom("a", "__proto__", "type"), fc.string()), fc.jsonValue(), {
    maxKeys: 4,
  })
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)));
const filled = jsonObject.filter((value) => Object.keys(value).length > 0);
const remembers = fc.oneof(
  fc.constant<true>(true),
  fc.record<Required<Remember>, never>(
    {
      scope: fc.oneof(
        fc.constantFrom<Remember["scope"] & string>("arguments", "tool"),
        filled.map((matching) => ({ matching })),
      ),
      until: fc.integer(),
      uses: fc.integer({ min: 1 }),
    },
    { requiredKeys: [] },
  ),
);

describe("approve and deny", () => {
  it("make a decision that names the request, and carries nothing of its call", () => {
    expect(approve(request)).toStrictEqual(yes);
    expect(deny(request)).toStrictEqual(no);
  });

  it("say what they were told, and leave out what is undefined", () => {
    const all = { arguments: { amount: 6 }, reason: "fine", remember: { uses: 2 } };
    expect(approve(request, all)).toStrictEqual({ ...yes, ...all });
    const nothing = { arguments: undefined, reason: undefined, remember: undefined };
    expect(approve(request, nothing)).toStrictEqual(yes);
    expect(deny(request, { reason: "no", remember: true })).toStrictEqual({
      ...no,
      reason: "no",
      remember: true,
    });
  });

  it("make what a page can post: parseDecision gives back the same", () => {
    const options = fc.record(
      { arguments: jsonObject, reason: fc.string(), remember: remembers },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(options, ({ arguments: edited, ...rest }) => {
        const approval = approve(request, { ...rest, ...(edited && { arguments: edited }) });
        expect(same(parseDecision(JSON.stringify(approval)), approval)).toBe(true);
        const denial = deny(request, rest);
        expect(same(parseDecision(JSON.parse(JSON.stringify(denial))), denial)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("share nothing with what they were made of", () => {
    const edited = { to: { iban: "DE1" } };
    const matching = { to: { iban: "DE1" } };
    const decision = approve(request, {
      arguments: edited,
      remember: { scope: { matching } },
    });
    edited.to.iban = "XX9";
    matching.to.iban = "XX9";
    expect(decision.arguments).toEqual({ to: { iban: "DE1" } });
    expect(decision.remember).toEqual({ scope: { matching: { to: { iban: "DE1" } } } });
  });

  it("refuse arguments that are no object, and what cannot be remembered", () => {
    expect(() => approve(request, { arguments: [] as never })).toThrow("`arguments`");
    expect(() => deny(request, { remember: "always" as never })).toThrow("`remember`");
    expect(() => deny(request, { reason: 7 as never })).toThrow("`reason`");
  });

  it("refuse edited arguments with a denial: nothing runs", () => {
    const options: object = { arguments: { amount: 6 } };
    expect(() => deny(request, options)).toThrow(/deny has no option "arguments"/);
  });
});

describe("parseDecision", () => {
  it("takes JSON text and what was parsed of it", () => {
    expect(parseDecision(JSON.stringify(yes))).toStrictEqual(yes);
    expect(parseDecision(no)).toStrictEqual(no);
  });

  it.each(["false", "true", "", 1, 0, null, undefined, [], {}])(
    "takes %j for neither a yes nor a no",
    (approved) => {
      const error = refusal(() => parseDecision({ ...yes, approved }));
      expect(error).toMatchObject({ code: "invalid_decision", requestId: "r1" });
      expect(error?.message).toContain("`approved` must be true or false");
    },
  );

  it.each<[string, unknown, RegExp]>([
    ["no text of JSON", "{", /no JSON/],
    ["an empty text", "", /no JSON/],
    ["a text in a text", JSON.stringify(JSON.stringify(yes)), /an object with type/],
    ["nothing", null, /an object with type/],
    ["a list", [yes], /an object with type/],
    ["a bare yes", true, /an object with type/],
    ["no type", { requestId: "r1", approved: true }, /an object with type/],
    ["another type", { ...yes, type: "function_approval_request" }, /an object with type/],
    ["no request", { ...yes, requestId: undefined }, /`requestId` must name/],
    ["an empty request", { ...yes, requestId: "" }, /`requestId` must name/],
    ["a number for a request", { ...yes, requestId: 7 }, /`requestId` must name/],
    ["a list for a request", { ...yes, requestId: ["r1"] }, /`requestId` must name/],
    ["a reason that is no text", { ...yes, reason: { text: "x" } }, /`reason` must be a string/],
    ["no reason but null", { ...yes, reason: null }, /`reason` must be a string/],
    ["arguments in a list", { ...yes, arguments: [1] }, /`arguments` must be an object/],
    ["arguments as text", { ...yes, arguments: '{"a":1}' }, /`arguments` must be an object/],
    ["null for arguments", { ...yes, arguments: null }, /`arguments` must be an object/],
    ["a denial with arguments", { ...no, arguments: {} }, /denial has no `arguments`/],
    ["who decided", { ...yes, decidedBy: "mara" }, /`decidedBy` is for the server/],
    ["nobody who decided", { ...yes, decidedBy: null }, /`decidedBy` is for the server/],
    ["a call", { ...yes, call: { name: "pay" } }, /the member "call"/],
    ["a misspelt member", { ...yes, argument: { amount: 1 } }, /the member "argument"/],
    ["labels", { ...yes, additionalProperties: {} }, /the member "additionalProperties"/],
    ["__proto__", JSON.stringify(yes).replace("{", '{"__proto__":{},'), /member "__proto__"/],
  ])("refuses %s", (_what, json, message) => {
    const error = refusal(() => parseDecision(json));
    expect(error).toMatchObject({ code: "invalid_decision", name: "ApprovalError" });
    expect(error?.message).toMatch(message);
  });

  it("says who decided as the server knows it, and only then", () => {
    expect(parseDecision(yes, { decidedBy: "mara" })).toStrictEqual({ ...yes, decidedBy: "mara" });
    expect(parseDecision(yes, { decidedBy: undefined })).toStrictEqual(yes);
  });

  it("refuses a decider that is no text, as the run would", () => {
    for (const decidedBy of [null, 7, { id: "mara" }]) {
      const origin = { decidedBy: decidedBy as never };
      expect(refusal(() => parseDecision(yes, origin))?.message).toContain("`decidedBy` must be");
    }
  });

  it("shares nothing with what it was given", () => {
    const posted = {
      ...yes,
      arguments: { to: ["a"] },
      remember: { scope: { matching: { a: 1 } } },
    };
    const decision = parseDecision(posted);
    posted.arguments.to.push("b");
    posted.remember.scope.matching.a = 2;
    expect(decision.arguments).toEqual({ to: ["a"] });
    expect(decision.remember).toEqual({ scope: { matching: { a: 1 } } });
  });

  it("keeps an argument called __proto__ an argument", () => {
    const json = '{"type":"function_approval_response","requestId":"r1","approved":true,';
    const decision = parseDecision(`${json}"arguments":{"__proto__":{"admin":true}}}`);
    expect(JSON.stringify(decision.arguments)).toBe('{"__proto__":{"admin":true}}');
    expect(decision.arguments?.["admin"]).toBeUndefined();
  });

  it("refuses what is nested too deeply for anybody to read", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = JSON.stringify({ ...yes, arguments: {} }).replace("{}", `{"a":${deep}}`);
    expect(refusal(() => parseDecision(text))).toMatchObject({ code: "invalid_decision" });
    const remember = { scope: { matching: { a: JSON.parse(deep) } } };
    expect(refusal(() => approve(request, { remember }))).toMatchObject({
      code: "invalid_decision",
    });
  });
});

describe("what a decision wants remembered", () => {
  it.each<[unknown]>([
    [true],
    [{}],
    [{ scope: "arguments" }],
    [{ scope: "tool", until: 1, uses: 1 }],
    [{ scope: { matching: { a: null } } }],
    [{ until: -1.5 }],
    [{ uses: Number.MAX_SAFE_INTEGER }],
  ])("may be %j", (remember) => {
    expect(parseDecision({ ...yes, remember })).toStrictEqual({ ...yes, remember });
    expect(parseDecision({ ...no, remember })).toStrictEqual({ ...no, remember });
  });

  it.each<[unknown, RegExp]>([
    [null, /true, false or an object/],
    ["arguments", /true, false or an object/],
    [1, /true, false or an object/],
    [["tool"], /true, false or an object/],
    [{ scopes: "tool" }, /no member "scopes"/],
    [{ scope: "all" }, /`remember.scope` must be/],
    [{ scope: null }, /`remember.scope` must be/],
    [{ scope: ["tool"] }, /`remember.scope` must be/],
    [{ scope: {} }, /`remember.scope` must be/],
    [{ scope: { matching: {} } }, /`remember.scope` must be/],
    [{ scope: { matching: [1] } }, /`remember.scope` must be/],
    [{ scope: { arguments: { a: 1 } } }, /`remember.scope` must be/],
    [{ scope: { matching: { a: 1 }, arguments: {} } }, /`remember.scope` must be/],
    [{ until: "2030" }, /`remember.until` must be/],
    [{ until: null }, /`remember.until` must be/],
    [{ until: Number.POSITIVE_INFINITY }, /`remember.until` must be/],
    [{ uses: 0 }, /`remember.uses` must be/],
    [{ uses: -1 }, /`remember.uses` must be/],
    [{ uses: 1.5 }, /`remember.uses` must be/],
    [{ uses: "2" }, /`remember.uses` must be/],
    [{ uses: null }, /`remember.uses` must be/],
  ])("may not be %j", (remember, message) => {
    const error = refusal(() => parseDecision({ ...yes, remember }));
    expect(error).toMatchObject({ code: "invalid_decision", requestId: "r1" });
    expect(error?.message).toMatch(message);
  });
});

it("a decision that says false about being remembered is not remembered", () => {
  expect(parseDecision({ ...yes, remember: false }).remember).toBe(false);
  expect(approve(request, { remember: false })).not.toHaveProperty("remember");
});

it("a server may refuse to have decisions remembered, and options that there are not", () => {
  const posted = { ...yes, remember: true };
  const error = refusal(() => parseDecision(posted, { remember: false }));
  expect(error).toMatchObject({ code: "invalid_decision", requestId: "r1" });
  const misspelt: object = { decidedby: "mara" };
  expect(() => parseDecision(yes, misspelt)).toThrow(/decidedBy/);
  expect(() => approve(request, { argument: {} } as object)).toThrow(/did you mean "arguments"/);
});

it("what is no request cannot be answered", () => {
  const nothing = undefined as unknown as typeof request;
  expect(refusal(() => approve(nothing))).toMatchObject({ code: "unknown_request" });
});

describe("any JSON", () => {
  const odd = fc.oneof(fc.constantFrom(true, false, "r1", 1, null), jsonObject, fc.jsonValue());
  const fit = fc.record(
    {
      type: fc.constantFrom(...Array(9).fill("function_approval_response"), "text"),
      requestId: fc.oneof({ weight: 9, arbitrary: fc.constant("r1") }, odd),
      approved: fc.oneof({ weight: 9, arbitrary: fc.boolean() }, odd),
      reason: fc.oneof({ weight: 3, arbitrary: fc.string() }, odd),
      arguments: fc.oneof({ weight: 3, arbitrary: jsonObject }, odd),
      remember: fc.oneof(
        { weight: 4, arbitrary: remembers },
        fc.record({ scope: odd, until: odd, uses: odd }, { requiredKeys: [] }),
        odd,
      ),
    },
    { requiredKeys: ["type", "requestId", "approved"] },
  );
  const rest = fc.record({ decidedBy: fc.string(), extra: odd }, { requiredKeys: [] });
  const nearly = fc
    .tuple(fit, fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, rest))
    .map(([decision, more]) => ({ ...decision, ...more }));

  it("is a decision that holds wherever one is checked, or is refused as none", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: nearly }, fc.jsonValue()), (value) => {
        let decision: unknown;
        const error = refusal(() => {
          decision = parseDecision(JSON.stringify(value));
        });
        if (error === undefined) {
          seen.taken++;
          expect(checkDecision(decision)).toBe(decision);
          expect(same(decision, JSON.parse(JSON.stringify(value)))).toBe(true);
        } else {
          seen.refused++;
          expect(error.code).toBe("invalid_decision");
        }
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
  });
});
