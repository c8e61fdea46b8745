import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FunctionApprovalRequestContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { describeRequest, promptForDecisions } from "./console-prompter.js";

type Request = FunctionApprovalRequestContent;

function question(args: JsonObject, more: Partial<Request>): Request {
  return {
    type: "function_approval_request",
    requestId: "r1",
    call: { type: "function_call", callId: "c1", name: "harbour_elicitation", arguments: args },
    ...more,
  };
}

/** A request that asks for these fields, as it comes from an MCP server. */
function form(
  properties: JsonObject,
  {
    required = [],
    args = {},
    ...more
  }: Partial<Request> & { required?: string[]; args?: JsonObject } = {},
): Request {
  const requestedSchema = { type: "object", properties, required };
  return question(args, {
    editable: true,
    additionalProperties: { elicitation: { mode: "form", requestedSchema } },
    ...more,
  });
}

function page(url: string, args: JsonObject = { url }): Request {
  return question(args, { additionalProperties: { elicitation: { mode: "url", url } } });
}

const closed = new Error("the input is over");

/** The decision after these lines are typed, and what was shown before each. */
async function typed(request: Request, ...lines: readonly string[]) {
  const texts: string[] = [];
  const question = async (text: string) => {
    texts.push(text);
    const line = lines[texts.length - 1];
    if (line === undefined) throw closed;
    return line;
  };
  const decisions = await promptForDecisions([request], { question });
  expect(texts).toHaveLength(lines.length);
  return { decision: decisions[0], texts };
}

const boat = form(
  {
    metres: {
      type: "number",
      title: "Length",
      description: "Bow to stern.",
      minimum: 1,
      maximum: 40,
    },
    sails: { type: "boolean", default: true },
    mail: { type: "string", format: "email", minLength: 3 },
    berth: { type: "string", oneOf: [{ const: "b4", title: "B4, by the pier" }, { const: "a1" }] },
  },
  { required: ["metres"], args: { sails: true }, summary: "How long is your boat?" },
);

