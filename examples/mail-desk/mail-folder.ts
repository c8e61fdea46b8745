import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { labelHeader, type Mail, readMail } from "./read-mail.js";
import { replyDraft } from "./reply-draft.js";

/** A mail and what it is called here: an id for the model, a file for people. */
export interface FiledMail extends Mail {
  readonly id: string;
  readonly file: string;
}

/**
 * A folder of mails. What is in it is listed once; from then on a mail is an id in a table, so that
 * no id, however it is written, leads to another file. The folder itself is only read: labels and
 * drafts are written to a copy.
 */
export class MailFolder {
  /** Where the copy is. */
  readonly copy: string;
  /** Paths inside the copy. */
  readonly drafts: string[] = [];
  /** Files that are no mails, and why. */
  readonly unreadable: string[] = [];
  readonly #mails = new Map<string, FiledMail>();

  private constructor(copy: string) {
    this.copy = copy;
  }

  /** @param copy Where labels and drafts go: an empty folder. Default: a new temporary one. */
  static async open(source: string, copy?: string): Promise<MailFolder> {
    const folder = new MailFolder(copy ?? (await mkdtemp(join(tmpdir(), "mail-desk-"))));
    await mkdir(join(folder.copy, "drafts"), { recursive: true });
    for (const file of await mailFiles(source)) await folder.#add(source, file);
    return folder;
  }

  /** Newest first; mails without a readable date come last. */
  get mails(): readonly FiledMail[] {
    return [...this.#mails.values()].sort((a, b) => (b.time ?? 0) - (a.time ?? 0));
  }

  find(id: string): FiledMail | undefined {
    return this.#mails.get(id);
  }

  /** Labels a mail, in the header in which mail programs look for labels. */
  async label(mail: FiledMail, label: string): Promise<readonly string[]> {
    if (mail.labels.includes(label)) return mail.labels;
    const path = join(this.copy, mail.file);
    const header = Buffer.from(`${labelHeader}: ${label}\r\n`);
    await writeFile(path, Buffer.concat([header, await readFile(path)]));
    const labels = [...mail.labels, label];
    this.#mails.set(mail.id, { ...mail, labels });
    return labels;
  }

  /** @returns the draft's path inside the copy; undefined when the mail cannot be answered. */
  async draftReply(mail: FiledMail, body: string): Promise<string | undefined> {
    const draft = replyDraft(mail, body, new Date());
    if (draft === undefined) return undefined;
    const path = `drafts/${this.drafts.length + 1}-reply-to-${mail.id}.eml`;
    this.drafts.push(path);
    await writeFile(join(this.copy, path), draft);
    return path;
  }

  async #add(source: string, file: string): Promise<void> {
    const bytes = await readFile(join(source, file));
    await writeFile(join(this.copy, file), bytes);
    try {
      const id = `m${this.#mails.size + 1}`;
      this.#mails.set(id, { ...(await readMail(bytes)), id, file });
    } catch (error) {
      this.unreadable.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** The names of the mails in a folder. Links are left out: they could lead out of it. */
async function mailFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".eml"))
    .map((entry) => entry.name)
    .sort();
}
