import { type FunctionTool, tool } from "@tunic/core";

const added: FunctionTool[] = [];

/** What has been added while the server runs. */
export function served(): readonly FunctionTool[] {
  return added;
}

/** A tool that adds others. */
export function changesTools(tell: () => Promise<void>): readonly FunctionTool[] {
  return [
    tool({
      description: "For the suite.",
      name: "test_trigger_tool_change",
      async execute() {
        added.push(
          tool({
            description: "For the suite.",
            name: `added_${added.length}`,
            execute: () => "Added.",
          }),
        );
        await tell();
        return "There is one more.";
      },
    }),
  ];
}
