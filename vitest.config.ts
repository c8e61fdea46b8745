export { default } from "./vitest.workspace.js";
