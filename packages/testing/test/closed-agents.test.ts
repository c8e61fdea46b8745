import { Agent, type ContextProvider } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";

class Held implements ContextProvider {
  readonly instructions = "held";
  open = true;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async close() {
    this.open = false;
    if (this.name === "broken") throw new Error("cannot");
  }
}

describe("agent.close", () => {
  const agentWith = (contextProviders: readonly ContextProvider[]) =>
    new Agent({ client: new ScriptedChatClient([]), contextProviders });

  it("closes what providers hold, each as the object it is", async () => {
    const held = [new Held("a"), new Held("b")];
    await agentWith([...held, { name: "plain", instructions: "nothing to close" }]).close();
    expect(held.map(({ open }) => open)).toEqual([false, false]);
  });

  it("closes the others when one cannot be closed, and tells", async () => {
    const held = [new Held("broken"), new Held("b")];
    const closing = agentWith(held).close();
    await expect(closing).rejects.toThrow(AggregateError);
    await expect(closing).rejects.toMatchObject({ errors: [new Error("cannot")] });
    expect(held.map(({ open }) => open)).toEqual([false, false]);
  });

  it("has nothing to do without providers", async () => {
    await expect(agentWith([]).close()).resolves.toBeUndefined();
  });
});
