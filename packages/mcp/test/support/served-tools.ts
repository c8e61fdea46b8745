import { tool } from "@tunic/core";

/** The files that were deleted, so to speak. */
export const ran: string[] = [];
export const add = tool({
  name: "add",
  title: "Addition",
  description: "Adds.",
  readOnly: true,
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a + b,
});
/** Asks first. */
export const wipe = tool({
  name: "wipe",
  description: "Deletes a file.",
  destructive: true,
  approvalMode: "always_require",
  parameters: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
  execute: ({ file }) => {
    ran.push(file);
    return `wiped ${file}`;
  },
});
