import { Agent, tool, type Verdict, verdictMiddleware } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { resultTexts } from "./support/outline.js";

const page = tool({ name: "page", parameters: { type: "object" } });

/** A run in which the model calls a tool that the caller runs, and a handler has its say. */
async function calls(verdict: Verdict) {
  const judged: string[] = [];
  const judge = verdictMiddleware("judge", async ({ call }) => {
    judged.push(call.name);
    return verdict;
  });
  const client = new ScriptedChatClient([{ calls: [{ name: "page" }] }, "done"]);
  const response = await new Agent({ client, tools: page, middleware: [judge] }).run("go");
  return { judged, open: response.openCalls.length, texts: resultTexts(response.messages) };
}

describe("calls of tools that the caller runs", () => {
  it("are judged by the handlers, too", async () => {
    expect(await calls({ kind: "run" })).toEqual({ judged: ["page"], open: 1, texts: [] });
  });

  it("go back to the caller where somebody should be asked: the caller can ask", async () => {
    expect(await calls({ kind: "ask", reason: "odd" })).toMatchObject({ open: 1 });
  });

  it("are not handed out when they are denied, or would break a rule", async () => {
    expect(await calls({ kind: "deny", message: "not run: no" })).toMatchObject({
      open: 0,
      texts: ["Error: not run: no"],
    });
    expect(await calls({ kind: "ask", violation: "trusted_call" })).toMatchObject({
      open: 0,
      texts: [
        "Error: not run: a rule would be broken (trusted_call), and nobody can be asked here.",
      ],
    });
  });
});
