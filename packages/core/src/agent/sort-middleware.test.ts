import { describe, expect, it } from "vitest";
import type { Middleware } from "./middleware.js";
import {
  agentMiddleware,
  chatMiddleware,
  functionMiddleware,
  verdictMiddleware,
} from "./middleware.js";
import { mergeMiddleware, sortMiddleware } from "./sort-middleware.js";

const pass = <Result>(_context: unknown, next: () => Promise<Result>): Promise<Result> => next();
const chat = (name: string, placement?: "outermost" | "innermost"): Middleware =>
  chatMiddleware(name, pass, placement ? { placement } : {});
const namesOf = (layers: readonly { readonly name: string }[]): string[] =>
  layers.map((layer) => layer.name);
const sort = (...list: readonly unknown[]) => sortMiddleware(list as readonly Middleware[]);

describe("sortMiddleware", () => {
  it("puts each handler into its onion, in the order of the list", () => {
    const sorted = sortMiddleware([
      agentMiddleware("a", pass),
      { name: "b", chat: pass, function: pass },
      verdictMiddleware("c", pass),
      functionMiddleware("d", pass),
      { name: "e", agent: pass, chat: pass },
    ]);
    expect(namesOf(sorted.agent)).toEqual(["a", "e"]);
    expect(namesOf(sorted.chat)).toEqual(["b", "e"]);
    expect(namesOf(sorted.verdict)).toEqual(["c"]);
    expect(namesOf(sorted.function)).toEqual(["b", "d"]);
  });

  it("seats stand before and after all others, kind by kind", () => {
    const sorted = sortMiddleware([
      chat("last", "innermost"),
      chat("1"),
      { name: "first", chat: pass, agent: pass, placement: { chat: "outermost" } },
      chat("2"),
      agentMiddleware("outer agent", pass, { placement: "outermost" }),
    ]);
    expect(namesOf(sorted.chat)).toEqual(["first", "1", "2", "last"]);
    expect(namesOf(sorted.agent)).toEqual(["outer agent", "first"]);
  });

  it("keeps the handler of a class with its object, private members included", async () => {
    class Tagging {
      readonly name = "tagging";
      readonly cost = 1;
      #tag = "tagged";
      chat(): Promise<never> {
        return Promise.resolve(this.tagged() as never);
      }
      tagged(): string {
        return this.#tag;
      }
      price(): number {
        return this.cost;
      }
    }
    const [layer] = sortMiddleware([new Tagging()]).chat;
    expect(await layer?.handler(undefined as never, undefined as never)).toBe("tagged");
  });

  it("takes a handler that a class inherits", () => {
    class Base {
      readonly name: string = "base";
      chat = pass;
      agent(): Promise<never> {
        return Promise.reject(new Error());
      }
    }
    class Derived extends Base {
      override readonly name = "derived";
    }
    expect(namesOf(sortMiddleware([new Derived()]).agent)).toEqual(["derived"]);
  });
});

class Misspelt {
  readonly name = "mine";
  chat = pass;
  functoin(): void {}
}
class MisspeltMember {
  readonly name = "mine";
  agent = pass;
  verdicts = pass;
}

