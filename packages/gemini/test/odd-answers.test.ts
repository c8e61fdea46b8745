import { expect, it } from "vitest";
import { answer, askBothWays, askStreamed, stop } from "./build.js";
import { either, wireServer } from "./wire-server.js";

it.each(["constructor", "toString", "__proto__"])(
  "a reason that is called %s is kept as it is",
  async (reason) => {
    const end = stop([{ text: "hi" }], reason);
    await using server = await wireServer(either(end), either(end));
    expect(await askBothWays(server.client())).toMatchObject({ finishReason: reason });
  },
);

it("counts below zero give nothing back", async () => {
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: -1000,
    thoughtsTokenCount: -1,
  };
  const end = answer([{ text: "hi" }], "STOP", { usageMetadata });
  await using server = await wireServer(either(end), either(end));
  const { usage } = await askBothWays(server.client());
  expect(usage).toEqual({ inputTokens: 5, outputTokens: 0, totalTokens: 5 });
});

it("a call whose arguments are put together too deep is refused, and others run", async () => {
  const jsonPath = `$${".a".repeat(20_000)}`;
  const broken = { name: "lamp", partialArgs: [{ jsonPath, boolValue: true }] };
  await using server = await wireServer(
    either(answer([{ functionCall: broken }]), stop([{ functionCall: { name: "lamp" } }])),
  );
  const { response } = await askStreamed(server.client());
  expect(response.messages[0]?.contents).toMatchObject([
    { parseError: expect.stringContaining("too deep") },
    { arguments: {} },
  ]);
});
