/**
 * The mail desk asks before it sends, and its run may wait for the answer as long as it likes. These
 * tests start it as its users do, each answer in a process of its own.
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readCommandLine, UsageError } from "../examples/mail-desk/command-line.js";
import { readPendingRun } from "../examples/mail-desk/pending-run.js";
import { desk, deskInTerminal, hasScript, root, timeout } from "./mail-desk.js";

const places = mkdtempSync(join(tmpdir(), "mail-desk-test-"));
afterAll(() => rmSync(places, { recursive: true, force: true }));

/** A run that waits, in a folder of its own. */
async function saved(name: string) {
  const place = join(places, name);
  mkdirSync(place);
  const file = join(place, "pending.json");
  const out = join(place, "out");
  const first = await desk("--save", file, "--out", out);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const sent = () => readdirSync(join(out, "sent"));
  expect(sent()).toEqual([]);
  return { first, file, out, sent };
}

const theMail = ["1-reply-to-m1.eml"];

describe.concurrent("a run of the mail desk that waits for an answer", () => {
  it("goes on in another process, and only once", { timeout }, async () => {
    const { first, file, out, sent } = await saved("yes");
    expect(first.stdout).toContain("To: Amelia Okafor <amelia.okafor@example.org>");
    expect(first.stdout).toContain("Mara Lindqvist");
    expect(first.stdout).toContain(`--resume ${file} --yes`);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const requests = [{ call: { name: "send" } }];
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 1, out, requests });

    const second = await desk("--resume", file, "--yes");
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain("is sent, and stands in sent/1-reply-to-m1.eml");
    expect(sent()).toEqual(theMail);
    expect(readdirSync(join(out, "drafts"))).toEqual([]);
    const mail = readFileSync(join(out, "sent", "1-reply-to-m1.eml"), "utf8");
    expect(mail).toMatch(/^Date: /m);
    expect(mail).not.toMatch(/^X-Unsent/m);

    const third = await desk("--resume", file, "--yes");
    expect(third).toMatchObject({ code: 2, stdout: "" });
    expect(third.stderr).toContain("it was used already");
    expect(sent()).toEqual(theMail);
    expect(readFileSync(join(out, "sent", "1-reply-to-m1.eml"), "utf8")).toBe(mail);
  });

  it("sends nothing when the answer is no, and is not asked again", { timeout }, async () => {
    const { file, out, sent } = await saved("no");
    const second = await desk("--resume", file, "--no");
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout).toContain("I did not send the reply");
    const third = await desk("--resume", file, "--yes");
    expect(third).toMatchObject({ code: 2, stdout: "" });
    expect(third.stderr).toContain("it was used already");
    expect(sent()).toEqual([]);
    expect(readdirSync(join(out, "drafts"))).toEqual(theMail);
  });

  it("sends once when two go on at a time, and when its file was copied", { timeout }, async () => {
    const { file, sent } = await saved("twice");
    copyFileSync(file, `${file}.copy`);
    const resume = ["--resume", file, "--yes"];
    const both = await Promise.all([desk(...resume), desk(...resume)]);
    expect(both.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(sent()).toEqual(theMail);
    const again = await desk("--resume", `${file}.copy`, "--yes");
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout).toContain("had been sent already");
    expect(sent()).toEqual(theMail);
  });

  it("asks again when the draft has changed, and can be left for later", { timeout }, async () => {
    const { file, out, sent } = await saved("changed");
    const more = Buffer.from("\n\nP.S. Regards to Harbour House.").toString("base64");
    appendFileSync(join(out, "drafts", "1-reply-to-m1.eml"), `\r\n${more}\r\n`);
    const [next, last] = [`${file}.next`, `${file}.last`];
    const second = await desk("--resume", file, "--yes", "--save", next);
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(second.stdout.split("Regards to Harbour House")).toHaveLength(2);

    expect(await desk("--resume", next, "--save", last)).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(next)).toBe(false);
    expect(sent()).toEqual([]);

    const end = await desk("--resume", last, "--yes", "--json");
    expect(end).toMatchObject({ code: 0, stderr: "" });
    const sentNow = ["sent/1-reply-to-m1.eml"];
    expect(JSON.parse(end.stdout)).toMatchObject({ outcome: "completed", sent: sentNow });
    expect(sent()).toEqual(theMail);
  });

  it("goes on where it broke off after the mail was sent", { timeout }, async () => {
    const { file, sent } = await saved("broken");
    changeModel(file, { provider: "openai", model: "none", baseURL: "http://127.0.0.1:1/v1" });
    const second = await desk("--resume", file, "--yes");
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`--resume ${file} goes on with it`);
    expect(sent()).toEqual(theMail);
    changeModel(file, { provider: "scripted" });
    const third = await desk("--resume", file, "--yes");
    expect(third).toMatchObject({ code: 0, stderr: "" });
    expect(third.stdout).not.toContain("The run asks");
    expect(sent()).toEqual(theMail);
  });
});

/** The same run with another model, so that a model can be out of reach. */
function changeModel(file: string, choice: object): void {
  const run = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...run, choice }));
}

