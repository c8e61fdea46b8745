import type { AgentSession } from "@tunic/core";
import { explain, type FlowDecision, type HiddenValue, hiddenValues } from "@tunic/security";
import type { Remarks } from "./run-report.js";

/** What information flow control has done about a call: what of its result is hidden, or why it did not run. */
export function flowRemarks(session: AgentSession): Remarks {
  return (callId) => {
    const hidden = hiddenValues(session).filter(({ origin }) => origin.callId === callId);
    const decision = explain(session, callId);
    return [
      ...(hidden.length > 0 ? [describeHidden(hidden)] : []),
      ...(decision?.verdict === "deny" ? describeDenial(decision) : []),
    ];
  };
}

function describeHidden(hidden: readonly HiddenValue[]): string {
  const ids = hidden.map(({ id }) => id).join(" ");
  const texts = hidden.map(({ id, value }) => ({ id, text: JSON.stringify(value) }));
  const [longest] = texts.toSorted((a, b) => b.text.length - a.text.length);
  const { id = "", text = "" } = longest ?? {};
  const value = text.length <= 60 ? text : `${text.slice(0, 59)}…`;
  return `hidden from the model: ${hidden.length > 1 ? `${ids}, such as ` : ""}${id} = ${value}`;
}

function describeDenial({ violations, remedies, policy }: FlowDecision): readonly string[] {
  const broken = violations.map(({ rule, argument, label = {} }) => {
    const { integrity, confidentiality } = label;
    const what = argument === undefined ? "whoever decided on it" : `"${argument}"`;
    return `denied by "${rule}": ${what} is ${integrity}, ${confidentiality}`;
  });
  return [...broken, `would help: ${remedies.join(", ")}; policy ${policy.slice(0, 12)}`];
}
