import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue, nearestName } from "@tunic/core";
import { unfitHeader } from "../header-values.js";
import { hasUserinfo, type RemoteServer, type StdioServer } from "../target.js";
import { shortened } from "../transports/noise-log.js";
import { expandVariables, type TellProblem, type Variables } from "./expand-variables.js";

/** How one server is read. */
export interface ServerTerms {
  readonly variables: Variables;
  /** What relative paths of `envFile` are relative to. */
  readonly folder: string;
  /** Something is wrong: the server cannot be used. */
  readonly problem: TellProblem;
  /** Something counts for other programs, and for nothing here; unless another member was meant. */
  readonly ignored: (member: string, meant: string | undefined) => void;
}

const stdioMembers: ReadonlySet<string> = new Set([
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
]);
const remoteMembers: ReadonlySet<string> = new Set(["type", "url", "headers"]);
const switches: ReadonlySet<string> = new Set(["disabled", "enabled"]);
/** Close to one of those, and something else to other programs. */
const notMeant: ReadonlySet<string> = new Set(["dev", "tags"]);

/** Whether the file says that a server is not to be used now. What says it in another way has it used: that is told. */
export function isSwitchedOff(entry: JsonValue, problem: TellProblem): boolean {
  if (!isJsonObject(entry)) return false;
  for (const name of switches) {
    const { [name]: said } = entry;
    if (said !== undefined && typeof said !== "boolean") {
      problem(
        `has \`${name}\`, which is neither true nor false: write one of them, without quotes`,
      );
    }
  }
  return entry["disabled"] === true || entry["enabled"] === false;
}

/** One server of a file as a target of `mcpTools()`; undefined where a problem was told. */
export function readConfiguredServer(
  entry: JsonValue,
  terms: ServerTerms,
): StdioServer | RemoteServer | undefined {
  const { problem } = terms;
  if (!isJsonObject(entry)) {
    problem('is no object: write { "command": …, "args": […] } or { "url": … }');
    return undefined;
  }
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined) {
    problem("has both `command` and `url`: leave one of them out");
    return undefined;
  }
  if (command === undefined && url === undefined) {
    problem('has neither `command` nor `url`: write { "command": …, "args": […] } or { "url": … }');
    return undefined;
  }
  if (type !== undefined && typeof type !== "string") {
    problem("has a `type` that is no text");
    return undefined;
  }
  const members = command === undefined ? remoteMembers : stdioMembers;
  checkMembers(entry, new Set([...members, ...switches]), terms);
  return command === undefined ? readRemote(entry, terms) : readStdio(entry, terms);
}

/** No program has a second form of these, so that nobody else can be meant by `arg`, `Env` or `disable`. */
function checkMembers(
  entry: JsonObject,
  known: ReadonlySet<string>,
  { problem, ignored }: ServerTerms,
): void {
  const bare = new Map([...known].map((member) => [bareName(member), member]));
  for (const member of Object.keys(entry)) {
    if (known.has(member)) continue;
    const shown = shortened(member, 60);
    const same = bare.get(bareName(member));
    if (same !== undefined) problem(`has \`${shown}\`: write \`${same}\``);
    else ignored(shown, notMeant.has(member) ? undefined : nearestName(member, known));
  }
}

/** Without what is easily got wrong: capitals, parting signs, and the end of a plural or a participle. */
function bareName(member: string): string {
  return member
    .toLowerCase()
    .replace(/[_-]/g, "")
    .replace(/[sd]+$/, "");
}

function readStdio(entry: JsonObject, terms: ServerTerms): StdioServer | undefined {
  const { problem } = terms;
  const { type, args = [] } = entry;
  if (type !== undefined && type !== "stdio") {
    problem('has a `command` and another `type` than "stdio": leave `type` out, or write `url`');
  }
  let isTold = false;
  const tell = (what: string): void => {
    isTold = true;
    problem(what);
  };
  const command = readText(entry["command"], "command", { ...terms, problem: tell });
  const cwd = entry["cwd"] === undefined ? undefined : readText(entry["cwd"], "cwd", terms);
  if (!Array.isArray(args)) problem("has `args` that are no list of texts");
  const list = Array.isArray(args) ? (args as readonly JsonValue[]) : [];
  const words = list.map((each, at) => readText(each, `args[${at}]`, terms));
  const env = { ...readEnvFile(entry["envFile"], terms), ...readTexts(entry["env"], "env", terms) };
  if (command === undefined) return undefined;
  if (command === "" && !isTold)
    problem("has a `command` that is empty: write which program is to be started");
  if ([command, cwd, ...words, ...Object.values(env)].some((text) => text?.includes("\0"))) {
    problem("has a text with a character U+0000, which no program can be given");
  }
  return {
    command,
    args: words.filter((word) => word !== undefined),
    env,
    ...(cwd !== undefined && { cwd }),
  };
}

