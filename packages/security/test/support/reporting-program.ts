/** A program of Node that reports and lives on, until it is told to end or let go of. */
export function report(port: number, more = ""): string {
  return `const socket = require("net").connect(${port}, "127.0.0.1"); socket.on("close", () => process.exit(0)); ${more}`;
}
