import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  ConfigurationError,
  checkOptionNames,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@tunic/core";
import { type McpTools, makeMcpTools } from "../mcp-tools.js";
import type { McpToolsOptions } from "../options.js";
import type { LeftOut } from "../tools/remote-tool.js";
import { asLabel } from "../tools/tool-name.js";
import { shortened } from "../transports/noise-log.js";
import { isSwitchedOff, readConfiguredServer } from "./configured-server.js";
import { type AskInput, readInputs } from "./inputs.js";
import { parseJsonc } from "./jsonc.js";

/** How a file of servers is read. */
export interface LoadMcpServersOptions {
  /** How the tools of each server are offered and called, or of which by its name in the file; `false`: of none. */
  readonly tools?: McpToolsOptions | ((name: string) => McpToolsOptions | false) | undefined;
  /** Where `${VAR}` is looked up. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** What `${input:id}` stands for. Each is asked for once. */
  readonly inputs?: Readonly<Record<string, string>> | AskInput | undefined;
  /**
   * What `${workspaceFolder}` stands for, and what a relative `envFile` is counted from. Default: none, so that a file
   * which names it is refused; `envFile` is counted from the file's folder.
   */
  readonly workspaceFolder?: string | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof LoadMcpServersOptions>([
  "tools",
  "environment",
  "inputs",
  "workspaceFolder",
]);

/**
 * The servers of the JSON that other programs keep them in: `{ "mcpServers": { … } }` as Claude Desktop and
 * Claude Code have it, `{ "servers": { … }, "inputs": […] }` as VS Code has it, comments included. Each becomes
 * what {@link mcpTools} makes, labelled with its name; nothing is connected. Servers that are switched off there are
 * left out. Members that mean something to other programs only are told as a notice (`mcp_config_ignored`) in each run.
 *
 * Whoever writes the file has programs started here: read none that comes from somebody else.
 *
 * @param source The path or `file:` URL of a file, what stands in one as a text, or that as an object.
 * @throws ConfigurationError `invalid_mcp_config` with everything that is wrong, by server, and what to write;
 * values are not shown. What {@link mcpTools} says about options.
 */
export function loadMcpServers(
  source: string | URL | object,
  options: LoadMcpServersOptions = {},
): readonly McpTools[] {
  checkOptionNames("loadMcpServers()", options, optionNames);
  const { tools = {}, environment = process.env, workspaceFolder } = options;
  const { config, where, folder } = readSource(source);
  const problems: string[] = [];
  const input = readInputs(config["inputs"], options.inputs);
  const variables = { environment, workspaceFolder, input };
  const labels = new Map<string, string>();
  const found: ((isShared: boolean) => McpTools)[] = [];

  for (const [name, entry] of serversIn(config, where)) {
    const own = optionsOf(tools, name);
    const shown = JSON.stringify(shortened(name, 100));
    const problem = (what: string): void => {
      problems.push(`The server ${shown} ${what}.`);
    };
    if (own === false || isSwitchedOff(entry, problem)) continue;
    const remarks: LeftOut[] = [];
    const target = readConfiguredServer(entry, {
      variables,
      folder: workspaceFolder ?? folder,
      problem,
      ignored(member, meant) {
        const hint = meant === undefined ? "" : ` Did you mean \`${meant}\`?`;
        const message = `\`${member}\` in its configuration means nothing here.${hint}`;
        remarks.push({ code: "mcp_config_ignored", message });
      },
    });
    const label = own.name ?? asLabel(name);
    if (label === undefined) {
      problem("has a name without letters and digits: call it something else");
      continue;
    }
    const other = labels.get(label);
    if (other !== undefined) problem(`and ${other} would both be "${label}": rename one`);
    labels.set(label, shown);
    if (target !== undefined) {
      found.push((isShared) =>
        makeMcpTools(target, { ...own, name: label }, { remarks, isShared }),
      );
    }
  }

  if (problems.length > 0) throw invalid(`${where}:\n- ${problems.join("\n- ")}`);
  return makeAll(found, typeof tools !== "function");
}

/** Code that is not type-checked may forget to return any. */
function optionsOf(
  tools: NonNullable<LoadMcpServersOptions["tools"]>,
  name: string,
): McpToolsOptions | false {
  const own = typeof tools === "function" ? tools(name) : tools;
  if (own === false || isJsonObject(own)) return own;
  const shown = JSON.stringify(shortened(name, 100));
  throw new ConfigurationError(
    "invalid_option",
    `loadMcpServers(): tools must give an object of options, or false, for each server; not so for ${shown}.`,
  );
}

/** Names that one server does not have may be another one's, where all have the same options. */
function makeAll(
  found: readonly ((isShared: boolean) => McpTools)[],
  haveSameOptions: boolean,
): readonly McpTools[] {
  return found.map((make) => make(haveSameOptions && found.length > 1));
}

interface Source {
  readonly config: JsonObject;
  /** For errors. */
  readonly where: string;
  readonly folder: string;
}

function readSource(source: string | URL | object): Source {
  if (typeof source !== "string" && !(source instanceof URL)) {
    const where = "The configuration of MCP servers";
    return { config: objectOf(source as JsonValue, where), where, folder: process.cwd() };
  }
  if (typeof source === "string" && isContents(source)) {
    const where = "The text with MCP servers";
    return { config: objectOf(parseJsonc(source, where), where), where, folder: process.cwd() };
  }
  const path = source instanceof URL ? fileURLToPath(source) : source;
  const where = `The file ${path}`;
  return { config: objectOf(parseJsonc(textOf(path), where), where), where, folder: dirname(path) };
}

/** What stands in a file; taken for a path, it would be shown in the error that there is none. */
function isContents(source: string): boolean {
  return /^\s*[{[]/.test(source) || source.includes("\n");
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError(
      "invalid_mcp_config",
      `The file of MCP servers cannot be read: ${why}.`,
      { cause },
    );
  }
}

function objectOf(value: JsonValue, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(`${where} is no object: write { "mcpServers": { … } }.`);
}

/** All servers, from wherever in the file they stand. */
function* serversIn(config: JsonObject, where: string): Iterable<readonly [string, JsonValue]> {
  const settings = isJsonObject(config["mcp"]) ? config["mcp"] : {};
  const places = [config["mcpServers"], config["servers"], settings["servers"]];
  const given = places.filter((place) => place !== undefined);
  if (given.length === 0) {
    throw invalid(
      `${where} has no servers: write { "mcpServers": { … } } or { "servers": { … } }.`,
    );
  }
  for (const servers of given) {
    if (!isJsonObject(servers)) throw invalid(`${where} has servers that are no object, by name.`);
    yield* Object.entries(servers);
  }
}

function invalid(message: string): ConfigurationError {
  return new ConfigurationError("invalid_mcp_config", message);
}