/** Variables from a file of their own, as VS Code has it; `env` wins over them. */
function readEnvFile(
  envFile: JsonValue | undefined,
  terms: ServerTerms,
): Readonly<Record<string, string>> {
  if (envFile === undefined) return {};
  const path = readText(envFile, "envFile", terms);
  if (path === undefined) return {};
  try {
    return parseEnv(readFileSync(resolve(terms.folder, path), "utf8")) as Record<string, string>;
  } catch (error) {
    terms.problem(`has an \`envFile\` that cannot be read (${codeOf(error)}): correct its path`);
    return {};
  }
}

function readRemote(entry: JsonObject, terms: ServerTerms): RemoteServer | undefined {
  const headers = readTexts(entry["headers"], "headers", terms);
  const address = readText(entry["url"], "url", terms);
  const unfit = unfitHeader(headers);
  if (unfit !== undefined) terms.problem(`has ${unfit}`);
  if (address === undefined || !isAddress(address, terms.problem)) return undefined;
  const { type } = entry;
  if (isWebSocket(address, type) && Object.keys(headers).length > 0) {
    terms.problem("has `headers`, which a WebSocket cannot send: leave them out");
  }
  switch (type) {
    case undefined:
      return { url: address, headers };
    case "http":
      // As VS Code has it: SSE where the server does not know streamable HTTP. What looks like SSE is not meant so.
      return { url: address, headers, ...(/\/sse\/*$/i.test(pathOf(address)) && http) };
    case "streamable-http":
    case "streamableHttp":
      return { url: address, headers, ...http };
    case "sse":
      return { url: address, headers, transport: "sse" };
    case "ws":
    case "websocket":
      return { url: address, transport: "websocket" };
    default:
      terms.problem(
        'has a `type` that is none for a `url`: write "http", "streamable-http", "sse" or "ws", or leave it out',
      );
      return undefined;
  }
}

const http = { transport: "http" } as const;

function isAddress(address: string, problem: TellProblem): boolean {
  // What the address is, is not told: there may be a secret in it.
  if (!URL.canParse(address)) problem("has a `url` that is none: write https://…");
  else if (!/^(https?|wss?):/i.test(address.trim())) {
    problem("has a `url` that begins with none of http:, https:, ws: and wss:");
  } else if (hasUserinfo(new URL(address))) {
    problem("has a `url` with a name or a password before its host: send it with `headers`");
  } else return true;
  return false;
}

/** Only what says that it is streamable HTTP or SSE is that under an address of another kind. */
function isWebSocket(address: string, type: JsonValue | undefined): boolean {
  if (type === "ws" || type === "websocket") return true;
  return (type === undefined || type === "http") && /^wss?:/i.test(address.trim());
}

function pathOf(address: string): string {
  return new URL(address).pathname;
}

function readTexts(
  value: JsonValue | undefined,
  place: string,
  terms: ServerTerms,
): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) {
    terms.problem(`has \`${place}\` that is no object of texts`);
    return {};
  }
  const texts: [string, string][] = [];
  for (const [name, each] of Object.entries(value)) {
    // VS Code takes numbers, and null for what is not to be set.
    if (each === null) continue;
    const plain = typeof each === "number" ? String(each) : each;
    const text = readText(plain, `${place}.${shortened(name, 60)}`, terms);
    if (text !== undefined) texts.push([name, text]);
  }
  return Object.fromEntries(texts);
}

function readText(
  value: JsonValue | undefined,
  place: string,
  { variables, problem }: ServerTerms,
): string | undefined {
  if (typeof value !== "string") {
    problem(`has \`${place}\`, which is no text: put it in quotes`);
    return undefined;
  }
  return expandVariables(value, variables, (what) => problem(`has \`${place}\`, which ${what}`));
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no such form";
}
