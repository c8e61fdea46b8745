import type { PromptCaching } from "./cache-marks.js";
import type { AnswerForm } from "./structured-answer.js";
import type { ToolConverter } from "./to-anthropic-tools.js";

/** What a client adds to each of its requests. */
export interface ClientSettings {
  readonly model: string;
  readonly betas: readonly string[];
  readonly caching: PromptCaching | undefined;
  readonly structuredOutputs: AnswerForm | undefined;
  readonly maxContinuations: number;
  readonly tools: ToolConverter;
}
