import {
  Agent,
  type ChatClient,
  type ChatRequest,
  ConfigurationError,
  textOf,
  tool,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { fallbackClient, type RouteRule, routeClient } from "../src/index.js";
import {
  askBare,
  bothManners,
  busy,
  noticeTexts,
  play,
  rejection,
  request,
  scripted,
} from "./support.js";

const never = () => false;
const always = () => true;

describe.each(bothManners)("routeClient ($manner)", ({ streamed }) => {
  it("asks the client of the first rule that fits, and tells of it", async () => {
    const [a, b, c] = [scripted("a", []), scripted("b", ["B."]), scripted("c", [])];
    const client = routeClient(
      [
        { name: "none", when: never, client: a },
        { name: "long", when: async ({ messages }) => messages.length > 0, client: b },
        { name: "late", when: () => Promise.reject(new Error("not asked")), client: c },
      ],
      { otherwise: c },
    );
    const { events, finish } = play({ client }, { streamed });
    expect((await finish()).text).toBe("B.");
    expect(noticeTexts(events)).toEqual(['"long" is asked.']);
  });

  it("asks `otherwise` where none fits", async () => {
    const client = routeClient([{ name: "none", when: never, client: scripted("a", []) }], {
      otherwise: scripted("b", ["B."]),
    });
    const { events, finish } = play({ client }, { streamed });
    expect((await finish()).text).toBe("B.");
    expect(noticeTexts(events)).toEqual(['"otherwise" is asked.']);
  });

  it("chooses anew in each round, by what the request holds", async () => {
    const act = tool({ name: "act", execute: () => "done" });
    const small = scripted("small", ["Done."]);
    const big = scripted("big", [{ calls: [{ name: "act" }] }]);
    const summing: RouteRule = {
      name: "summing-up",
      when: ({ messages }) => messages.at(-1)?.role === "tool",
      client: small,
    };
    const client = routeClient([summing], { otherwise: big });
    const { finish } = play({ client, tools: [act] }, { streamed });
    expect((await finish()).text).toBe("Done.");
    expect([big.requests.length, small.requests.length]).toEqual([1, 1]);
  });

  it("hands options on as they are, `model` too", async () => {
    const a = scripted("a", ["A."]);
    const client = routeClient(
      [{ name: "claude", when: ({ options }) => options.model === "claude-x", client: a }],
      { otherwise: scripted("b", []) },
    );
    const asked = request({ model: "claude-x" });
    await askBare(client, asked, streamed);
    expect(a.requests[0]?.options).toBe(asked.options);
  });

  it.each<[string, RouteRule["when"], string]>([
    ["throws", () => JSON.parse("{"), 'the rule "odd" failed: '],
    ["rejects", () => Promise.reject(new Error("no table")), 'the rule "odd" failed: no table'],
    ["says nothing", (() => {}) as unknown as RouteRule["when"], 'the rule "odd" gave undefined'],
    ["says a word", (() => "yes") as unknown as RouteRule["when"], 'the rule "odd" gave string'],
  ])("fails where a rule %s: no other client is asked", async (_how, when, message) => {
    const b = scripted("b", ["B."]);
    const client = routeClient([{ name: "odd", when, client: b }], { otherwise: b });
    const error = await play({ client }, { streamed }).failure();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "rule_failed" });
    expect(String(error)).toContain(message);
    expect(b.requests).toEqual([]);
  });

  it("does not wait for a rule when the caller aborts", async () => {
    const controller = new AbortController();
    const when = () => {
      queueMicrotask(() => controller.abort("enough"));
      return new Promise<boolean>(() => {});
    };
    const a = scripted("a", []);
    const client = routeClient([{ name: "deaf", when, client: a }], { otherwise: a });
    const asked = { ...request(), signal: controller.signal };
    expect(await rejection(askBare(client, asked, streamed))).toBe("enough");
    expect(a.requests).toEqual([]);
  });

  it("asks the client that holds a conversation, whatever the rules say", async () => {
    const a = scripted("a", [{ text: "A.", conversationId: "c1" }, "A again."]);
    const b = scripted("b", []);
    const client = routeClient(
      [{ name: "first", when: ({ options }) => options.conversationId === undefined, client: a }],
      { otherwise: b },
    );
    const { conversationId } = await askBare(client, request(), streamed);
    expect(conversationId).toBe("first:c1");
    const response = await askBare(client, request({ conversationId, seed: 1 }), streamed);
    expect(response.messages.map(textOf)).toEqual(["A again."]);
    expect(a.requests[1]?.options).toEqual({ conversationId: "c1", seed: 1 });
    expect(b.requests).toEqual([]);
  });

  it("does so in a run, round by round", async () => {
    const act = tool({ name: "act", execute: () => "done" });
    const a = scripted("a", [{ calls: [{ name: "act" }], conversationId: "c1" }, "Done."]);
    const client = routeClient(
      [{ name: "start", when: ({ messages }) => messages.length === 1, client: a }],
      { otherwise: scripted("b", []) },
    );
    const { events, finish } = play({ client, tools: [act] }, { streamed });
    const response = await finish();
    expect([response.text, response.conversationId]).toEqual(["Done.", "start:c1"]);
    expect(noticeTexts(events)[1]).toBe('"start" is asked: it holds the conversation.');
  });

  it.each(["c1", "elsewhere:c1", ":c1", "otherwise:"])(
    "refuses the conversation id %o, which says of no client that it holds it",
    async (conversationId) => {
      const b = scripted("b", ["B."]);
      const client = routeClient([{ name: "a", when: always, client: b }], { otherwise: b });
      const error = await rejection(askBare(client, request({ conversationId }), streamed));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ code: "unknown_conversation" });
      expect(String(error)).toContain('"a:…", "otherwise:…"');
      expect(b.requests).toEqual([]);
    },
  );

  it("stands in a fallback and has fallbacks inside", async () => {
    const a = scripted("a", [{ error: busy() }]);
    const b = scripted("b", [{ text: "B.", conversationId: "c" }, "B again."]);
    const route = routeClient([{ name: "r", when: always, client: fallbackClient([a, b]) }], {
      otherwise: scripted("c", []),
    });
    const client = fallbackClient([route, scripted("d", [])]);
    const { conversationId } = await askBare(client, request(), streamed);
    expect(conversationId).toBe("c:r:b:c");
    await askBare(client, request({ conversationId }), streamed);
    expect(b.requests[1]?.options.conversationId).toBe("c");
  });
});

