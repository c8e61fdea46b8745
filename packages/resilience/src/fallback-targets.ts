import { type ChatClient, type ChatClientError, checkOptionNames, isJsonObject } from "@tunic/core";
import { checkName, checkUnique, type NamedClient } from "./named-client.js";
import { checkFunction, invalid, isChatClient } from "./option-checks.js";

/** A client of a fallback, with what is particular to it. */
export interface FallbackTarget {
  readonly client: ChatClient;
  /**
   * How it is called in conversation ids, notices and errors; no colon. Default: its provider, with a number
   * where there are several.
   */
  readonly name?: string | undefined;
  /**
   * Whether this client is asked after that failure; not for the first, which is always asked. Default: the
   * option `fallbackOn`.
   */
  readonly when?: ((error: ChatClientError) => boolean | Promise<boolean>) | undefined;
  /**
   * What the models of `options.model` are called here; not for the first. A model that is not listed is left
   * out, so that the client's own default is asked.
   */
  readonly models?: Readonly<Record<string, string>> | undefined;
}

/** A target that has been checked. */
export interface Target extends NamedClient {
  readonly first: boolean;
  readonly when: FallbackTarget["when"];
  readonly models: ReadonlyMap<string, string>;
}

const what = "fallbackClient";
const memberNames: ReadonlySet<string> = new Set<keyof FallbackTarget>([
  "client",
  "name",
  "when",
  "models",
]);

/** @throws ConfigurationError `unknown_option` or `invalid_option`. */
export function readTargets(
  clients: readonly (ChatClient | FallbackTarget)[],
): readonly [Target, ...Target[]] {
  if (!Array.isArray(clients)) throw invalid(`${what} takes a list of clients: ${what}([a, b]).`);
  const taken = new Set<string>();
  const [first, ...others] = clients.map((each: unknown, index) => readTarget(each, index, taken));
  if (first === undefined) throw invalid(`${what} needs at least one client.`);
  checkUnique(what, [first, ...others]);
  return [first, ...others];
}

function readTarget(given: unknown, index: number, taken: Set<string>): Target {
  const place = `${what}: clients[${index}]`;
  const first = index === 0;
  if (isChatClient(given)) {
    const name = ownName(given, taken);
    return { client: given, name, first, when: undefined, models: new Map() };
  }
  if (!isJsonObject(given)) throw invalid(`${place} must be a chat client, or { client, … }.`);
  checkOptionNames(place, given, memberNames);
  const { client, name, when, models } = given as Partial<FallbackTarget>;
  if (!isChatClient(client)) throw invalid(`${place}: client must be a chat client.`);
  if (first && (when !== undefined || models !== undefined)) {
    throw invalid(
      `${place} is asked first and as it is: \`when\` and \`models\` are for the others.`,
    );
  }
  if (name !== undefined) checkName(`${place}: name`, name);
  checkFunction(`${place}: when`, when);
  checkModels(`${place}: models`, models);
  return {
    client,
    name: name ?? ownName(client, taken),
    first,
    when,
    models: new Map(Object.entries(models ?? {})),
  };
}

function checkModels(place: string, models: unknown): void {
  if (models === undefined) return;
  const fits =
    isJsonObject(models) && Object.values(models).every((each) => typeof each === "string");
  if (!fits) throw invalid(`${place} must be an object of names, such as { "theirs": "ours" }.`);
}

/** A provider may have a colon in its name; the tag of an id may not. */
function ownName({ metadata }: ChatClient, taken: Set<string>): string {
  const provider = metadata.provider.replaceAll(":", "-") || "client";
  let name = provider;
  for (let count = 2; taken.has(name); count++) name = `${provider}-${count}`;
  taken.add(name);
  return name;
}
