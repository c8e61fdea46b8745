// Checks of what a chat client sends: nothing of vitest, so that any test runner can use them.

export { type WireFormat, wireProblems } from "./wire/wire-problems.js";
