import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Mail, readMail } from "./read-mail.js";
import { sentMail } from "./sent-mail.js";

/** A draft as it stands in its file now. */
export interface Draft {
  /** Inside the folder; what the model calls it by. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mail: Mail;
}

/** The draft was sent before, perhaps by another process a moment ago. */
export class AlreadySentError extends Error {}

/**
 * The drafts of a folder, and the mails that they became. Sending is a move from one to the other:
 * nothing leaves the machine. A draft is a name in a table, never a path that somebody wrote.
 */
export class Outbox {
  readonly #folder: string;
  readonly #drafts = new Set<string>();
  readonly #sent = new Set<string>();
  #lastNumber = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** What is in the folder already is there again: a run may go on in another process. */
  static async open(folder: string): Promise<Outbox> {
    const outbox = new Outbox(folder);
    for (const [place, paths] of [
      ["drafts", outbox.#drafts],
      ["sent", outbox.#sent],
    ] as const) {
      await mkdir(join(folder, place), { recursive: true });
      for (const file of await mailFiles(join(folder, place))) {
        paths.add(`${place}/${file}`);
        outbox.#lastNumber = Math.max(outbox.#lastNumber, Number.parseInt(file, 10) || 0);
      }
    }
    return outbox;
  }

  /** Paths inside the folder. */
  get drafts(): readonly string[] {
    return [...this.#drafts].sort();
  }

  /** Paths inside the folder. */
  get sent(): readonly string[] {
    return [...this.#sent].sort();
  }

  /** @returns the new draft's path. */
  async add(name: string, draft: string): Promise<string> {
    // Numbers are not given out again: a mail that was sent keeps its name.
    const path = `drafts/${++this.#lastNumber}-${name}.eml`;
    this.#drafts.add(path);
    await writeFile(join(this.#folder, path), draft, { flag: "wx" });
    return path;
  }

  /** A draft as it is now: its owner may have changed or deleted the file. */
  async read(path: string): Promise<Draft | undefined> {
    if (!this.#drafts.has(path)) return undefined;
    const bytes = await readFile(join(this.#folder, path)).catch(absent);
    return bytes && { path, bytes, mail: await readMail(bytes) };
  }

  /** Whether the draft of that path was sent, by whatever process. */
  async wasSent(path: string): Promise<boolean> {
    return (await mailFiles(join(this.#folder, "sent"))).includes(basename(path));
  }

  /**
   * Sends exactly these bytes, at most once.
   *
   * @returns the path of what was sent.
   * @throws AlreadySentError
   */
  async send({ path, bytes, mail }: Draft, now: Date): Promise<string> {
    const sent = `sent/${basename(path)}`;
    // Of two processes that send the same draft, one makes the file.
    await writeFile(join(this.#folder, sent), sentMail(bytes, mail, now), { flag: "wx" }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === "EEXIST" ? new AlreadySentError(path) : error;
      },
    );
    await rm(join(this.#folder, path), { force: true });
    this.#drafts.delete(path);
    this.#sent.add(sent);
    return sent;
  }
}

/** The names of the mails in a folder. Links are left out: they could lead out of it. */
export async function mailFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".eml"))
    .map((entry) => entry.name)
    .sort();
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
