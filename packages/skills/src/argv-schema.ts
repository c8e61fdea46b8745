/** What a script in a file takes: words of a command line. */
export const argvSchema = {
  type: "object",
  properties: {
    argv: { type: "array", items: { type: "string" }, description: "Words of the command line." },
  },
  additionalProperties: false,
  examples: [{ argv: ["--name", "value"] }],
} as const;
