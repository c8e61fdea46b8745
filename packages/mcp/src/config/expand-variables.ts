import { homedir } from "node:os";
import { basename, sep } from "node:path";
import { shortened } from "../transports/noise-log.js";

/** What `${…}` in a file can stand for. */
export interface Variables {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workspaceFolder?: string | undefined;
  /** What a person is asked for; undefined where nobody answers. */
  readonly input: (id: string) => string | undefined;
}

/** What is wrong, and what to write; without any value. */
export type TellProblem = (problem: string) => void;

/**
 * Replaces `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`, `${workspaceFolder}`,
 * `${workspaceFolderBasename}`, `${userHome}`, `${pathSeparator}` and `${/}`. The default counts where the variable is
 * not set or empty, as in a shell. What has been put in is not looked at again.
 */
export function expandVariables(text: string, variables: Variables, problem: TellProblem): string {
  return text.replace(/\$\{([^}]*)(\}?)/g, (_all, inside: string, close: string) => {
    if (close === "") {
      problem('has a "${" that is not closed');
      return "";
    }
    const known = predefined(inside, variables);
    if (known !== undefined) return known;
    if (inside.startsWith("input:")) {
      const id = inside.slice("input:".length);
      const answer = variables.input(id);
      if (answer === undefined) {
        problem(
          `needs the input "${shown(id)}": give loadMcpServers() \`inputs: { ${JSON.stringify(shown(id))}: … }\`, or a function that asks for it`,
        );
      } else if (typeof answer !== "string") {
        problem(
          `has the input "${shown(id)}", for which \`inputs\` gives no text: it has to be there at once`,
        );
      }
      return answer ?? "";
    }
    return fromEnvironment(inside, variables, problem);
  });
}

function fromEnvironment(inside: string, { environment }: Variables, problem: TellProblem): string {
  const found = /^(?:env:([^:{$]+)|([A-Za-z_]\w*))(?::-([^{]*))?$/.exec(inside);
  const name = found?.[1] ?? found?.[2];
  if (found === null || name === undefined) {
    if (inside === "workspaceFolder" || inside === "workspaceFolderBasename") {
      problem("names the workspace: give loadMcpServers() the option `workspaceFolder`");
    } else {
      const what = shown(inside.split(":-", 1)[0] ?? "");
      problem(
        `has "\${${what}}", which means nothing here: write \${VAR}, \${VAR:-default}, \${env:VAR}, \${input:id}, \${workspaceFolder} or \${userHome}`,
      );
    }
    return "";
  }
  const [, , , otherwise] = found;
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (otherwise !== undefined) return value || otherwise;
  if (value === undefined) {
    problem(
      `needs the environment variable ${shown(name)}: set it, or write \${${shown(name)}:-default}`,
    );
  }
  return value ?? "";
}

function predefined(name: string, { workspaceFolder }: Variables): string | undefined {
  switch (name) {
    case "workspaceFolder":
      return workspaceFolder;
    case "workspaceFolderBasename":
      return workspaceFolder === undefined ? undefined : basename(workspaceFolder);
    case "userHome":
      return homedir();
    case "pathSeparator":
    case "/":
      return sep;
    default:
      return undefined;
  }
}

function shown(name: string): string {
  return shortened(name, 60);
}
