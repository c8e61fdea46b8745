import { ConfigurationError } from "@tunic/core";

/** What has to stand around a run together: one follows the data, the other judges the calls. */
export type FlowHalf = "tracking" | "enforcement";

const lone: Readonly<Record<FlowHalf, string>> = {
  tracking:
    "labelTracking stands alone: nothing would judge the calls. Add policyEnforcement with the same options, or use secureAgent.",
  enforcement:
    "policyEnforcement stands alone: nothing would follow the data. Add labelTracking with the same options, or use secureAgent.",
};

/** @throws ConfigurationError `flow_halves` where one of the two stands alone. */
export function checkHalves(halves: ReadonlySet<FlowHalf>): void {
  const [there] = halves;
  if (halves.size < 2) throw loneHalf(there ?? "enforcement");
}

export function loneHalf(there: FlowHalf): ConfigurationError {
  return new ConfigurationError("flow_halves", lone[there]);
}
