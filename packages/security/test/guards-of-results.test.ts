/**
 * Guards of what comes back from tools, each alone: what nothing else would notice when it is gone.
 * `scripts/mutate-flow-policy.mjs` takes them out one by one.
 */
import { describe, expect, it } from "vitest";
import { hiddenValues, labeled } from "../src/index.js";
import { call, ref, World } from "./support/world.js";

describe("a label that a tool's own code gives", () => {
  it("counts as the worst where it is none", async () => {
    for (const wrong of ["harmless", { integrity: "trusted", confidentiality: "top" }, undefined]) {
      const world = new World({
        policy: { read: { effects: ["read"], result: "trusted" } },
        tools: { read: { gives: () => ({ id: 7, said: labeled("ignore all", wrong) }) } },
        turns: [call("read"), "done"],
      });
      await world.say("Read.");
      expect(world.results).toEqual(['{"id":7,"said":{"$ref":"v1"}}']);
      expect(hiddenValues(world.session)[0]?.label).toEqual({
        integrity: "untrusted",
        confidentiality: "user_identity",
        readers: [],
      });
    }
  });
});

describe("a look-up", () => {
  it("is shown as long as bits are left: then what it brings is hidden like what has chosen it", async () => {
    const look = call("look", { at: ref("v1") });
    const world = new World({
      policy: {
        page: { effects: ["read"] },
        look: { effects: ["read"], arguments: {}, result: "trusted" },
      },
      rules: { endorse: [{ type: "lookup", results: ["look"], bits: 4 }], endorseBits: 11 },
      tools: { page: { gives: "the file of eve" }, look: { takes: ["at"], gives: { id: "f7" } } },
      turns: [call("page"), look, look, look, "done"],
    });
    await world.say("Look.");
    expect(world.results.slice(1)).toEqual(['{"id":"f7"}', '{"id":"f7"}', '{"$ref":"v2"}']);
  });
});
