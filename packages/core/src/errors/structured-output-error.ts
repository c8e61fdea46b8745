import { TunicError, type TunicErrorOptions } from "./tunic-error.js";

/** Why an answer holds no value of the form that was asked for. */
export type StructuredOutputErrorCode =
  /** There is no answer: the run paused, or ended without one. */
  | "no_answer"
  /** The model, or a filter of its service, refused. */
  | "refused"
  /** The answer was cut at its token limit. */
  | "cut_off"
  /** The answer is no JSON. */
  | "not_json"
  /** The answer is JSON and does not fit the schema; the message says where. */
  | "invalid_value"
  /** The schema can only be checked by waiting: use `readValue`. */
  | "asynchronous_schema";

/** `response.value` cannot be read. */
export class StructuredOutputError extends TunicError {
  declare readonly code: StructuredOutputErrorCode;
  /** The answer as the model wrote it. */
  readonly text: string;

  constructor(
    code: StructuredOutputErrorCode,
    message: string,
    text: string,
    options: TunicErrorOptions = {},
  ) {
    super(code, message, options);
    this.text = text;
  }
}
