import { type Defence, episodeAgent, references } from "./adapter.js";
import type { EpisodeKind, EpisodeResult, Harness, Planner, SummaryLine } from "./harness.js";

/** What a run over episodes has come to. */
export interface Measured {
  readonly results: readonly EpisodeResult[];
  /** One line per suite, and one for all. */
  readonly lines: readonly SummaryLine[];
  readonly total: SummaryLine;
}

/** Which episodes are run, and how. */
export interface Measurement {
  readonly planner?: Planner;
  /** Default: all of them. */
  readonly suite?: string;
  readonly kinds?: readonly EpisodeKind[];
  defence(kind: EpisodeKind): Defence | undefined;
}

/** Runs an agent over the harness' episodes. */
export async function measure(
  harness: Harness,
  {
    planner = "policy-aware",
    suite,
    kinds = ["benign", "attack", "argument"],
    defence,
  }: Measurement,
): Promise<Measured> {
  const results: EpisodeResult[] = [];
  for (const kind of kinds) {
    const agent = episodeAgent(defence(kind));
    const options = { mode: planner, references };
    results.push(...(await harness.runAll(agent, { kind, options, ...(suite && { suite }) })));
  }
  const lines = harness.summarise(results);
  const total = lines.at(-1);
  if (total === undefined) throw new TypeError("bench: the harness has summarised nothing");
  return { results, lines, total };
}
