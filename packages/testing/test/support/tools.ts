import { tool } from "@tunic/core";

/** A tool that does one thing well: it says what it was told. */
export const lamp = tool({
  name: "lamp",
  description: "Switches the lamp of a room.",
  parameters: {
    type: "object",
    properties: { room: { type: "string" } },
    required: ["room"],
  },
  execute: ({ room }) => `${room} lit`,
});

/** A tool without arguments that always throws. */
export const broken = tool({
  name: "broken",
  description: "Fails.",
  execute: () => {
    throw new Error("the fuse is blown");
  },
});

/** A tool without arguments that always works. */
export const ping = tool({ name: "ping", description: "Answers.", execute: () => "pong" });

/** A tool that runs on the caller's side. */
export const ask = tool({ name: "ask", description: "Asks the person." });

/** A call of {@link lamp}. */
export function lampIn(room: string, id?: string) {
  return { name: "lamp", arguments: { room }, ...(id !== undefined && { id }) };
}
