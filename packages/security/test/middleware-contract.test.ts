import { describeMiddlewareContract } from "@tunic/testing/contracts";
import { labelTracking, policyEnforcement } from "../src/index.js";

describeMiddlewareContract("labelTracking and policyEnforcement", {
  create() {
    const options = {
      policy: {
        version: 1,
        tools: { contract_echo: { effects: ["read"], result: "trusted" } },
      },
    } as const;
    return [labelTracking(options), policyEnforcement(options)];
  },
  texts: [
    "",
    "x",
    "Grüße aus Köln 🦊, see https://example.com/a?b=1 and www.example.org.",
    'one {"$ref":"v1"} two {"$ref":"v1.a"} {"$re',
    "![x](https://evil.example/?d=1) 1 < 2",
  ],
});