describe.concurrent("a run of the mail desk that begins", () => {
  it("fails where it asks and nobody can answer", { timeout }, async () => {
    const out = join(places, "nobody");
    const question = "Who waits for an answer? Send one.";
    const { code, stdout, stderr } = await desk("--question", question, "--out", out);
    expect(code).toBe(2);
    expect(stdout).toContain("To: Amelia Okafor <amelia.okafor@example.org>");
    expect(stderr).toMatch(/--yes .* --no .* --save FILE/);
    expect(readdirSync(join(out, "sent"))).toEqual([]);
  });

  it.skipIf(!hasScript)("asks in a terminal (skipped without script)", { timeout }, async () => {
    const { code, stdout } = await deskInTerminal("n Not today.");
    expect(stdout).toContain("I did not send the reply");
    expect(code).toBe(0);
  });
});

describe("the file of a run that waits", () => {
  const file = (name: string): string => join(places, name);
  const good = {
    kind: "mail-desk-run",
    version: 1,
    choice: { provider: "scripted" },
    question: "Who waits?",
    standard: false,
    out: places,
    requests: [],
    session: { version: 1, id: "s", messages: [], state: {} },
  };
  const readable = (content: unknown): Promise<unknown> => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file("bad.json"), text);
    return readPendingRun(file("bad.json"));
  };

  it("is read where it is whole", async () => {
    await expect(readable(good)).resolves.toMatchObject({ question: "Who waits?", out: places });
    await expect(readable(good)).resolves.toMatchObject({ desk: "careful" });
    await expect(readable({ ...good, desk: "secure" })).resolves.toMatchObject({ desk: "secure" });
  });

  it.each([
    ["text", "Dear Amelia,", /no JSON/],
    ["half of it", JSON.stringify(good).slice(0, 99), /no JSON/],
    ["other JSON", { version: 1 }, /no run that --save has written/],
    ["a list", [], /no run that --save has written/],
    ["a newer version", { ...good, version: 2 }, /it has version 2/],
    ["another model", { ...good, choice: { provider: "other" } }, /damaged: \/choice/],
    ["another desk", { ...good, desk: "other" }, /damaged: \/desk/],
    ["no folder", { ...good, out: undefined }, /damaged: \/out/],
    [
      "a folder that is gone",
      { ...good, out: join(places, "gone") },
      /in which the run works, is gone/,
    ],
    ["no session", { ...good, session: {} }, /its session cannot be read/],
  ])("is refused in one line: %s", async (_name, content, reason) => {
    const error = await readable(content).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(reason);
    expect(String(error)).not.toContain("\n");
  });

  it("is refused where there is none, or it was used", async () => {
    await expect(readPendingRun(file("none.json"))).rejects.toThrow(/there is no such file/);
    writeFileSync(file("old.json.used"), "{}");
    await expect(readPendingRun(file("old.json"))).rejects.toThrow(/it was used already/);
    await expect(readPendingRun(places)).rejects.toThrow(/cannot be read \(EISDIR\)/);
  });
});

describe("the command line of the mail desk", () => {
  const read = (line: string, terminal = false) =>
    readCommandLine(line.split(" ").filter(Boolean), {}, terminal);

  it.each([
    ["", false, "unattended"],
    ["", true, "person"],
    ["--yes", true, "yes"],
    ["--no", false, "no"],
    ["--question Who?", false, "nobody"],
    ["--question Who?", true, "person"],
    ["--base-url http://127.0.0.1:1/v1", false, "nobody"],
    [`--save ${join(places, "new.json")}`, true, "save"],
    ["--resume old.json", true, "person"],
    ["--resume old.json --yes", false, "yes"],
    [`--resume old.json --no --save ${join(places, "new.json")}`, false, "no"],
    [`--resume old.json --save ${join(places, "new.json")}`, true, "save"],
  ])("%s (in a terminal: %s): the answer comes from %s", (line, terminal, answers) => {
    expect(read(line, terminal)).toMatchObject({ answers });
  });

  it.each([
    ["", "careful", /wait for an answer/],
    ["--poisoned", "poisoned", /Amelia Okafor/],
    ["--secure", "secure", /Amelia Okafor/],
    ["--poisoned --secure", "secure", /Amelia Okafor/],
    ["--secure --question Who?", "secure", /^Who\?$/],
  ])("%s: the desk is %s", (line, kind, question) => {
    expect(read(line)?.start).toMatchObject({
      desk: kind,
      question: expect.stringMatching(question),
    });
  });

  it.each([
    ["--yes --no", /contradict/],
    [`--yes --save ${join(places, "new.json")}`, /contradict/],
    ["--resume old.json", /nobody to ask.*--yes .*--no .*--save FILE/],
    ["--resume old.json --yes --question Who?", /leave --question out/],
    ["--resume old.json --yes --mail .", /leave --mail out/],
    ["--resume old.json --yes --out x", /leave --out out/],
    ["--resume old.json --yes --model x", /leave --model out/],
    ["--resume old.json --yes --secure", /leave --secure out/],
    ["--resume= --yes", /--resume FILE/],
    ["--save=", /--save FILE/],
    [`--save ${fileURLToPath(import.meta.url)}`, /already/],
    [`--save ${join(places, "none", "new.json")}`, /no folder/],
    [`--save ${join(root, "examples", "mail-desk", "mails", "new.json")}`, /outside of the mails/],
  ])("refuses %s", (line, reason) => {
    expect(() => read(line)).toThrow(reason);
  });
});
