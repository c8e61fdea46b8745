import { describe, expect, it } from "vitest";
import { schemaProblems } from "./published-schema.js";

describe("schemaProblems", () => {
  it("says of a part of a known kind what that kind lacks, and nothing of the other kinds", () => {
    const item = { type: "function_call", call_id: "a", name: "lamp" };
    expect(schemaProblems("openai-responses", { model: "m", input: [item] })).toContain(
      "input[0]: must have required property 'arguments'",
    );
    const content = [{ type: "text" }];
    const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content }] };
    expect(schemaProblems("anthropic", body)).toContain(
      "messages[0].content[0]: must have required property 'text'",
    );
    expect(schemaProblems("anthropic", body).join()).not.toContain("signature");
  });

  it("names the member that is not the vendor's", () => {
    const body = { contents: [{ role: "user", parts: [{ txt: "hi" }] }] };
    expect(schemaProblems("gemini", body)).toEqual([
      'contents[0].parts[0]: must NOT have additional properties ("txt")',
    ]);
  });

  it("tells a few problems of a body in which all is wrong", () => {
    const content = Array.from({ length: 50 }, (_, at) => ({ type: "image", at }));
    const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content }] };
    expect(schemaProblems("anthropic", body).length).toBeLessThanOrEqual(8);
  });

  it.each(["openai-chat", "openai-responses", "anthropic", "gemini"] as const)(
    "%s: something that is no object is no body",
    (name) => {
      for (const body of [undefined, null, "x", []]) {
        expect(schemaProblems(name, body)).not.toEqual([]);
      }
    },
  );

  it("takes an MCP approval without the member that is required but not described", () => {
    const input = [{ type: "mcp_approval_response", approval_request_id: "a", approve: true }];
    expect(schemaProblems("openai-responses", { model: "m", input })).toEqual([]);
  });
});
