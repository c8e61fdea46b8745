import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { JsonObject, JsonValue } from "@tunic/core";

/** What the harness knows of a tool, by the published classes and the data of its suite. */
export interface ToolTraits {
  readonly fidesPolicy: "P-T" | "P-F or P-T" | null;
  readonly sensitiveArgs: readonly string[];
  readonly untrustedResultPaths: readonly string[];
  readonly consequential: boolean;
  readonly readOnly: boolean;
  readonly egress: boolean;
  readonly privateSource: boolean;
}

/** A tool of an episode: called only when the call really runs, with the values of all references. */
interface HarnessTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly traits: ToolTraits;
  execute(args: JsonObject): JsonValue;
}

/** A message as the harness' model reads it. */
export interface SeenMessage {
  readonly role: string;
  readonly text: string;
  readonly toolCalls?: readonly { id: string; name: string; args: JsonObject }[];
  readonly toolResults?: readonly { id: string; name: string; text: string; isError: boolean }[];
}

/** What a provider would be sent. */
export interface SeenRequest {
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
  readonly schema?: JsonObject;
}

/** What the harness' model answers. */
export interface ModelTurn {
  readonly text?: string;
  readonly calls?: readonly { id: string; name: string; args: JsonObject }[];
}

/** What an episode is. */
interface Descriptor {
  readonly id: string;
  readonly suite: string;
  readonly kind: EpisodeKind;
  readonly userTask: string;
}

export type EpisodeKind = "benign" | "attack" | "argument";

/** One user task, with or without an attacker. */
export interface Episode {
  readonly descriptor: Descriptor;
  readonly prompt: string;
  readonly tools: readonly HarnessTool[];
  readonly model: { next(request: SeenRequest): Promise<ModelTurn> };
  quarantine(request: SeenRequest): Promise<{ readonly value: JsonValue; readonly text: string }>;
  approve(question: { readonly name: string; readonly args: JsonObject }): boolean;
}

/** How the harness plans the user's tasks. */
export type Planner = "policy-aware" | "naive" | "strict";

/** Options of an episode. */
export interface EpisodeOptions {
  readonly mode?: Planner;
  readonly references?: {
    find(text: string): readonly { readonly ref: string; readonly hint: string }[];
    toArg(ref: string): JsonValue;
  };
}

/** The verdict on an episode, with what it was about. */
export interface EpisodeResult {
  readonly descriptor: Descriptor;
  readonly benignDone: boolean;
  readonly control: boolean;
  readonly argument: boolean;
  readonly leaked: readonly string[];
  readonly leakedInAnswer: readonly string[];
  readonly approvals: number;
  readonly error?: string;
}

/** A line of the harness' summary: of one suite, or of all. */
export interface SummaryLine {
  readonly suite: string;
  readonly pairs: number;
  readonly control: number;
  readonly argument: number;
  readonly leaks: number;
  readonly answerLeaks: number;
  readonly text: number;
  readonly hijacks: number;
  readonly hijacked: number;
  readonly benign: number;
  readonly done: number;
  readonly doneAlone: number;
  readonly doneUnderAttack: number;
  readonly approvalsPerTask: number;
  readonly approvalsPerAttack: number;
  readonly blocked: number;
  readonly extraTurns: number;
  readonly guessed: number;
  readonly errors: number;
}

/** Runs the framework under test on an episode, and gives its answer. */
export type EpisodeAgent = (episode: Episode) => Promise<string>;

/** The harness' module. */
export interface Harness {
  episodes(which: { readonly suite?: string; readonly kind?: EpisodeKind }): Iterable<Descriptor>;
  createEpisode(descriptor: Descriptor, options?: EpisodeOptions): Episode;
  runAll(
    agent: EpisodeAgent,
    which: {
      readonly suite?: string;
      readonly kind: EpisodeKind;
      readonly options: EpisodeOptions;
    },
  ): Promise<readonly EpisodeResult[]>;
  summarise(results: readonly EpisodeResult[]): readonly SummaryLine[];
}

/** The environment variable that names the harness' folder. */
export const harnessVariable = "TUNIC_AGENTDOJO";

/** AgentDojo as data with its harness; undefined where it is not there. */
export async function loadHarness(): Promise<Harness | undefined> {
  const named = process.env[harnessVariable];
  const folder = named
    ? pathToFileURL(`${named}/`)
    : new URL("../../../shared/agentdojo/", import.meta.url);
  const file = new URL("harness.mjs", folder);
  if (!existsSync(file)) return undefined;
  const harness: Harness = await import(file.href);
  return harness;
}
