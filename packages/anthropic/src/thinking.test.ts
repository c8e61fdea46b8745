import type { ChatOptions, JsonObject, Message } from "@tunic/core";
import { describe, expect, test, vi } from "vitest";
import { call, functionTool, message, result, settings } from "../test/build.js";
import { thinkingMembers } from "./thinking.js";
import { toAnthropicRequest } from "./to-anthropic-request.js";

const tools = [functionTool("lamp")];
const enabled = (budget_tokens: number): JsonObject => ({
  thinking: { type: "enabled", budget_tokens },
});
const params = (
  anthropic: JsonObject,
  options: ChatOptions = {},
  messages: readonly Message[] = [message("user", "hi")],
) =>
  toAnthropicRequest(
    { messages, options: { ...options, providerOptions: { anthropic } } },
    settings(),
  ).params;
const refused = (text: string | RegExp) =>
  expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(text) });

describe("thinking with a budget", () => {
  test.each<ChatOptions["toolChoice"]>(["required", { name: "lamp" }])(
    "and a forced tool (%j) is refused before the request",
    (toolChoice) => {
      expect(() => params(enabled(2000), { tools, toolChoice })).toThrow(refused("toolChoice"));
      expect(params({ thinking: { type: "adaptive" } }, { tools, toolChoice })).toMatchObject({
        thinking: { type: "adaptive" },
      });
    },
  );

  test.each<ChatOptions["toolChoice"]>(["auto", "none", { allowed: ["lamp"] }])(
    "goes with %j",
    (toolChoice) => {
      expect(params(enabled(2000), { tools, toolChoice })).toMatchObject(enabled(2000));
    },
  );

  test("has to leave tokens for the answer", () => {
    expect(() => params(enabled(2000), { maxTokens: 2000 })).toThrow(refused(/2000.*maxTokens/));
    expect(params(enabled(2000), { maxTokens: 2001 }).max_tokens).toBe(2001);
    expect(() => params(enabled(1023))).toThrow(refused("1024"));
  });

  test("may go beyond max_tokens where it is interleaved with calls", () => {
    const betas = ["interleaved-thinking-2025-05-14"];
    expect(params({ ...enabled(3000), betas }, { maxTokens: 2000, tools })).toMatchObject({
      max_tokens: 2000,
    });
  });

  test("raises the default of a model that is not known", () => {
    expect(params(enabled(10_000), { model: "somebody-elses" }).max_tokens).toBe(14_096);
    expect(params(enabled(2000), { model: "somebody-elses" }).max_tokens).toBe(4096);
  });

  test("is off while calls are answered that were made without it, with a notice", () => {
    const notice = vi.fn();
    const about = (...messages: readonly Message[]) => {
      const { params } = toAnthropicRequest({ messages, options: {} }, settings());
      const asked = {
        model: "m",
        thinking: enabled(2000)["thinking"],
        maxTokens: 3000,
        toolChoice: undefined,
        betas: [],
        messages: params.messages,
      };
      return thinkingMembers(asked, notice);
    };
    const question = message("user", "go");
    const results = message("tool", result("c1", "on"));
    const signed = {
      type: "text_reasoning",
      text: "hm",
      providerData: { anthropic: { signature: "S" } },
    } as const;
    expect(about(question, message("assistant", signed, call("c1")), results)).toEqual({
      max_tokens: 3000,
    });
    expect(about(question, message("assistant", call("c1")), results, question)).toMatchObject({
      thinking: { type: "disabled" },
    });
    expect(notice).toHaveBeenCalledExactlyOnceWith("thinking_off", expect.any(String));
    const over = [question, message("assistant", call("c1")), results, message("assistant", "ok")];
    expect(about(...over, question)).toEqual({ max_tokens: 3000 });
  });
});
