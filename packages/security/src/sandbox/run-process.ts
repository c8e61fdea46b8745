import { type ChildProcess, spawn } from "node:child_process";
import { captureHead, captureTail } from "./captured-output.js";
import { endWithUs, hasGroups, signalGroup } from "./process-group.js";
import { whenAborted } from "./when-aborted.js";

/** A process to run, with everything decided. */
export interface ProcessPlan {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Between being asked to end and being ended; and how long a pipe is read that a process outside the group holds. */
  readonly killGraceMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal | undefined;
}

export interface EndedProcess {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly timedOut: boolean;
}

/**
 * Runs a process as the leader of a group of its own, until it and all of its group have ended. Whoever of the
 * group is left when the leader ends is killed.
 *
 * Rejects with the reason of the signal, or with what `spawn` says when it cannot be started.
 */
export async function runProcess(plan: ProcessPlan): Promise<EndedProcess> {
  const { signal, maxOutputBytes } = plan;
  signal?.throwIfAborted();
  const child = spawn(plan.program, [...plan.args], {
    cwd: plan.cwd,
    env: { ...plan.env },
    stdio: [plan.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    detached: hasGroups,
    windowsHide: true,
  });
  const stdout = captureHead(maxOutputBytes);
  const stderr = captureTail(maxOutputBytes);
  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
  if (child.stdin !== null) {
    // It may end, or close its input, without having read it: that is its own affair.
    child.stdin.on("error", () => {});
    child.stdin.end(plan.input);
  }
  const { exitCode, signal: endedBy, stopped } = await endOf(child, plan);
  if (stopped === "abort") signal?.throwIfAborted();
  return {
    ...(exitCode !== null && { exitCode }),
    ...(endedBy !== null && { signal: endedBy }),
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: { stdout: stdout.isTruncated(), stderr: stderr.isTruncated() },
    timedOut: stopped === "timeout",
  };
}

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it was stopped, where it was. */
  readonly stopped: "timeout" | "abort" | undefined;
}

function endOf(child: ChildProcess, plan: ProcessPlan): Promise<ProcessEnd> {
  const { pid } = child;
  return new Promise((resolve, reject) => {
    // Without an id it was not started, and this is the only event there is.
    child.once("error", reject);
    if (pid === undefined) return;
    const watched = stopInTime(pid, plan);
    let drain: NodeJS.Timeout | undefined;
    child.once("exit", () => {
      watched.end();
      if (hasGroups) signalGroup(pid, "SIGKILL");
      drain = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, plan.killGraceMs);
    });
    child.once("close", (exitCode, signal) => {
      clearTimeout(drain);
      resolve({ exitCode, signal, stopped: watched.stopped() });
    });
  });
}

/** Asks a group to end, and then ends it, when its time is up or its run is aborted. */
function stopInTime(leader: number, { signal, timeoutMs, killGraceMs }: ProcessPlan) {
  let stopped: ProcessEnd["stopped"];
  let grace: NodeJS.Timeout | undefined;
  const stop = (why: "timeout" | "abort") => {
    if (stopped !== undefined) return;
    stopped = why;
    signalGroup(leader, "SIGTERM");
    grace = setTimeout(() => signalGroup(leader, "SIGKILL"), killGraceMs);
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const listen = signal && whenAborted(signal, () => stop("abort"));
  const forget = endWithUs(leader);
  return {
    stopped: () => stopped,
    end() {
      clearTimeout(timer);
      clearTimeout(grace);
      listen?.();
      forget();
    },
  };
}
