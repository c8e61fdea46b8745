// A program that runs another one in a sandbox, so that a test can end it meanwhile.
import { processSandbox } from "../../src/node.js";
import { report } from "./reporting-program.js";

const port = Number(process.argv[2]);
await processSandbox().run({ program: process.execPath, args: ["-e", report(port)] });
