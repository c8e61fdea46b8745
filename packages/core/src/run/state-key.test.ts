import { describe, expect, it } from "vitest";
import { createStateKey, RunState } from "./state-key.js";

describe("the state of a run", () => {
  it("begins as its key says, once, and not before it is asked for", () => {
    let made = 0;
    const key = createStateKey("list", () => {
      made++;
      return [] as string[];
    });
    const state = new RunState();
    expect(made).toBe(0);
    state.get(key).push("a");
    expect(state.get(key)).toEqual(["a"]);
    expect(made).toBe(1);
  });

  it("is never shared by two runs", () => {
    const key = createStateKey("list", () => [] as string[]);
    const [one, two] = [new RunState(), new RunState()];
    one.get(key).push("a");
    expect(two.get(key)).toEqual([]);
  });

  it("tells keys of the same name apart", () => {
    const [mine, yours] = [createStateKey("count", () => 1), createStateKey("count", () => 2)];
    const state = new RunState();
    expect([state.get(mine), state.get(yours)]).toEqual([1, 2]);
    state.set(mine, 10);
    expect([state.get(mine), state.get(yours)]).toEqual([10, 2]);
  });

  it("keeps what was set, undefined too, and makes no first value then", () => {
    const key = createStateKey<number | undefined>("maybe", () => {
      throw new Error("not needed");
    });
    const state = new RunState();
    state.set(key, undefined);
    expect(state.get(key)).toBeUndefined();
  });

  it("is not begun by a first value that could not be made", () => {
    let tries = 0;
    const key = createStateKey("late", () => {
      if (++tries === 1) throw new Error("not yet");
      return "there";
    });
    const state = new RunState();
    expect(() => state.get(key)).toThrow("not yet");
    expect(state.get(key)).toBe("there");
  });
});