describe("what is refused, and what to write instead", () => {
  const same = chat("twice");
  it.each<[string, readonly unknown[], string, string]>([
    [
      "a bare function",
      [chat("a"), pass],
      "bare_function",
      'middleware[1] is a bare function. Say what it handles: chatMiddleware("name", handler), or agentMiddleware, verdictMiddleware, functionMiddleware.',
    ],
    [
      "nothing at all",
      [undefined],
      "invalid_middleware",
      "middleware[0] is no middleware but undefined.",
    ],
    ["a string", ["log"], "invalid_middleware", "middleware[0] is no middleware but log."],
    ["no name", [{ chat: pass }], "invalid_middleware", "middleware[0] needs a `name`."],
    [
      "an empty name",
      [{ name: "", chat: pass }],
      "invalid_middleware",
      "middleware[0] needs a `name`.",
    ],
    [
      "no handler",
      [{ name: "mine" }],
      "no_handler",
      'The middleware "mine" has no handler: give it one of agent, chat, verdict, function.',
    ],
    [
      "a handler that is no function",
      [{ name: "mine", chat: "yes" }],
      "invalid_middleware",
      'The middleware "mine": `chat` must be a function.',
    ],
    [
      "the same object twice",
      [same, same],
      "duplicate_middleware",
      'The middleware "twice" stands in the list twice. Take one out, or make a second one of another name.',
    ],
    [
      "the same name twice",
      [chat("mine"), agentMiddleware("mine", pass)],
      "duplicate_middleware",
      'Two middlewares are named "mine". Give one of them another name.',
    ],
    [
      "a seat taken twice",
      [chat("one", "outermost"), chat("two", "outermost")],
      "seat_taken",
      '"one" and "two" both want to be outermost among the chat handlers. Give one of them no placement.',
    ],
    [
      "an unknown key of a literal",
      [{ name: "mine", chat: pass, agnet: pass }],
      "unknown_key",
      'The middleware "mine" has an unknown key "agnet"; did you mean "agent"?',
    ],
    [
      "an unknown key that is like none",
      [{ name: "mine", chat: pass, description: "" }],
      "unknown_key",
      'The middleware "mine" has an unknown key "description". It may have: agent, chat, verdict, function, name, placement.',
    ],
    [
      "a misspelt method of a class",
      [new Misspelt()],
      "unknown_key",
      'The middleware "mine" has an unknown key "functoin"; did you mean "function"?',
    ],
    [
      "a misspelt member of a class",
      [new MisspeltMember()],
      "unknown_key",
      'The middleware "mine" has an unknown key "verdicts"; did you mean "verdict"?',
    ],
    [
      "a placement without such a handler",
      [{ name: "mine", chat: pass, placement: { agent: "outermost" } }],
      "invalid_middleware",
      'The middleware "mine" has a placement for "agent" but no such handler.',
    ],
    [
      "a placement under the name of something else",
      [{ name: "mine", chat: pass, placement: { toString: "outermost" } }],
      "invalid_middleware",
      'The middleware "mine" has a placement for "toString" but no such handler.',
    ],
    [
      "a seat that there is not",
      [{ name: "mine", chat: pass, placement: { chat: "outer" } }],
      "invalid_middleware",
      'The middleware "mine": the placement for "chat" must be "outermost" or "innermost"; got outer.',
    ],
    [
      "a placement that is no object",
      [{ name: "mine", chat: pass, placement: "outermost" }],
      "invalid_middleware",
      'The middleware "mine": `placement` must be an object such as { chat: "outermost" }.',
    ],
  ])("%s", (_what, list, code, message) => {
    expect(() => sort(...list)).toThrow(message);
    expect(() => sort(...list)).toThrow(expect.objectContaining({ code }));
  });

  it("something that is no list", () => {
    for (const value of [chat("a"), new Set([chat("a")]), "chat"]) {
      expect(() => sortMiddleware(value as never)).toThrow(
        "`middleware` must be a list: [first, second].",
      );
    }
  });
});

describe("mergeMiddleware", () => {
  it("is the agent's own list where the run has none", () => {
    const list = [chat("a")];
    expect(mergeMiddleware(list, [])).toBe(list);
  });

  it("puts the run's behind the agent's, but one of the same name in its place", () => {
    const replacement = agentMiddleware("b", pass);
    const merged = mergeMiddleware([chat("a"), chat("b"), chat("c")], [chat("d"), replacement]);
    expect(namesOf(merged)).toEqual(["a", "b", "c", "d"]);
    expect(merged[1]).toBe(replacement);
  });

  it("refuses two of one name in the run's list, and a seat that both lists take", () => {
    expect(() => mergeMiddleware([chat("a")], [chat("b"), chat("b")])).toThrow('"b"');
    const both = mergeMiddleware([chat("a", "innermost")], [chat("b", "innermost")]);
    expect(() => sortMiddleware(both)).toThrow('"a" and "b" both want to be innermost');
  });
});
