import { describe, expect, it } from "vitest";
import { lateModule } from "./late-module.js";

describe("a module that is loaded late", () => {
  it("is asked for once, however often it is used", async () => {
    let asked = 0;
    const load = lateModule(async () => ({ times: ++asked }));
    expect(asked).toBe(0);
    const [one, other] = await Promise.all([load(), load()]);
    expect(one).toBe(other);
    expect(await load()).toBe(one);
    expect(asked).toBe(1);
  });

  it("is asked for again where it could not be loaded", async () => {
    let asked = 0;
    const load = lateModule(async () => {
      asked += 1;
      if (asked === 1) throw new Error("offline");
      return asked;
    });
    await expect(load()).rejects.toThrow("offline");
    expect(await load()).toBe(2);
  });
});
