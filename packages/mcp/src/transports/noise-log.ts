import type { McpLogEntry } from "../client/mcp-client.js";
import { plainText } from "../plain-text.js";

/** What a server's process writes beside the protocol. */
export interface NoiseLog {
  add(stream: "stdout" | "stderr", line: string): void;
  /** The last lines of its error output. */
  readonly lastWords: string;
}

const longestLine = 2000;
/** Of its standard output: what a server writes there by mistake would be written for ever. */
const mostLines = 100;
const lastLines = 20;

/** Lines of a server that are no protocol, cut to a length; of its standard output the first hundred. */
export function noiseLog(log: ((entry: McpLogEntry) => void) | undefined): NoiseLog {
  const words: string[] = [];
  let lines = 0;
  return {
    get lastWords() {
      return words.join("\n");
    },
    add(stream, line) {
      const data = plainText(shortened(line.trimEnd(), longestLine));
      if (stream === "stderr") {
        words.push(data);
        if (words.length > lastLines) words.shift();
        log?.({ level: "info", logger: "stderr", data });
        return;
      }
      lines += 1;
      if (lines <= mostLines) log?.({ level: "warning", logger: "stdout", data });
      else if (lines === mostLines + 1) {
        const more = "The server goes on writing what is no protocol; no more of it is logged.";
        log?.({ level: "warning", logger: "stdout", data: more });
      }
    },
  };
}

/** A text of a server, with a mark where something is left out. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
