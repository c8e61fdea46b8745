/**
 * Something was put together wrongly: thrown when the thing is made, not when it first runs. The
 * message says what to write instead.
 */
export class ConfigurationError extends TypeError {
  /** Stable, for programs: message texts may change, codes do not. */
  readonly code: string;

  constructor(code: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ConfigurationError";
    this.code = code;
  }
}

/** Rejects keys that an options object does not know, naming the nearest known one. */
export function checkOptionNames(what: string, options: object, known: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError("invalid_option", `${what}: options must be an object.`);
  }
  for (const key of Object.keys(options)) {
    if (known.has(key)) continue;
    const hint = nearestName(key, known);
    throw new ConfigurationError(
      "unknown_option",
      `${what} has no option "${key}"${hint ? `; did you mean "${hint}"?` : `. It takes: ${[...known].join(", ")}.`}`,
    );
  }
}

/** The known name closest to a mistyped one, or undefined when none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.min(Math.max(2, Math.floor(wanted.length / 3)) + 1, wanted.length);
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string, limit: number): number {
  // Names come from a model: a very long one is not worth a quadratic comparison.
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? limit;
}
