/**
 * The program under test of the suite's server scenarios: the tools that they call, served with `serveTools()` over HTTP
 * on the loopback address. Writes where to standard output, and ends when its input does.
 */
import { serveTools } from "../src/server.js";
import { asksClient } from "./tools/asks-client.js";
import { asksInput } from "./tools/asks-input.js";
import { changesTools, served } from "./tools/changes-tools.js";
import { givesContents } from "./tools/gives-contents.js";
import { takesArguments } from "./tools/takes-arguments.js";

const all = [...givesContents, ...takesArguments, ...asksClient, ...asksInput];
const server = await serveTools(
  () => [...all, ...changesTools(() => server.toolsChanged()), ...served()],
  {
    name: "conformance",
    version: "1.0.0",
    transport: { http: {} },
    // What is refused is the suite's doing; the runs' own failures are told.
    onError: (error) => process.stderr.write(`${String(error)}\n`),
  },
);
process.stdout.write(`${server.url}\n`);
process.stdin.once("end", () => void server.close());
process.stdin.resume();
