/** A file that a command finds in its folder. */
export interface SandboxFile {
  /** Below the folder, with slashes: `scripts/tie.py`. */
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Whether it can be started by its path, where the system knows such a thing. Default false. */
  readonly executable?: boolean | undefined;
}

/** A program to run, with all that it gets. */
export interface SandboxCommand {
  /** A name that is looked for on the `PATH` of the sandbox, or an absolute path. */
  readonly program: string;
  /** Each as it is: there is no shell that would read them. */
  readonly args: readonly string[];
  /** Where it starts: below the folder of the run, or an absolute path. Default: that folder, which holds `files`. */
  readonly cwd?: string | undefined;
  /** Beside what the sandbox gives to all; of two values of one name this one counts. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What it reads from its standard input. Default: nothing, so that reading ends at once. */
  readonly input?: string | Uint8Array | undefined;
  /** Put into the folder of the run, which is made before it and gone afterwards. Default: none. */
  readonly files?: readonly SandboxFile[] | undefined;
  /** In milliseconds. Default: that of the sandbox. */
  readonly timeoutMs?: number | undefined;
  /** Of standard output, and of standard error, in bytes. Default: that of the sandbox. */
  readonly maxOutputBytes?: number | undefined;
  /** Ends the run, which then rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How a run ended. */
export interface SandboxOutcome {
  /** Absent: it was ended by a signal. */
  readonly exitCode?: number;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string;
  /** Its beginning, where it was longer than allowed. */
  readonly stdout: string;
  /** Its end, where it was longer than allowed. */
  readonly stderr: string;
  /** Of which there was more. */
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether it was stopped because it took too long. */
  readonly timedOut: boolean;
  /** From its start until everything of it had ended, in milliseconds. */
  readonly durationMs: number;
  /** A folder of the run that could not be removed. */
  readonly leftBehind?: string;
}

/**
 * Something that runs programs which are not trusted with everything. How much it holds them back differs: each
 * says so.
 */
export interface Sandbox {
  /** For people, in messages. */
  readonly name: string;
  /**
   * Runs a program to its end. A program that fails is an outcome, and no rejection.
   *
   * Rejects with the reason of the signal when that fires; with a `ConfigurationError` `sandbox_command` for a
   * command that makes no sense; with a `ToolError` `sandbox_program_missing` where there is no such program, and
   * `sandbox_start` where it cannot be started.
   */
  run(command: SandboxCommand): Promise<SandboxOutcome>;
}
