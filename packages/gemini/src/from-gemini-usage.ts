import { isJsonObject, type JsonValue, type Usage } from "@tunic/core";

/** Collects the counts of one answer. Each chunk of a stream says them anew: the last word stands. */
export class UsageReader {
  readonly #counts = new Map<string, number>();

  read(usage: unknown): void {
    if (!isJsonObject(usage)) return;
    for (const [name, value] of Object.entries(usage)) {
      if (isCount(value)) this.#counts.set(name, value);
    }
    for (const [name, details] of [
      ["audioIn", usage["promptTokensDetails"]],
      ["audioOut", usage["candidatesTokensDetails"]],
    ] as const) {
      const audio = audioIn(details);
      if (audio !== undefined) this.#counts.set(name, audio);
    }
  }

  /**
   * `inputTokens` counts all input, cached and from the service's own tools; `outputTokens` all output,
   * thoughts too.
   */
  get usage(): Usage | undefined {
    const count = (name: string): number | undefined => this.#counts.get(name);
    const [prompt, candidates, thoughts] = [
      count("promptTokenCount"),
      count("candidatesTokenCount"),
      count("thoughtsTokenCount"),
    ];
    if (prompt === undefined && candidates === undefined && thoughts === undefined)
      return undefined;
    const toolUse = count("toolUsePromptTokenCount");
    const cached = count("cachedContentTokenCount");
    const [audioIn, audioOut] = [count("audioIn"), count("audioOut")];
    const inputTokens = (prompt ?? 0) + (toolUse ?? 0);
    const outputTokens = (candidates ?? 0) + (thoughts ?? 0);
    return {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...(cached !== undefined && { cachedInputTokens: cached }),
      ...(thoughts !== undefined && { reasoningTokens: thoughts }),
      ...(toolUse !== undefined && { toolUseInputTokens: toolUse }),
      ...(audioIn !== undefined && { inputAudioTokens: audioIn }),
      ...(audioOut !== undefined && { outputAudioTokens: audioOut }),
    };
  }
}

function audioIn(details: JsonValue | undefined): number | undefined {
  if (!Array.isArray(details)) return undefined;
  let sum: number | undefined;
  for (const each of details) {
    if (!isJsonObject(each) || each["modality"] !== "AUDIO") continue;
    if (isCount(each["tokenCount"])) sum = (sum ?? 0) + each["tokenCount"];
  }
  return sum;
}

/** A count below zero would give tokens back to a budget. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
