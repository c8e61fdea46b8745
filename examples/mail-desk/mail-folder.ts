import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mailFiles, Outbox } from "./outbox.js";
import { labelHeader, type Mail, readMail } from "./read-mail.js";
import { replyDraft } from "./reply-draft.js";

/** A mail and what it is called here: an id for the model, a file for people. */
export interface FiledMail extends Mail {
  readonly id: string;
  readonly file: string;
}

/**
 * A folder of mails. What is in it is listed once; from then on a mail is an id in a table, so that
 * no id, however it is written, leads to another file. The folder itself is only read: labels,
 * drafts and what is sent are written to a copy.
 */
export class MailFolder {
  /** Where the copy is. */
  readonly copy: string;
  /** The drafts and the sent mails, in the copy too. */
  readonly outbox: Outbox;
  /** Files that are no mails, and why. */
  readonly unreadable: string[] = [];
  readonly #mails = new Map<string, FiledMail>();

  private constructor(copy: string, outbox: Outbox) {
    this.copy = copy;
    this.outbox = outbox;
  }

  /** @param out Where the copy goes: an empty folder. Default: a new temporary one. */
  static async open(source: string, out?: string): Promise<MailFolder> {
    const copy = out ?? (await mkdtemp(join(tmpdir(), "mail-desk-")));
    await mkdir(copy, { recursive: true });
    for (const file of await mailFiles(source)) {
      // Its bytes alone: a mail that nobody may write to gets labels in the copy.
      await writeFile(join(copy, file), await readFile(join(source, file)));
    }
    return MailFolder.reopen(copy);
  }

  /** Goes on with a copy that `open` has made: the mails have the ids and labels that they had. */
  static async reopen(copy: string): Promise<MailFolder> {
    const folder = new MailFolder(copy, await Outbox.open(copy));
    for (const file of await mailFiles(copy)) await folder.#add(file);
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
    return draft && this.outbox.add(`reply-to-${mail.id}`, draft);
  }

  async #add(file: string): Promise<void> {
    const bytes = await readFile(join(this.copy, file));
    try {
      const id = `m${this.#mails.size + 1}`;
      this.#mails.set(id, { ...(await readMail(bytes)), id, file });
    } catch (error) {
      this.unreadable.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