describe("a request that asks for a form", () => {
  it("is shown with each of its fields", () => {
    expect(describeRequest(boat).split("\n")).toEqual([
      "  tool: harbour_elicitation (harbour_elicitation)",
      "  says: How long is your boat?",
      "  asks for:",
      '    | 1. "Length": a number, at least 1, at most 40, required',
      '    |    name: "metres"',
      "    |    says: Bow to stern.",
      '    | 2. "sails": yes or no, optional',
      "    |    default: true",
      '    | 3. "mail": a text, format "email", at least 3 characters, optional',
      '    | 4. "berth": one of the choices, optional',
      '    |    1) "B4, by the pier" = "b4"',
      '    |    2) "a1"',
    ]);
  });

  it("is answered with what is typed, field by field", async () => {
    const { decision, texts } = await typed(boat, "y", "12.5", "n", "", "B4, by the PIER");
    expect(decision).toStrictEqual({
      type: "function_approval_response",
      requestId: "r1",
      approved: true,
      arguments: { metres: 12.5, sails: false, berth: "b4" },
    });
    expect(texts[0]).toMatch(/\n {2}Answer\? \(\[y\]es, \[n\]o, or n and a reason\) $/);
    expect(texts.slice(1)).toEqual([
      '  "Length" (a number, at least 1, at most 40, required): ',
      '  "sails" (yes or no, optional; y or n; empty: true): ',
      '  "mail" (a text, format "email", at least 3 characters, optional): ',
      '  "berth" (one of the choices, optional; 1 "B4, by the pier", 2 "a1"): ',
    ]);
  });

  it("can be denied, and offers nothing to remember", async () => {
    const texts: string[] = [];
    const lines = ["a", "n not now"];
    const question = async (text: string) => {
      texts.push(text);
      return lines[texts.length - 1] ?? "";
    };
    const decisions = await promptForDecisions([boat], { question }, { remember: true });
    expect(decisions).toMatchObject([{ approved: false, reason: "not now" }]);
    expect(texts.join()).not.toContain("lways");
  });

  it("asks for a required field until it fits", async () => {
    const { decision, texts } = await typed(boat, "y", "long", "0", "41", "12,5", "40", "", "", "");
    expect(decision?.arguments).toEqual({ metres: 40, sails: true });
    expect(texts[2]).toMatch(/^ {2}That does not fit\. "Length" \(/);
  });

  it("is not answered where a required field is left empty: it is asked about anew", async () => {
    const { decision, texts } = await typed(boat, "y", " ", "n");
    expect(decision).toMatchObject({ approved: false });
    expect(texts[2]).toMatch(/^ {2}"Length" is required\. Answer\? \(\[y\]es/);
  });

  it("is not decided where the input ends in between", async () => {
    await expect(typed(boat, "y")).rejects.toBe(closed);
    await expect(typed(boat, "y", "12", "y")).rejects.toBe(closed);
  });

  it("takes the tool's parameters where it has no schema of its own", async () => {
    const tool = {
      name: "ask",
      description: "",
      parameters: { type: "object", properties: { name: { type: "string" } } },
      traits: {},
      hash: "h",
    };
    const request = question(
      {},
      { tool, editable: true, additionalProperties: { elicitation: { mode: "form" } } },
    );
    expect((await typed(request, "y", "Ada")).decision?.arguments).toEqual({ name: "Ada" });
    expect(describeRequest(request)).toContain('1. "name": a text, optional');
  });

  it("without fields asks for nothing but a yes", async () => {
    expect(describeRequest(form({}))).toContain("asks for: nothing but a yes");
    expect((await typed(form({}), "y")).decision?.arguments).toEqual({});
  });

  it("shows arguments that no field is for, and leaves them as they are", async () => {
    const request = form(
      { a: { type: "string" }, b: { type: "string" } },
      { args: { b: "kept", c: 1 }, editable: ["a"] },
    );
    const text = describeRequest(request);
    expect(text).not.toContain('2. "b"');
    expect(
      JSON.parse(text.slice(text.indexOf("arguments:") + 10).replaceAll("    | ", "")),
    ).toEqual({ b: "kept", c: 1 });
    expect((await typed(request, "y", "x")).decision?.arguments).toEqual({
      a: "x",
      b: "kept",
      c: 1,
    });
  });

  it("shows as the default what goes along where nothing is typed, not what the schema says", async () => {
    const request = form({ a: { type: "string", default: "safe" } }, { args: { a: "proposed" } });
    expect(describeRequest(request)).toContain('default: "proposed"');
    expect((await typed(request, "y", "")).decision?.arguments).toEqual({ a: "proposed" });
  });

  it("is not asked for a field that says it is a secret", async () => {
    for (const mark of [{ format: "password" }, { writeOnly: true }]) {
      const bare = { type: "string", ...mark };
      expect(describeRequest(form({ f: { ...bare, default: "hunter2" } }))).not.toContain(
        "hunter2",
      );
      expect((await typed(form({ f: bare }), "y")).decision?.arguments).toEqual({});
      const { texts } = await typed(form({ f: bare }, { required: ["f"] }), "y", "n");
      expect(texts[1]).toContain('"f" is a secret, which is not asked for here. Answer?');
    }
  });

  it("keeps the names of fields, whatever they are called", async () => {
    const request = form(
      JSON.parse('{"__proto__":{"type":"string"},"toString":{"type":"string"}}'),
    );
    const { decision } = await typed(request, "y", "a", "b");
    expect(Object.entries(decision?.arguments ?? {})).toEqual([
      ["__proto__", "a"],
      ["toString", "b"],
    ]);
  });
});

describe("any other request is about a call that is to run", () => {
  const properties = { amount: { type: "number" } };
  const tool = { name: "pay", description: "", parameters: { properties }, traits: {}, hash: "h" };
  it.each<[string, Request]>([
    ["one whose arguments may be edited", question({ amount: 5 }, { tool, editable: true })],
    [
      "a form that cannot be filled in",
      question({ amount: 5 }, { tool, additionalProperties: { elicitation: { mode: "form" } } }),
    ],
    [
      "one of another mode",
      question(
        { amount: 5 },
        { tool, editable: true, additionalProperties: { elicitation: { mode: "x" } } },
      ),
    ],
  ])("%s", async (_what, request) => {
    const { decision, texts } = await typed(request, "y");
    expect(decision).toStrictEqual({
      type: "function_approval_response",
      requestId: "r1",
      approved: true,
    });
    expect(texts[0]).toContain("  Run it? (");
    expect(describeRequest(request)).toContain('"amount": 5');
  });
});

describe("a request that asks to open a page", () => {
  it("is shown with its host first", () => {
    const text = describeRequest(page("https://bank.example.evil.test:8443/login?at=bank.example"));
    expect(text.split("\n").slice(1)).toEqual([
      "  leads to: bank.example.evil.test:8443",
      "  address: https://bank.example.evil.test:8443/login?at=bank.example",
    ]);
    expect(describeRequest(page("https://user@evil.test/"))).toContain("leads to: evil.test\n");
    expect(describeRequest(page("https://bаnk.example/"))).toContain("leads to: xn--");
    expect(describeRequest(page("nowhere"))).toContain("leads to: no address that can be read");
  });

  it("shows arguments that are not its address", () => {
    const request = page("https://a.test/", { url: "https://b.test/" });
    expect(describeRequest(request)).toContain('"url": "https://b.test/"');
  });

  it("is answered with a yes alone", async () => {
    const { decision, texts } = await typed(page("https://a.test/"), "y");
    expect(decision).toStrictEqual({
      type: "function_approval_response",
      requestId: "r1",
      approved: true,
    });
    expect(texts[0]).toContain("  Answer? (");
  });
});

describe("texts of a stranger in a form", () => {
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
  const hostile = (text: string) =>
    form(
      {
        [text]: { type: "string", title: text, description: text, format: text, default: text },
        choice: { oneOf: [{ const: text, title: text }], default: text },
        many: { type: "array", items: { enum: [text], enumNames: [text] }, default: [text] },
      },
      { required: [text] },
    );

  it("are shown with characters that deceive written out, in the description and in each question", async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\n", "\r", "\u001b", "\u202e", "\u200b", "\u2028", '"', "\ud800"),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(text, async (each) => {
        // What is typed first fits no choice: so the question is put again.
        const { texts } = await typed(hostile(`x${each}`), "y", "typed", "", "");
        for (const shown of texts) expect(shown.replaceAll("\n", "")).not.toMatch(hidden);
        const plain = describeRequest(hostile("x"));
        const lines = describeRequest(hostile(`x${each}`)).split("\n");
        expect(lines).toHaveLength(plain.split("\n").length);
      }),
    );
  });

  it("cannot look like another field, a default or a line of the prompt", () => {
    const text = 'x", optional\n    | 2. "pin": a text\n  says: harmless';
    const lines = describeRequest(hostile(text)).split("\n");
    expect(
      lines.filter((line) => /^ {2}(\S| {2}\| \d\.)/.test(line)).map((line) => line.slice(0, 9)),
    ).toEqual(["  tool: h", "  asks fo", "    | 1. ", "    | 2. ", "    | 3. "]);
    expect(lines[2]).toMatch(/^ {4}\| 1\. "x\\", optional\\n/);
  });
});