it("says what `otherwise` says of itself, and checks tools with all clients", () => {
  const picky: ChatClient = Object.assign(scripted("picky", []), {
    checkTools() {
      throw new ConfigurationError("invalid_tool", "No tools here.");
    },
  });
  const otherwise = scripted("b", []);
  const client = routeClient([{ name: "odd", when: never, client: picky }], { otherwise });
  expect(client.metadata).toBe(otherwise.metadata);
  const act = tool({ name: "act", execute: () => "done" });
  expect(() => new Agent({ client, tools: [act] })).toThrow(
    'the client "odd" cannot take these tools: No tools here.',
  );
});

describe("without `otherwise`", () => {
  it("the first rule says who it is, and a request that none fits is an error", async () => {
    const a = scripted("a", ["A."]);
    const rule = {
      name: "x",
      when: ({ options }: ChatRequest) => options.model === "a",
      client: a,
    };
    const client = routeClient([rule]);
    expect(client.metadata).toBe(a.metadata);
    const fitting = { ...request(), options: { model: "a" } };
    expect((await client.getResponse(fitting)).messages).toHaveLength(1);
    expect(await rejection(client.getResponse(request()))).toMatchObject({ code: "no_route" });
  });
});

describe("options", () => {
  const client = scripted("a", []);
  const rule = { name: "x", when: always, client };
  it.each<[unknown, unknown, string]>([
    [rule, { otherwise: client }, "takes a list of rules"],
    [[rule], { otherwise: {} }, "otherwise must be a chat client"],
    [[], undefined, "needs a rule, or { otherwise }"],
    [[rule], { otherwise: client, fallback: client }, 'no option "fallback"'],
    [[null], { otherwise: client }, "rules[0] must be a rule"],
    [[{ ...rule, wen: always }], { otherwise: client }, 'did you mean "when"'],
    [[{ ...rule, name: "" }], { otherwise: client }, "rules[0]: name must be a text"],
    [[{ ...rule, name: "a:b" }], { otherwise: client }, "without a colon"],
    [[{ ...rule, when: true }], { otherwise: client }, "rules[0]: when must be a function"],
    [[{ ...rule, client: {} }], { otherwise: client }, "rules[0]: client must be a chat client"],
    [[rule, rule], { otherwise: client }, 'two clients are named "x"'],
    [[{ ...rule, name: "otherwise" }], { otherwise: client }, 'two clients are named "otherwise"'],
  ])("such as %o with %o are refused when the client is made", (rules, options, message) => {
    const make = () => routeClient(rules as RouteRule[], options as { otherwise: ChatClient });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});
