import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Budget } from "./budget.js";

describe("a budget", () => {
  it("without limits never ends", () => {
    const budget = new Budget({});
    for (let at = 0; at < 100; at++) expect(budget.takeCall()).toBe(true);
    budget.spendTokens(1e9);
    budget.spendIteration();
    expect([budget.callsLeft, budget.exhausted()]).toEqual([Infinity, undefined]);
    expect(budget.spent).toEqual({ iterations: 1, functionCalls: 100, tokens: 1e9 });
  });

  it("gives out exactly as many calls as it has", () => {
    const budget = new Budget({ maxFunctionCalls: 3 });
    expect(Array.from({ length: 5 }, () => budget.takeCall())).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect([budget.callsLeft, budget.spent.functionCalls]).toEqual([0, 3]);
    expect(budget.exhausted()).toBe("maxFunctionCalls");
  });

  it.each([
    [{ maxIterations: 0 }, "maxIterations"],
    [{ maxFunctionCalls: 0 }, "maxFunctionCalls"],
    [{ maxTotalTokens: 0 }, "maxTotalTokens"],
  ])("of %j is exhausted from the start", (limits, name) => {
    expect(new Budget(limits).exhausted()).toBe(name);
  });

  it("is exhausted as soon as a limit is reached, not only beyond it", () => {
    const budget = new Budget({ maxIterations: 2, maxTotalTokens: 10 });
    budget.spendIteration();
    budget.spendTokens(9);
    expect(budget.exhausted()).toBeUndefined();
    budget.spendIteration();
    expect(budget.exhausted()).toBe("maxIterations");
    budget.spendTokens(1);
    expect(budget.exhausted()).toBe("maxTotalTokens");
  });

  it("goes on from what an earlier run has spent", () => {
    const first = new Budget({ maxFunctionCalls: 3 });
    first.takeCall();
    first.spendIteration();
    first.spendTokens(7);
    const spent = JSON.parse(JSON.stringify(first.spent));
    const next = new Budget({ maxFunctionCalls: 3 });
    next.resume(spent);
    expect(next.spent).toEqual({ iterations: 1, functionCalls: 1, tokens: 7 });
    expect(next.callsLeft).toBe(2);
  });

  it("allows nothing where the new limits are below what was spent", () => {
    const budget = new Budget({ maxFunctionCalls: 1 });
    budget.resume({ iterations: 4, functionCalls: 5, tokens: 0 });
    expect([budget.takeCall(), budget.spent.functionCalls]).toEqual([false, 5]);
    expect(budget.exhausted()).toBe("maxFunctionCalls");
  });
});

describe("the budget of a child", () => {
  it("counts at every parent, and not at a sibling", () => {
    const root = new Budget({});
    const middle = new Budget({}, root);
    const child = new Budget({}, middle);
    const sibling = new Budget({}, root);
    child.takeCall();
    child.spendIteration();
    child.spendTokens(5);
    const spent = { iterations: 1, functionCalls: 1, tokens: 5 };
    expect([child.spent, middle.spent, root.spent]).toEqual([spent, spent, spent]);
    expect(sibling.spent).toEqual({ iterations: 0, functionCalls: 0, tokens: 0 });
  });

  it("takes nothing anywhere when one of the parents has nothing left", () => {
    const root = new Budget({ maxFunctionCalls: 1 });
    const child = new Budget({ maxFunctionCalls: 5 }, new Budget({}, root));
    expect([child.takeCall(), child.takeCall()]).toEqual([true, false]);
    expect([root.spent.functionCalls, child.spent.functionCalls]).toEqual([1, 1]);
    expect([child.callsLeft, child.exhausted()]).toEqual([0, "maxFunctionCalls"]);
  });

  it("does not count at its parents what it brought along from an earlier run", () => {
    const root = new Budget({});
    new Budget({}, root).resume({ iterations: 2, functionCalls: 3, tokens: 4 });
    expect(root.spent.functionCalls).toBe(0);
  });
});

describe("any tree of budgets", () => {
  const limit = fc.option(fc.nat({ max: 6 }), { nil: Infinity });
  const shape = fc.record({ maxFunctionCalls: limit, parent: fc.nat() });
  const action = fc.record({
    node: fc.nat(),
    kind: fc.constantFrom("functionCalls", "functionCalls", "iterations", "tokens"),
  });
  type Kind = "functionCalls" | "iterations" | "tokens";

  /** Spends one of a kind; tells whether it was given. */
  function spendOne(budget: Budget, kind: Kind): boolean {
    if (kind === "functionCalls") return budget.takeCall();
    if (kind === "tokens") budget.spendTokens(1);
    else budget.spendIteration();
    return true;
  }

  it("admits a call exactly where every budget up to the root has one left", () => {
    fc.assert(
      fc.property(
        fc.array(shape, { minLength: 1, maxLength: 6 }),
        fc.array(action, { maxLength: 30 }),
        (shapes, actions) => {
          const budgets: Budget[] = [];
          const chains: number[][] = [];
          shapes.forEach(({ maxFunctionCalls, parent }, at) => {
            const above = at === 0 ? -1 : parent % at;
            chains.push([at, ...(chains[above] ?? [])]);
            budgets.push(new Budget({ maxFunctionCalls }, budgets[above]));
          });
          const given: { readonly node: number; readonly kind: Kind }[] = [];
          const spent = (at: number, kind: Kind): number =>
            given.filter((each) => each.kind === kind && chains[each.node]?.includes(at)).length;
          const left = (chain: readonly number[]): number =>
            Math.min(
              ...shapes.map((each, at) =>
                chain.includes(at) ? each.maxFunctionCalls - spent(at, "functionCalls") : Infinity,
              ),
            );
          for (const { node, kind } of actions) {
            const at = node % shapes.length;
            const admitted = kind !== "functionCalls" || left(chains[at] ?? []) > 0;
            expect(budgets.slice(at, at + 1).map((budget) => spendOne(budget, kind))).toEqual([
              admitted,
            ]);
            if (admitted) given.push({ node: at, kind });
            expect(budgets.map((budget) => budget.spent)).toEqual(
              budgets.map((_, each) => ({
                iterations: spent(each, "iterations"),
                functionCalls: spent(each, "functionCalls"),
                tokens: spent(each, "tokens"),
              })),
            );
            expect(budgets.map(({ callsLeft }) => callsLeft)).toEqual(chains.map(left));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
