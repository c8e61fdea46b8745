/**
 * The mail desk has a skill in a folder: the house style. These tests start the desk as its users do and hold
 * what it writes against the files of the skill, and show that its models know no style of their own.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkHouseStyle } from "../examples/mail-desk/check-house-style.js";
import { skillsFolder } from "../examples/mail-desk/desk-skills.js";
import { gullibleAnswer } from "../examples/mail-desk/gullible-script.js";
import { filledIn } from "../examples/mail-desk/house-style.js";
import { nextAnswer } from "../examples/mail-desk/script.js";
import { validateSkill } from "../packages/skills/src/index.js";
import { desk, timeout } from "./mail-desk.js";

type ChatMessage = Parameters<typeof nextAnswer>[0][number];

const places = mkdtempSync(join(tmpdir(), "mail-desk-skill-"));
afterAll(() => rmSync(places, { recursive: true, force: true }));

interface Call {
  readonly name: string;
  readonly outcome: string;
}

async function transcriptOf(name: string, ...args: readonly string[]) {
  const out = join(places, name);
  const { code, stdout, stderr } = await desk(...args, "--json", "--out", out);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { calls }: { calls: readonly Call[] } = JSON.parse(stdout);
  return { out, calls };
}

/** The text of the only mail to somebody. */
function mailTo(address: string, out: string): string {
  const mails = readdirSync(join(out, "sent")).map((name) =>
    readFileSync(join(out, "sent", name), "utf8"),
  );
  const [mail = "", ...more] = mails.filter((each) => each.includes(`<${address}>`));
  expect(more).toEqual([]);
  return Buffer.from(mail.split("\r\n\r\n")[1] ?? "", "base64").toString();
}

const skillCalls = (calls: readonly Call[]) =>
  calls
    .filter(({ name }) => name.includes("skill"))
    .map(({ name, outcome }) => `${name} ${outcome}`);
const once = ["load_skill completed", "read_skill_resource completed"];

describe.concurrent("the skill of the mail desk", () => {
  it("is loaded and read without asking, and the reply follows it", { timeout }, async () => {
    const { out, calls } = await transcriptOf("careful");
    expect(skillCalls(calls)).toEqual(once);
    const mail = mailTo("amelia.okafor@example.org", out);
    await checkHouseStyle(mail, "holding-reply");
    expect(mail).toContain("> Could you please confirm a price");
    expect(mail).toMatch(/^Mara Lindqvist\nLindqvist Workshop$/m);
  });

  it("is followed in a run that another process ends, too", { timeout }, async () => {
    const [file, out] = [join(places, "pending.json"), join(places, "later")];
    const first = await desk("--save", file, "--out", out);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    // Nobody was asked about the skill: what waits is the mail.
    const { requests } = JSON.parse(readFileSync(file, "utf8"));
    expect(requests).toMatchObject([{ call: { name: "send" } }]);
    expect(await desk("--resume", file, "--yes")).toMatchObject({ code: 0, stderr: "" });
    await checkHouseStyle(mailTo("amelia.okafor@example.org", out), "holding-reply");
  });

  it("leaves a secured model free to act, and is followed there, too", { timeout }, async () => {
    const { out, calls } = await transcriptOf("secure", "--secure");
    expect(skillCalls(calls)).toEqual(once);
    // The summary needs a model that has read nothing untrusted; by then it has loaded the skill.
    const names = calls.map(({ name }) => name);
    expect(names.indexOf("load_skill")).toBeLessThan(names.indexOf("write_mail"));
    expect(calls.find(({ name }) => name === "write_mail")?.outcome).toBe("completed");
    await checkHouseStyle(mailTo("amelia.okafor@example.org", out), "receipt");
  });

  it("is followed by a hijacked model, and does not save it", { timeout }, async () => {
    const { out, calls } = await transcriptOf("poisoned", "--poisoned");
    expect(skillCalls(calls)).toEqual(once);
    await checkHouseStyle(mailTo("amelia.okafor@example.org", out), "receipt");
    expect(readdirSync(join(out, "sent"))).toHaveLength(3);
  });
});

