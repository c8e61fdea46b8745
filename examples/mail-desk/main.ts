import { relative } from "node:path";
import { carryOut, type Outcome } from "./carry-out.js";
import { checkPoisonedRun } from "./check-poisoned-run.js";
import { checkScriptedRun } from "./check-run.js";
import { type Command, help, isScriptedRun, readCommandLine, UsageError } from "./command-line.js";
import { describeFailure } from "./describe-failure.js";
import { turnsOf } from "./desk.js";
import { flowRemarks } from "./flow-remarks.js";
import { openModel } from "./open-model.js";
import { RunReport } from "./run-report.js";
import { describeStrayMails, strayMails } from "./stray-mails.js";
import { openTask, type Task } from "./task.js";
import { transcript } from "./transcript.js";

const stop = new AbortController();
process.once("SIGINT", () => {
  process.exitCode = 130;
  stop.abort(new Error("Interrupted."));
});
// `| head -1` closes the pipe when it has seen enough; nobody is left to tell.
process.stdout.on("error", () => process.exit());

try {
  const terminal = process.stdin.isTTY === true;
  const command = readCommandLine(process.argv.slice(2), process.env, terminal);
  if (command === undefined) process.stdout.write(help);
  else await run(command);
} catch (error) {
  process.exitCode ??= error instanceof UsageError ? 2 : 1;
  console.error(describeFailure(error));
}

async function run(command: Command): Promise<void> {
  const { json } = command;
  const print = (text: string): void => {
    if (!json) process.stdout.write(text);
  };
  const task = await openTask(command.start);
  const { folder } = task;
  const model = await openModel(task.choice, task.desk);
  try {
    print(`Mail desk with ${model.description}\n`);
    print(describeTask(task));
    const remarks = task.desk === "secure" ? flowRemarks(task.session) : undefined;
    const report = new RunReport(print, task.session.paused?.iterations, remarks);
    const sentBefore = folder.outbox.sent.length;
    // With --json, stdout is for a program; a person is asked beside it.
    const output = json ? process.stderr : process.stdout;
    const show = { print, output, signal: stop.signal };
    let end: Outcome = { responses: [], decisions: [] };
    for (const { question, agent, note } of turnsOf(task, model.client)) {
      print(`\n${note === undefined ? "" : `${note}\n\n`}${question}\n\n`);
      end = both(
        end,
        await carryOut({ ...task, question }, agent, report, { ...command, ...show }),
      );
      if (end.responses.at(-1)?.outcome !== "completed") break;
    }

    print("\n");
    report.summary();
    if (end.saved !== undefined) print(howToGoOn(shortPath(end.saved)));
    else if (command.save !== undefined) print("Nothing waits for an answer: nothing was saved.\n");
    else await printOutlook(task, print);
    if (json) process.stdout.write(transcript(task, report, end));
    if (!isScriptedRun(task)) return;
    if (task.desk === "careful") await checkScriptedRun(report, end, task, sentBefore);
    else await checkPoisonedRun(report, end, task);
  } finally {
    await model.close();
  }
}

function both(before: Outcome, after: Outcome): Outcome {
  return {
    ...after,
    responses: [...before.responses, ...after.responses],
    decisions: [...before.decisions, ...after.decisions],
  };
}

/** What came of an attack, and what to look at next. */
async function printOutlook(
  { desk, standard, choice, folder }: Task,
  print: (text: string) => void,
): Promise<void> {
  if (!standard) return;
  if (desk !== "careful") print(`\n${describeStrayMails(await strayMails(folder))}`);
  if (choice.provider !== "scripted" || desk === "secure") return;
  const lines = [
    ...(desk === "careful" ? ["--poisoned   a model that believes a poisoned mail"] : []),
    "--secure     the same model and mails, with information flow control",
  ];
  print(`\nSee next:\n${lines.map((line) => `  npm run demo -- ${line}\n`).join("")}`);
}

function describeTask({ folder, mail, resumed }: Task): string {
  const from = mail === undefined ? "" : ` in ${shortPath(mail)}`;
  return [
    `${folder.mails.length} mails${from}; labels, drafts and what is sent go to ${folder.copy}`,
    ...folder.unreadable.map((file) => `not readable: ${file}`),
    ...(resumed === undefined ? [] : [`The run of ${shortPath(resumed)} goes on.`]),
    "",
  ].join("\n");
}

function howToGoOn(file: string): string {
  const command = `npm run demo -- --resume ${/^[\w./-]+$/.test(file) ? file : JSON.stringify(file)}`;
  return `
The run waits for an answer. It stands in ${file}, and goes on with
  ${command}         which asks in a terminal,
  ${command} --yes   or
  ${command} --no
`;
}

/** A path as a person would write it here. */
function shortPath(path: string): string {
  const way = relative("", path);
  return way === "" || way.startsWith("..") ? path : way;
}
