import type { ChildProcess } from "node:child_process";
import spawn from "cross-spawn";
import { childEnvironment } from "./child-environment.js";

/** What a server's process is started with. */
export interface ChildTerms {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

const onWindows = process.platform === "win32";

/** Those that run now, to be ended with this process. */
const running = new Set<ChildProcess>();
let watching = false;

/**
 * Starts a server in a process group of its own, so that what it starts in turn (`npx` starts a shell, which
 * starts the server) can be ended with it.
 */
export function startChild({ command, args, env, cwd }: ChildTerms): ChildProcess {
  const child = spawn(command, [...args], {
    env: childEnvironment(env),
    stdio: ["pipe", "pipe", "pipe"],
    shell: false,
    windowsHide: true,
    detached: !onWindows,
    ...(cwd !== undefined && { cwd }),
  });
  if (!watching) {
    watching = true;
    process.on("exit", () => {
      for (const each of running) killGroup(each, "SIGKILL");
    });
  }
  running.add(child);
  for (const end of ["close", "error"]) child.once(end, () => running.delete(child));
  return child;
}

/** How long a server has to end after each request to do so. */
const graceMs = 2000;

/** Ends a server: its input is closed, then its group is asked, then it is killed. Resolves when it is gone. */
export async function endChild(child: ChildProcess, grace = graceMs): Promise<void> {
  if (child.pid === undefined) return;
  const gone = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  child.stdin?.end();
  if (!(await within(gone, grace))) {
    killGroup(child, "SIGTERM");
    if (!(await within(gone, grace))) {
      killGroup(child, "SIGKILL");
      await within(gone, grace);
    }
  }
  // Whoever it has started, and left behind.
  killGroup(child, "SIGKILL");
  running.delete(child);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

function killGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (onWindows) spawn.sync("taskkill", ["/pid", String(child.pid), "/T", "/F"]);
    else process.kill(-child.pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}

/** Whether something happens in time. */
async function within(event: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
