import { describe, expect, it } from "vitest";
import { createLatest } from "./latest.js";

/** Loads that are answered by hand. */
function loads() {
  const open: { resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  const failures: unknown[] = [];
  const latest = createLatest<string>(
    () => new Promise((resolve, reject) => open.push({ resolve, reject })),
    (error) => failures.push(error),
  );
  return { open, failures, latest };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("createLatest", () => {
  it("loads once for all who ask, and not again", async () => {
    const { open, latest } = loads();
    const both = Promise.all([latest.get(), latest.get()]);
    await turn();
    open[0]?.resolve("a");
    expect(await both).toEqual(["a", "a"]);
    expect(await latest.get()).toBe("a");
    expect(open).toHaveLength(1);
  });

  it("never keeps what was begun before a change", async () => {
    const { open, latest } = loads();
    const asked = latest.get();
    await turn();
    latest.changed();
    latest.changed();
    open[0]?.resolve("old");
    await turn();
    open[1]?.resolve("new");
    expect(await asked).toBe("new");
    expect(await latest.get()).toBe("new");
    expect(open).toHaveLength(2);
  });

  it("loads in the background after a change, once for many", async () => {
    const { open, latest } = loads();
    for (let time = 0; time < 10; time++) latest.changed();
    await turn();
    open[0]?.resolve("a");
    await turn();
    expect(latest.fresh).toBe("a");
    expect(open).toHaveLength(1);
  });

  it("tells of a failure in the background, and tries again for who asks next", async () => {
    const { open, failures, latest } = loads();
    latest.changed();
    await turn();
    open[0]?.reject("no");
    await turn();
    expect(failures).toEqual(["no"]);
    const asked = latest.get();
    await turn();
    open[1]?.resolve("a");
    expect(await asked).toBe("a");
  });

  it("does not follow changes without end", async () => {
    let count = 0;
    const latest = createLatest<number>(
      async () => {
        count += 1;
        latest.changed();
        return count;
      },
      () => {},
    );
    expect(await latest.get()).toBe(5);
    expect(count).toBe(5);
  });
});
