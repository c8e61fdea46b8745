/** Where an answer comes from, as far as reading it depends on that. */
export interface AnswerSource {
  /** The host of the service, with its port. */
  readonly origin: string;
  /** The names of the tools that were offered, by their names on the wire. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Of the sound that was asked for: its format in the request, such as `wav`. */
  readonly audioFormat?: string | undefined;
}
