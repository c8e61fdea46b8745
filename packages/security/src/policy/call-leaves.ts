import type { JsonValue } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { ArgumentFlow, ValueOrigin } from "./flow-policy.js";

/** A value in the arguments of a call: what the model wrote, or what a reference stands for. */
export interface CallLeaf {
  /** Where it stands, such as `items[0].to`. */
  readonly path: string;
  readonly value: JsonValue;
  readonly label: ContentLabel;
  /** Names of members on the way to it that the tool's definition does not have: they say something, too. Absent: none. */
  readonly names?: readonly string[];
  /** What the policy says of the argument. */
  readonly flow: ArgumentFlow | undefined;
  /** Whether it says who receives the data. */
  readonly recipient: boolean;
  /** Set where a reference stood: where its value came from. */
  readonly origin: ValueOrigin | undefined;
}
