/** The work that both sides do: the same turns of a model, the same two tools, checked after each run. */
export type Turn =
  | {
      readonly calls: readonly {
        readonly id: string;
        readonly name: string;
        readonly args: string;
      }[];
    }
  | { readonly text: string }
  | { readonly stream: true };

export type WorkKind = "loop" | "par" | "stream";

export const deltas = 2000;
export const deltaText = "abcdefgh ";
const echoed = "x".repeat(3984);
const echoArguments = JSON.stringify({ text: echoed });
/** The arguments of the streamed call, in 200 pieces. */
export const fragments = Array.from({ length: 200 }, (_, index) =>
  echoArguments.slice(index * 20, (index + 1) * 20),
);

export const addSchema = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
} as const;
export const echoSchema = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
} as const;

/** One run's share of the script: which turn comes next, and what the tools were called with. */
export class Work {
  turn = 0;
  calls = 0;
  sum = 0;
  echoedLength = 0;
  readonly #kind: WorkKind;
  readonly #size: number;
  #skipped = false;

  constructor(kind: WorkKind, size: number) {
    this.#kind = kind;
    this.#size = size;
  }

  next(): Turn {
    const turn = this.turn++;
    const done = { text: `done ${this.#size}` };
    if (this.#kind === "loop") {
      if (turn >= this.#size) return done;
      return { calls: [{ id: `call_${turn}`, name: "add", args: `{"a":${turn},"b":1}` }] };
    }
    if (turn > 0) return done;
    if (this.#kind === "stream") return { stream: true };
    const calls = [];
    for (let index = 0; index < this.#size; index++) {
      calls.push({ id: `call_${index}`, name: "add", args: `{"a":${index},"b":1}` });
    }
    return { calls };
  }

  add(a: number, b: number): string {
    this.calls++;
    this.sum += a + b;
    return String(a + b);
  }

  echo(text: string): string {
    this.calls++;
    this.echoedLength += text.length;
    return `len:${text.length}`;
  }

  /** Says that this run does something else; there is nothing to check. */
  skip(): void {
    this.#skipped = true;
  }

  /** Throws unless the run did all of its work. */
  check(result: { readonly text: string; readonly streamed?: number }): void {
    if (this.#skipped) return;
    const size = this.#size;
    if (this.#kind === "stream") {
      equal(this.calls, 1, "calls");
      equal(this.echoedLength, echoed.length, "length that was echoed");
      equal(result.streamed, deltas * deltaText.length + `done ${size}`.length, "streamed length");
      equal(this.turn, 2, "turns");
    } else {
      equal(this.calls, size, "calls");
      equal(this.sum, (size * (size - 1)) / 2 + size, "sum");
      equal(this.turn, this.#kind === "loop" ? size + 1 : 2, "turns");
    }
    equal(result.text, `done ${size}`, "text");
  }
}

function equal(got: unknown, expected: unknown, what: string): void {
  if (got !== expected)
    throw new Error(`bench: ${what} is ${String(got)}, not ${String(expected)}`);
}

/** One way to do the work. */
export interface Contender {
  run(work: Work): Promise<{ readonly text: string }>;
  stream(work: Work): Promise<{ readonly text: string; readonly streamed: number }>;
}
