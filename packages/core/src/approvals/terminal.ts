/** A terminal, as far as it is needed: `readline.Interface` of `node:readline/promises` is one. */
export interface Terminal {
  /**
   * Shows a text and gives the line that is typed after it. Node's own never settles once the input has
   * ended: give its `question` a signal that fires on `close`, as a second argument.
   */
  question(text: string): Promise<string>;
}
