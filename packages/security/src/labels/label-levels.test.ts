import { describe, expect, it } from "vitest";
import { createLabelLattice } from "./label-lattice.js";

describe("createLabelLattice", () => {
  it("orders the levels as they are given", () => {
    const lattice = createLabelLattice({ levels: ["open", "internal", "secret"] });
    expect(lattice.levels).toEqual(["open", "internal", "secret"]);
    expect(lattice.bottom.confidentiality).toBe("open");
    expect(lattice.top.confidentiality).toBe("secret");
    const at = (confidentiality: string) => lattice.label({ confidentiality });
    expect(lattice.flowsTo(at("internal"), at("secret"))).toBe(true);
    expect(lattice.flowsTo(at("secret"), at("internal"))).toBe(false);
    expect(lattice.read({ integrity: "trusted", confidentiality: "private" })).toBeUndefined();
  });

  it.each([[[]], [["a", "a"]], [[""]], [[1]], ["public"]])(
    "does not take the levels %j",
    (given) => {
      const make = () => createLabelLattice({ levels: given as string[] });
      expect(make).toThrow(expect.objectContaining({ code: "invalid_option" }));
    },
  );

  it("names a misspelt option", () => {
    const options = { level: ["a"] } as object;
    expect(() => createLabelLattice(options)).toThrow('did you mean "levels"');
  });
});
