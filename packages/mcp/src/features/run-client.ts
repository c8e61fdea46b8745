import { type ChatClient, createStateKey } from "@tunic/core";

/** The model of a run, for servers that ask one while they work for it. */
export const runClient = createStateKey<ChatClient | undefined>("mcp:client", () => undefined);
