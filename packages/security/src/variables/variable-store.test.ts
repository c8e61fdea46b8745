import { describe, expect, it } from "vitest";
import { newFlowMemory } from "../flow/flow-memory.js";
import { defaultLattice } from "../labels/label-lattice.js";
import { VariableLimitError, variableStore } from "./variable-store.js";

const label = defaultLattice.label("untrusted");

describe("variableStore", () => {
  it("gives ids in their order, and parts by path", () => {
    const store = variableStore(newFlowMemory());
    expect(store.add({ a: [1, { b: null }] }, label, {})).toBe("v1");
    expect(store.add("x", label, { tool: "read" })).toBe("v2");
    expect(store.get("v1", "a[1].b")).toEqual({ value: null, label, origin: {} });
    expect(store.get("v2")).toEqual({ value: "x", label, origin: { tool: "read" } });
  });

  it.each([
    ["v3", "$"],
    ["__proto__", "$"],
    ["constructor", "$"],
    ["v1", "b"],
    ["v1", "__proto__"],
    ["v1", "a.length"],
    ["v1", "a[5]"],
    ["v1", "a["],
  ])("knows nothing at %s %s", (id, path) => {
    const store = variableStore(newFlowMemory());
    store.add({ a: [1] }, label, {});
    expect(store.get(id, path)).toBeUndefined();
  });

  it("keeps as many as it may, and no more", () => {
    const memory = newFlowMemory();
    const store = variableStore(memory, { variables: 2 });
    store.add("a", label, {});
    store.add("b", label, {});
    expect(() => store.add("c", label, {})).toThrow(VariableLimitError);
    expect(memory.next).toBe(3);
    expect(store.get("v3")).toBeUndefined();
  });

  it("keeps as much as it may, and no more", () => {
    const memory = newFlowMemory();
    const store = variableStore(memory, { bytes: 10 });
    store.add("12345", label, {});
    expect(() => store.add("123456", label, {})).toThrow(VariableLimitError);
    store.add([1, 2], label, {});
    expect(memory.bytes).toBe(10);
    expect(() => variableStore(memory, { bytes: 10 }).add("x", label, {})).toThrow(
      /2 values of 10/,
    );
  });

  it("keeps nothing where nothing may be hidden", () => {
    expect(() => variableStore(newFlowMemory(), { variables: 0 }).add("", label, {})).toThrow(
      VariableLimitError,
    );
  });
});
