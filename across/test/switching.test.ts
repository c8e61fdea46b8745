import { Agent, AgentSession, approve, type FunctionTool, tool } from "@tunic/core";
import type { WireFormat } from "@tunic/testing/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clients } from "./clients.js";
import { FourServices, secrets, thoughts } from "./four-services.js";

let services: FourServices;

beforeEach(async () => {
  services = await FourServices.start();
});

afterEach(() => services.stop());

const formats = Object.keys(clients) as readonly WireFormat[];

const lampThat = (approvalMode: "never_require" | "always_require"): FunctionTool =>
  tool({
    name: "lamps.switch on",
    description: "Switches a lamp on.",
    parameters: {
      type: "object",
      properties: { room: { type: "string" }, level: { type: "integer" } },
      required: ["room"],
    },
    approvalMode,
    execute: ({ room }) => `The lamp of the ${room} is on.`,
  });
const lamp = lampThat("never_require");
const askedLamp = lampThat("always_require");

function agentFor(format: WireFormat, tools = lamp): Agent {
  return new Agent({ client: clients[format].create(services.address), tools });
}

/** As a program that ends after each turn. */
function restored(session: AgentSession): AgentSession {
  return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
}

/** No service has refused anything, or seen what is another one's. */
function expectValid(): void {
  for (const { format, body, problems } of services.requests) {
    expect({ format, problems }).toEqual({ format, problems: [] });
    const text = JSON.stringify(body);
    for (const other of formats.filter((each) => each !== format)) {
      for (const mark of [...secrets[other], thoughts[other]])
        expect(text, `${format} was sent what is ${other}'s`).not.toContain(mark);
    }
  }
}

describe("a conversation that changes its service", () => {
  const orders = permutations(formats);

  it.each(orders.map((order) => [order.join(" → "), order] as const))(
    "%s, and back",
    async (_title, order) => {
      let session = new AgentSession();
      for (const format of [...order, ...order]) {
        const response = await agentFor(format).run("Switch the lamps on.", { session });
        expect(response.text).toBe(`Done by ${format}.`);
        session = restored(session);
      }
      expectValid();
      const last = new Map(
        services.requests.map(({ format, body }) => [format, JSON.stringify(body)]),
      );
      for (const format of order) {
        for (const mark of secrets[format])
          expect(last.get(format), `${format} wants this back`).toContain(mark);
      }
    },
  );
});

describe("a turn that another service ends", () => {
  const pairs = formats.flatMap((from) => formats.map((to) => [from, to] as const));

  it.each(pairs)("%s makes the calls, and %s gets their results", async (from, to) => {
    const session = new AgentSession();
    const asked = await agentFor(from, askedLamp).run("Switch the lamps on.", { session });
    expect(asked.outcome).toBe("paused");
    const later = restored(session);
    const answers = later.pending.map((request) => approve(request));
    const response = await agentFor(to, askedLamp).run(answers, { session: later });
    expect(response.text).toBe(`Done by ${to}.`);
    expectValid();
  });
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
