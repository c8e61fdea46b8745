import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Why servers that are programs for one kind of machine do not run here, where they do not. */
export const noNativeServers =
  process.platform === "linux" && process.arch === "x64" ? undefined : "needs Linux on x64";

/** A server written in Go, for calculating with time. */
export const goServer = { command: require.resolve("mcp-time-linux-x64/bin/mcp-time") };

/** A server written in Rust, for calendars, of which there are none here, and calculating with time. */
export const rustServer = {
  command: require.resolve("@temporal-cortex/cortex-mcp-linux-x64/bin/cortex-mcp"),
};
