import { spawn } from "node:child_process";
import { join } from "node:path";
import { onExit } from "signal-exit";

/** Windows has no groups that a process can be the leader of: there it is a tree that is ended. */
export const hasGroups = process.platform !== "win32";

/**
 * Sends a signal to all processes of a group. That there is none left is no error.
 *
 * On Windows the signal makes no difference: the process and all below it are ended.
 */
export function signalGroup(leader: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (!hasGroups) {
    const program = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
    const args = ["/pid", String(leader), "/T", "/F"];
    // Without taskkill there is nothing to be done, and the timeout ends what can be ended.
    spawn(program, args, { stdio: "ignore", windowsHide: true }).once("error", () => {});
    return;
  }
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: nobody is left. EPERM (macOS): those who are left are dead and not yet fetched.
  }
}

const running = new Set<number>();
let forget: (() => void) | undefined;

/**
 * Ends a group when this program ends before it, by a signal too: a group of its own does not hear of Ctrl-C.
 *
 * @returns Call it when the group has ended.
 */
export function endWithUs(leader: number): () => void {
  running.add(leader);
  forget ??= onExit(() => {
    for (const each of running) signalGroup(each, "SIGKILL");
  });
  return () => {
    running.delete(leader);
    if (running.size > 0) return;
    forget?.();
    forget = undefined;
  };
}
