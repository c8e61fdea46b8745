import { describe, expect, it } from "vitest";
import type { RunEnvironment } from "./environment.js";
import { Run } from "./run.js";

describe("the time that a run has left", () => {
  it("is without an end where nothing limits it", () => {
    expect(new Run().remainingMs).toBe(Infinity);
  });

  it("is that of the limit that ends first, its own or that of a run around it", () => {
    const parent = new Run();
    const run = new Run({ parent });
    const ended = parent.limitTime(() => 300);
    const inner = run.limitTime(() => 100);
    run.limitTime(() => 200);
    expect([run.remainingMs, parent.remainingMs]).toEqual([100, 300]);
    inner();
    expect(run.remainingMs).toBe(200);
    ended();
    expect(parent.remainingMs).toBe(Infinity);
  });
});

it("a timer of a run passes on the run's clock", () => {
  const set: number[] = [];
  let canceled = 0;
  const environment: RunEnvironment = {
    now: () => 0,
    setTimer(_callback, ms) {
      set.push(ms);
      return () => canceled++;
    },
    randomId: () => "1",
  };
  const cancel = new Run({ environment }).setTimer(() => {}, 7);
  cancel();
  expect([set, canceled]).toEqual([[7], 1]);
});
