import type { FlowSettings } from "../flow/flow-options.js";
import type { ContentLabel } from "../labels/content-label.js";

/** Whether everybody who reads the answers may read what has this label. In the shadow they see all. */
export function mayRead({ policy, mode }: FlowSettings, { readers }: ContentLabel): boolean {
  const { readers: audience = [] } = policy.answer;
  if (readers === undefined || mode === "shadow") return true;
  return audience.every((each) => readers.includes(each));
}
