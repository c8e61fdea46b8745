import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FunctionApprovalRequestContent, RequestedTool } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { describeRequest, promptForDecisions } from "./console-prompter.js";
import type { Terminal } from "./terminal.js";

const shown: RequestedTool = {
  name: "pay",
  description: "Pays.",
  parameters: {},
  traits: {},
  hash: "h",
};

function requestFor(
  args: JsonObject | undefined = { amount: 5 },
  more: Partial<FunctionApprovalRequestContent> = {},
): FunctionApprovalRequestContent {
  const call = { type: "function_call", callId: "c1", name: "pay" } as const;
  return {
    type: "function_approval_request",
    requestId: "r1",
    call: { ...call, ...(args && { arguments: args }) },
    tool: shown,
    ...more,
  };
}

/** A terminal at which these lines are typed; it closes after the last one. */
function typing(...lines: readonly string[]) {
  const texts: string[] = [];
  const terminal: Terminal = {
    async question(text) {
      texts.push(text);
      const line = lines[texts.length - 1];
      if (line === undefined) throw closed;
      return line;
    },
  };
  return { terminal, texts };
}
const closed = new Error("the input is over");
const yes = { type: "function_approval_response", requestId: "r1", approved: true };
const no = { ...yes, approved: false };

describe("an answer", () => {
  it.each<[string, object]>([
    ["y", yes],
    ["Y", yes],
    ["yes", yes],
    ["YES", yes],
    ["  yes \t", yes],
    ["n", no],
    ["No", no],
    [" n ", no],
    ["n too much", { ...no, reason: "too much" }],
    ["NO   too  Much ", { ...no, reason: "too  Much" }],
    ["n\ttoo much", { ...no, reason: "too much" }],
    ["no yes", { ...no, reason: "yes" }],
  ])("%j is clear", async (line, decision) => {
    const { terminal, texts } = typing(line);
    expect(await promptForDecisions([requestFor()], terminal)).toStrictEqual([decision]);
    expect(texts).toHaveLength(1);
  });

  it.each([
    "",
    " ",
    "yy",
    "yes please",
    "y n",
    "yn",
    "ny",
    "nope",
    "n.",
    "no,",
    "ok",
    "1",
    "true",
    "a",
    "always",
    "j",
  ])("%j is none: it is asked again", async (line) => {
    const { terminal, texts } = typing(line, "n");
    expect(await promptForDecisions([requestFor()], terminal)).toStrictEqual([no]);
    expect(texts[1]).toBe("  Please type one of: [y]es, [n]o, or n and a reason. ");
  });

  it("is asked for until it is clear", async () => {
    const { terminal, texts } = typing("", "what?", "", "yes!", "y");
    expect(await promptForDecisions([requestFor()], terminal)).toStrictEqual([yes]);
    expect(texts).toHaveLength(5);
  });

  it("is a yes only where it is one of two words", async () => {
    const lines = fc.oneof(
      fc.string(),
      fc.constantFrom("yes", "y", "Yes ", "y\u0000", "ye", "n", "no"),
      fc.string().map((text) => `y${text}`),
    );
    await fc.assert(
      fc.asyncProperty(lines, async (line) => {
        const { terminal } = typing(line, "n");
        const [decision] = await promptForDecisions([requestFor()], terminal);
        expect(decision?.approved).toBe(["y", "yes"].includes(line.trim().toLowerCase()));
      }),
      { numRuns: 500 },
    );
  });

  it("can be remembered only where that is offered, and with exactly these arguments", async () => {
    for (const line of ["a", "A", "always", " Always "]) {
      const { terminal, texts } = typing(line);
      const decisions = await promptForDecisions([requestFor()], terminal, { remember: true });
      expect(decisions).toStrictEqual([{ ...yes, remember: true }]);
      expect(texts[0]).toContain("[a]lways with these arguments");
    }
    for (const line of ["a please", "always no", "al"]) {
      const { terminal, texts } = typing(line, "y");
      const decisions = await promptForDecisions([requestFor()], terminal, { remember: true });
      expect(decisions).toStrictEqual([yes]);
      expect(texts[1]).toContain("[a]lways");
    }
    const { terminal, texts } = typing("y");
    await promptForDecisions([requestFor()], terminal);
    expect(texts[0]).not.toContain("lways");
  });
});

