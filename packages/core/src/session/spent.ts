/** What a run has used up. Plain JSON: a paused run takes it along. */
export interface Spent {
  readonly iterations: number;
  readonly functionCalls: number;
  readonly tokens: number;
}