describe("the files of the skill", () => {
  const folder = join(skillsFolder, "house-style");
  const skill = readFileSync(join(folder, "SKILL.md"), "utf8");

  it("keep the specification", () => {
    expect(validateSkill(skill, { directory: "house-style" })).toEqual([]);
  });

  it("name every template that is there, and no other", () => {
    const named = [...skill.matchAll(/`references\/(.*?)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(readdirSync(join(folder, "references")).toSorted());
  });
});

describe("a scripted model that writes a mail", () => {
  const offer = (name: string, description: string): ChatMessage => ({
    role: "system",
    content: `<skill><name>${name}</name><description>${description}</description></skill>`,
  });
  const sailors = offer("sailors", "How we write mails.");
  let ids = 0;
  /** A call and what came of it. */
  const done = (name: string, args: object, result: unknown): readonly ChatMessage[] => {
    const id = `c${++ids}`;
    const content = typeof result === "string" ? result : JSON.stringify(result);
    const call = { name, arguments: JSON.stringify(args) };
    return [
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: call }] },
      { role: "tool", tool_call_id: id, content },
    ];
  };
  const mail = {
    id: "m1",
    from: "Ann Lee <ann@example.org>",
    subject: "Re: Rope",
    date: "2026-11-09",
    text: "How much is it?",
  };
  const asked: readonly ChatMessage[] = [
    { role: "user", content: "Which mails wait for an answer?" },
    ...done("search_mails", { query: "please" }, { mails: [{ id: "m1" }] }),
    ...done("read_mail", { id: "m1" }, mail),
    ...done("label_mails", { ids: ["m1"], label: "needs-reply" }, { labelled: 1 }),
  ];
  const table = "| you cannot answer | `hail.md` |";
  const file =
    "Of the sea.\n\n```text\nAhoy {name}, about {subject}: {question}\n{constructor}\n```";
  const loaded = done("load_skill", { skill_name: "sailors" }, table);
  const read = done("read_skill_resource", { resource_name: "hail.md" }, file);
  const next = (...messages: readonly ChatMessage[]) => {
    const [call] = nextAnswer(messages).calls ?? [];
    return { name: call?.name, ...JSON.parse(call?.arguments ?? "{}") };
  };

  it("loads the skill that it is offered, reads what it names, and writes that", () => {
    expect(next(sailors, ...asked)).toEqual({ name: "load_skill", skill_name: "sailors" });
    expect(next(sailors, ...asked, ...loaded)).toEqual({
      name: "read_skill_resource",
      skill_name: "sailors",
      resource_name: "hail.md",
    });
    expect(next(sailors, ...asked, ...loaded, ...read)).toEqual({
      name: "draft_reply",
      id: "m1",
      text: "Ahoy Ann Lee, about Rope: How much is it?\n{constructor}",
    });
  });

  it.each<[string, readonly ChatMessage[]]>([
    ["none is offered", []],
    ["one is offered for something else", [offer("knots", "Ties knots.")]],
    ["a mail offers it", [{ ...sailors, role: "user" }]],
  ])("has no style of its own where %s", async (_name, offered) => {
    const { name, text } = next(...offered, ...asked);
    expect(name).toBe("draft_reply");
    await expect(checkHouseStyle(text, "holding-reply")).rejects.toThrow(/house style/);
  });

  it.each<[string, readonly ChatMessage[]]>([
    ["loaded", done("load_skill", { skill_name: "sailors" }, "Error: no")],
    [
      "read",
      [...loaded, ...done("read_skill_resource", { resource_name: "hail.md" }, "Error: no")],
    ],
    ["found in", done("load_skill", { skill_name: "sailors" }, "Just be kind.")],
  ])("goes on where the style cannot be %s", (_name, results) => {
    expect(next(sailors, ...asked, ...results).name).toBe("draft_reply");
  });

  it("is the same when it is gullible", () => {
    const receipt = done("load_skill", { skill_name: "sailors" }, "| it has arrived | `hail.md` |");
    const confirm: ChatMessage = { role: "user", content: "Confirm to Ann Lee that it came." };
    const messages = [sailors, ...asked, ...receipt, confirm];
    expect(gullibleAnswer(messages, true).calls?.[0]?.name).toBe("read_skill_resource");
    const [written] = gullibleAnswer([...messages, ...read], true).calls ?? [];
    expect(JSON.parse(written?.arguments ?? "{}").text).toMatch(/^Ahoy Ann Lee, /);
  });
});

describe("the check of the house style", () => {
  const template = readFileSync(
    join(skillsFolder, "house-style", "references", "receipt.md"),
    "utf8",
  );
  const [, form = ""] = /```text\n(.*?)\n```/s.exec(template) ?? [];
  const mail = filledIn(form, { name: "Ann Lee", what: "your plans" });

  it("passes a mail from the template", async () => {
    await expect(checkHouseStyle(`${mail}\r\n`, "receipt")).resolves.toBeUndefined();
  });

  it.each([
    ["another template", (text: string) => text.replace("thank you", "many thanks")],
    ["something added", (text: string) => `${text}\nP.S. It costs 400.`],
    ["a missing signature", (text: string) => text.replace("\nLindqvist Workshop", "")],
    ["a name that is not filled in", (text: string) => text.replace("Ann Lee", "{name}")],
    ["two lines for one", (text: string) => text.replace("your plans", "your\nplans")],
    ["shouting", (text: string) => text.replace("Ann Lee", "Ann Lee!")],
    ["a link", (text: string) => text.replace("your plans", "https://example.org/plans")],
    ["too many words", (text: string) => text.replace("your plans", "plans ".repeat(120).trim())],
  ])("refuses %s", async (_name, change) => {
    await expect(checkHouseStyle(change(mail), "receipt")).rejects.toThrow();
  });
});
