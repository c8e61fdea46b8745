import type { SpentCounts } from "../messages/content.js";

/** What a run has used up. Plain JSON: a paused run takes it along. */
export type Spent = SpentCounts;
