/**
 * How many tokens one answer of a model may have at most, by the beginning of the model's name; the
 * longest beginning that fits counts. Source: "Max output" in the vendor's models overview
 * (https://platform.claude.com/docs/en/about-claude/models/overview) and, for models that left it,
 * the limit that the service names when a request asks for more.
 */
const maxOutputTokens: readonly (readonly [prefix: string, tokens: number])[] = [
  ["claude-3-haiku", 4096],
  ["claude-3-opus", 4096],
  ["claude-3-5-haiku", 8192],
  ["claude-3-5-sonnet", 8192],
  ["claude-3-7-sonnet", 64_000],
  ["claude-opus-4", 32_000],
  ["claude-opus-4-5", 64_000],
  ["claude-opus-4-6", 128_000],
  ["claude-opus-4-7", 128_000],
  ["claude-opus-4-8", 128_000],
  ["claude-sonnet-4", 64_000],
  ["claude-sonnet-4-6", 128_000],
  ["claude-haiku-4-5", 64_000],
  ["claude-haiku-5", 128_000],
  ["claude-opus-5", 128_000],
  ["claude-sonnet-5", 128_000],
  ["claude-fable-5", 128_000],
  // "Shares Claude Fable's capabilities", says the vendor.
  ["claude-mythos-5", 128_000],
];

/** For a model that the table does not know: the least that any Claude model takes. */
const fallbackMaxTokens = 4096;

/**
 * The `max_tokens` that is sent when `options.maxTokens` is absent. The service demands a number;
 * the model's own maximum is the one that cuts no answer short. Unknown models get 4096, which every
 * model accepts: set `maxTokens` for those.
 */
export function defaultMaxTokens(model: string): number {
  let best = "";
  let tokens = fallbackMaxTokens;
  // Other platforms put words before a name, such as `anthropic.claude-opus-5`.
  const name = model.slice(Math.max(0, model.indexOf("claude-")));
  for (const [prefix, limit] of maxOutputTokens) {
    if (prefix.length <= best.length || !name.startsWith(prefix)) continue;
    best = prefix;
    tokens = limit;
  }
  return tokens;
}
