#!/usr/bin/env node
import { runCli } from "./node/run-cli.js";

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});