describe("several requests", () => {
  const three = ["r1", "r2", "r3"].map((requestId) =>
    requestFor({ for: requestId }, { requestId }),
  );

  it("are asked about one after the other, each with its number", async () => {
    const { terminal, texts } = typing("y", "", "n late", "y");
    expect(await promptForDecisions(three, terminal)).toStrictEqual([
      yes,
      { ...no, requestId: "r2", reason: "late" },
      { ...yes, requestId: "r3" },
    ]);
    const headings = texts.map((text) => /Approval \d of \d/.exec(text)?.[0]);
    expect(headings).toEqual(["Approval 1 of 3", "Approval 2 of 3", undefined, "Approval 3 of 3"]);
    expect(texts[3]).toContain('"for": "r3"');
  });

  it("are none of them decided when the input ends before the last one", async () => {
    const { terminal, texts } = typing("y", "y");
    await expect(promptForDecisions(three, terminal)).rejects.toBe(closed);
    expect(texts).toHaveLength(3);
    await expect(promptForDecisions(three, typing().terminal)).rejects.toBe(closed);
  });

  it("may be none: nobody is asked", async () => {
    const { terminal, texts } = typing();
    expect(await promptForDecisions([], terminal)).toEqual([]);
    expect(texts).toEqual([]);
  });
});

describe("a request as text", () => {
  it("says all that a person decides about", () => {
    const text = describeRequest(
      requestFor(
        { amount: 5, to: ["a"] },
        {
          tool: {
            ...shown,
            title: "Pay",
            owner: "bank",
            traits: { destructive: true, readOnly: false, trust: "external" },
          },
          path: [
            { callId: "c1", name: "clerk" },
            { callId: "c2", name: "helper" },
          ],
          summary: "Pay 5?",
          reason: "large",
          violation: "limit",
          expiresAt: 0,
        },
      ),
    );
    expect(text.split("\n")).toEqual([
      "  tool: Pay (pay) of bank",
      "  asked by: clerk > helper",
      "  says: Pay 5?",
      "  because: large",
      "  breaks: limit",
      "  declares: destructive, readOnly: false, trust: external",
      "  until: 1970-01-01T00:00:00.000Z",
      "  arguments:",
      "    | {",
      '    |   "amount": 5,',
      '    |   "to": [',
      '    |     "a"',
      "    |   ]",
      "    | }",
    ]);
  });

  it("leaves out what is not known, and shows a call without arguments as one", () => {
    const call = { type: "function_call", callId: "c1", name: "pay" } as const;
    const request = { type: "function_approval_request", requestId: "r1", call } as const;
    expect(describeRequest(request)).toBe("  tool: pay (pay)\n  arguments: {}");
  });

  it("shows a value whole, however long it is", async () => {
    const long = "0123456789".repeat(500);
    const list = Array.from({ length: 1000 }, (_, at) => at);
    const request = requestFor({ long, list, deep: { er: { [long]: 1 } } }, { summary: long });
    const { terminal, texts } = typing("n");
    await promptForDecisions([request], terminal);
    expect(texts[0]).toContain(`"long": "${long}"`);
    expect(texts[0]).toContain(`says: ${long}\n`);
    expect(texts[0]).toContain(`"${long}": 1`);
    expect(argumentsIn(describeRequest(request))).toEqual(request.call.arguments);
  });

  it("says the end of any time, also of one that no calendar has", () => {
    expect(describeRequest(requestFor({}, { expiresAt: 1e15 }))).toContain("until: +033658-09-27");
    for (const expiresAt of [Number.MAX_SAFE_INTEGER, 1e300]) {
      expect(describeRequest(requestFor({}, { expiresAt }))).toContain(`until: ${expiresAt}`);
    }
  });

  /** The arguments as they can be read from the text. */
  function argumentsIn(text: string): unknown {
    const lines = text.slice(text.indexOf("\n  arguments:\n")).split("\n    | ").slice(1);
    return JSON.parse(lines.join("\n"));
  }
});

