import type { JsonValue } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { bad, judged, type Scene, v } from "../../test/support/judged.js";
import type { LabelInput } from "../labels/content-label.js";
import type { EndorseRule } from "./flow-policy.js";

describe("endorseCall", () => {
  const fromUser: EndorseRule = { type: "selection", from: "user" };
  const fromList: EndorseRule = { type: "selection", from: "people", into: ["send.to"] };
  const small: EndorseRule = { type: "value", maxBits: 3 };
  const inContext: EndorseRule = { ...fromUser, untrustedContext: true };
  const to = (value: JsonValue, label: LabelInput = bad): Pick<Scene, "args" | "variables"> => ({
    args: { to: v("v1") },
    variables: [[value, label]],
  });

  it.each<[string, Scene, readonly (readonly [string, number])[] | undefined]>([
    [
      "a word of the user",
      { ...to("bob"), user: "pay bob now or", endorse: [fromUser] },
      [["to", 2]],
    ],
    ["a look-alike", { ...to("b\u043eb"), user: "pay bob", endorse: [fromUser] }, undefined],
    ["a value of a list", { ...to("bob"), endorse: [fromList] }, [["to", 2]]],
    ["a number of a list", { ...to(7), endorse: [fromList] }, [["to", 2]]],
    ["a number as a text", { ...to("7"), endorse: [fromList] }, undefined],
    [
      "the only value of a list",
      { ...to("ann"), endorse: [{ type: "selection", from: "one" }] },
      [["to", 0]],
    ],
    ["a value that is not in a list", { ...to("mallory"), endorse: [fromList] }, undefined],
    ["null", { ...to(null), endorse: [fromList, fromUser] }, undefined],
    ["an empty list", { ...to([]), endorse: [fromList, fromUser, small] }, undefined],
    ["a list with one stranger", { ...to(["ann", "mallory"]), endorse: [fromList] }, undefined],
    [
      "a list of people",
      { ...to(["ann", "bob"]), endorse: [fromList] },
      [
        ["to[0]", 2],
        ["to[1]", 2],
      ],
    ],
    [
      "a rule for another argument",
      { ...to("ann"), endorse: [{ ...fromList, into: ["send.cc", "*.text", "mail.*"] }] },
      undefined,
    ],
    [
      "a rule for all arguments of the tool",
      { ...to("ann"), endorse: [{ ...fromList, into: ["send.*"] }] },
      [["to", 2]],
    ],
    ["a small value", { ...to(5, { integrity: bad, capacity: 3 }), endorse: [small] }, [["to", 3]]],
    [
      "a value that is too large",
      { ...to(5, { integrity: bad, capacity: 3.1 }), endorse: [small] },
      undefined,
    ],
    ["a value of any size", { ...to(true), endorse: [small] }, undefined],
    [
      "what the budget just allows",
      { ...to(["ann", "bob"]), endorse: [fromList], bitsLeft: 4 },
      [
        ["to[0]", 2],
        ["to[1]", 2],
      ],
    ],
    [
      "one bit more than the budget",
      { ...to(["ann", "bob"]), endorse: [fromList], bitsLeft: 3 },
      undefined,
    ],
    [
      "nothing of a budget that is overdrawn",
      { ...to("ann"), endorse: [{ type: "selection", from: "one" }], bitsLeft: -1 },
      undefined,
    ],
    [
      "a call of the user's words",
      {
        args: { to: "bob@x", n: "" },
        flow: { arguments: { to: { integrity: "trusted" } } },
        call: bad,
        user: "mail bob@x",
        endorse: [inContext],
      },
      [["", Math.log2(3)]],
    ],
    [
      "a call with a word more",
      { args: { to: "bob@x", text: "evil" }, call: bad, user: "mail bob@x", endorse: [inContext] },
      undefined,
    ],
    [
      "a call of nothing special",
      { args: { to: "to" }, call: bad, user: "say to bob", endorse: [inContext] },
      undefined,
    ],
    [
      "a call without arguments",
      { args: {}, call: bad, user: "say to bob", endorse: [inContext] },
      undefined,
    ],
    [
      "a guarded number that the user did not say",
      { args: { to: "bob@x", n: 4 }, call: bad, user: "mail bob@x", endorse: [inContext] },
      undefined,
    ],
    [
      "an untrusted call without that rule",
      { args: { to: "bob@x" }, call: bad, user: "mail bob@x", endorse: [fromUser] },
      undefined,
    ],
  ])("of %s", (_what, scene, expected) => {
    const { rules, endorsed } = judged(scene);
    expect(endorsed).toEqual(expected ?? []);
    expect(rules.length === 0).toBe(expected !== undefined);
  });
});
