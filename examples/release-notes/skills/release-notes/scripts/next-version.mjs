/**
 * The next version, and commits in groups.
 *
 *   node next-version.mjs <last version> <commit message> …
 *
 * Prints JSON. Exits with 2, and a line on stderr, for arguments that it does not understand.
 */
const [last = "", ...messages] = process.argv.slice(2);

const numbers = /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(last)?.slice(1).map(Number);
if (numbers === undefined) fail(`"${last}" is no version; write one such as 1.4.2 first.`);
if (messages.length === 0) fail("There are no commit messages; write each as a word of its own.");

const groups = { breaking: [], features: [], fixes: [], other: [] };
const groupOfType = { feat: "features", fix: "fixes", perf: "fixes" };
for (const message of messages) {
  const { group, entry } = read(message);
  groups[group].push(entry);
}
console.log(JSON.stringify({ version: next(numbers), ...groups }, undefined, 2));

/** Takes a commit message apart, as Conventional Commits 1.0.0 has it. */
function read(message) {
  const [subject = ""] = message.trim().split(/\r?\n/, 1);
  const match = /^(\w+)(?:\(([^()]+)\))?(!)?: +(.+)$/.exec(subject);
  if (match === null) return { group: "other", entry: { text: subject } };
  const [, type, scope, mark, text] = match;
  const footer = /^BREAKING[ -]CHANGE: +(.+)$/m.exec(message)?.[1];
  const entry = { ...(scope && { scope }), text: footer ?? text };
  if (mark !== undefined || footer !== undefined) return { group: "breaking", entry };
  const known = type.toLowerCase();
  const group = Object.hasOwn(groupOfType, known) ? groupOfType[known] : "other";
  return { group, entry: { ...entry, text } };
}

/** By Semantic Versioning 2.0.0; before 1.0.0 everything counts one place less. Null: nothing to release. */
function next([major, minor, patch]) {
  const steps = [`${major + 1}.0.0`, `${major}.${minor + 1}.0`, `${major}.${minor}.${patch + 1}`];
  const [breaking, feature, fix] = major > 0 ? steps : [steps[1], steps[2], steps[2]];
  if (groups.breaking.length > 0) return breaking;
  if (groups.features.length > 0) return feature;
  return groups.fixes.length > 0 ? fix : null;
}

function fail(reason) {
  console.error(reason);
  process.exit(2);
}