describe("characters that deceive", () => {
  const deceivers: readonly [what: string, character: string, written: string][] = [
    ["a carriage return", "\r", "\\u{000d}"],
    ["an escape", "\u001b", "\\u{001b}"],
    ["a control sequence in one character", "\u009b", "\\u{009b}"],
    ["a backspace", "\b", "\\u{0008}"],
    ["a bell", "\u0007", "\\u{0007}"],
    ["a delete", "\u007f", "\\u{007f}"],
    ["a next line", "\u0085", "\\u{0085}"],
    ["a line separator", "\u2028", "\\u{2028}"],
    ["a paragraph separator", "\u2029", "\\u{2029}"],
    ["a right-to-left override", "\u202e", "\\u{202e}"],
    ["a left-to-right override", "\u202d", "\\u{202d}"],
    ["a right-to-left isolate", "\u2067", "\\u{2067}"],
    ["a right-to-left mark", "\u200f", "\\u{200f}"],
    ["a space of no width", "\u200b", "\\u{200b}"],
    ["a joiner of no width", "\u200d", "\\u{200d}"],
    ["a byte order mark", "\ufeff", "\\u{feff}"],
    ["a soft hyphen", "\u00ad", "\\u{00ad}"],
    ["a letter among the tags", "\u{e0041}", "\\u{e0041}"],
    ["a Hangul filler", "\u3164", "\\u{3164}"],
    ["a variation selector", "\ufe0f", "\\u{fe0f}"],
    ["a grapheme joiner", "\u034f", "\\u{034f}"],
    ["half a character", "\ud800", "\\u{d800}"],
  ];
  /** A request in which a text stands wherever a text can stand. */
  const full = (text: string): FunctionApprovalRequestContent => ({
    ...requestFor({ value: text, [text]: 1, list: [text] }),
    call: {
      type: "function_call",
      callId: "c1",
      name: text,
      arguments: { value: text, [text]: 1, list: [text] },
    },
    tool: {
      ...shown,
      title: text,
      owner: text,
      traits: { trust: text as "external", [text]: true },
    },
    path: [{ callId: "c0", name: text }],
    summary: text,
    reason: text,
    violation: text,
  });

  it.each(deceivers)("%s is written out wherever it stands", (_what, character, written) => {
    const text = describeRequest(full(`a${character}b`));
    const plain = describeRequest(full("ab"));
    expect(text.split("\n")).toHaveLength(plain.split("\n").length);
    const outside = text.slice(0, text.indexOf("  arguments:"));
    expect(outside.split(written)).toHaveLength(10);
    expect(text).not.toContain(character);
  });

  it("a line end is written out wherever it stands, but in the call in words", () => {
    const text = describeRequest({ ...full("a\nb"), summary: "ab" });
    expect(text.split("\n")).toHaveLength(describeRequest(full("ab")).split("\n").length);
    expect(text.split("\\u{000a}")).toHaveLength(9);
    expect(text).not.toContain("\nb");
  });

  it("none of them is left in any text, and nothing else is touched", () => {
    const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\n", ...deceivers.map(([, each]) => each)),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(text, (summary) => {
        const described = describeRequest(full(`x${summary}`));
        expect(described.replaceAll("\n", "")).not.toMatch(hidden);
        const fields = described.split("\n").filter((line) => !line.startsWith("    | "));
        expect(fields.map((line) => line.split(":", 1)[0]?.trim())).toEqual([
          "tool",
          "asked by",
          "says",
          "because",
          "breaks",
          "declares",
          "arguments",
        ]);
      }),
      { numRuns: 500 },
    );
    expect(describeRequest(full("Grüße, 世界! ñ 🦊 é"))).toContain("says: Grüße, 世界! ñ 🦊 é\n");
  });

  it("a summary cannot look like a line of the prompt", () => {
    const summary = "Read the mail.\n  arguments: {}\n  Run it? ([y]es, [n]o, or n and a reason) ";
    const lines = describeRequest(requestFor({ amount: 5000 }, { summary })).split("\n");
    expect(lines).toEqual([
      "  tool: pay (pay)",
      "  says:",
      "    | Read the mail.",
      "    |   arguments: {}",
      "    |   Run it? ([y]es, [n]o, or n and a reason) ",
      "  arguments:",
      "    | {",
      '    |   "amount": 5000',
      "    | }",
    ]);
  });

  it("an argument cannot look like a line of the prompt either", () => {
    const value = '"\n}\n  says: harmless\n  Run it? (';
    const lines = describeRequest(requestFor({ value, [value]: [value] })).split("\n");
    expect(lines.filter((line) => /^\s*(says|Run it|tool|because)/.test(line))).toEqual([
      "  tool: pay (pay)",
    ]);
  });
});
