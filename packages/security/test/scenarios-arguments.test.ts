import { describe, expect, it } from "vitest";
import { explain } from "../src/index.js";
import { call, inBothManners, ref, World, type WorldOptions } from "./support/world.js";

const iban = "DE00 EVIL 0000";
const bill = { iban, amount: 12, text: "Please pay soon." };

/** A bill in a file, and a way to pay it. */
const bank = {
  tools: {
    read_file: { takes: ["path"], gives: bill },
    send_money: {
      takes: {
        recipient: { type: "string" },
        amount: { type: "number" },
        subject: { type: "string" },
      },
    },
  },
  policy: {
    read_file: { effects: ["read"] },
    send_money: {
      effects: ["consequential"],
      arguments: { recipient: { integrity: "trusted" }, amount: { integrity: "trusted" } },
    },
  },
} satisfies Partial<WorldOptions>;

describe("S1 pay the bill: data that becomes an argument", () => {
  inBothManners(
    "S1: a guarded argument takes nothing untrusted, though the context is clean",
    async (make) => {
      const world = make({
        ...bank,
        turns: [
          call("read_file", { path: "bill.txt" }),
          call("send_money", { recipient: ref("v1.iban"), amount: 12, subject: "bill" }),
          "I could not pay.",
        ],
      });
      const response = await world.say("Pay bill.txt.");
      expect(world.verdicts).toEqual(["read_file: run", "send_money: deny trusted_argument"]);
      expect(world.ran.map(({ tool }) => tool)).toEqual(["read_file"]);
      expect(response.outcome).toBe("completed");
      expect(response.text).toBe("I could not pay.");
      expect(world.sees(iban)).toBe(false);
    },
  );

  inBothManners("S1: the free argument takes it, and the tool gets the value", async (make) => {
    const world = make({
      ...bank,
      turns: [
        call("read_file", { path: "bill.txt" }),
        call("send_money", { recipient: "CH11", amount: 12, subject: ref("v1.text") }),
        "Paid.",
      ],
    });
    await world.say("Pay 12 to CH11, with the text of the bill.");
    expect(world.verdicts).toEqual(["read_file: run", "send_money: run"]);
    expect(world.ran.at(-1)?.arguments).toEqual({
      recipient: "CH11",
      amount: 12,
      subject: bill.text,
    });
    expect(world.sees(bill.text)).toBe(false);
  });

  it("S1: who asks why is shown the argument and where its value comes from", async () => {
    const world = new World({
      ...bank,
      turns: [
        call("read_file", { path: "bill.txt" }),
        call("send_money", { recipient: ref("v1.iban"), amount: 12 }),
        "no",
      ],
    });
    await world.say("Pay bill.txt.");
    const [, second] = world.session.messages.flatMap(({ contents }) =>
      contents.flatMap((content) => (content.type === "function_call" ? [content.callId] : [])),
    );
    expect(explain(world.session, second ?? "")).toMatchObject({
      verdict: "deny",
      violations: [
        {
          rule: "trusted_argument",
          argument: "recipient",
          origin: { variable: "v1", tool: "read_file", path: "iban" },
        },
      ],
      remedies: ["extract", "endorse", "ask"],
    });
  });

  inBothManners(
    "S1: in mode approve the person sees the value, its origin and the rule",
    async (make) => {
      const world = make({
        ...bank,
        mode: "approve",
        turns: [
          call("read_file", { path: "bill.txt" }),
          call("send_money", { recipient: ref("v1.iban"), amount: 12 }),
        ],
      });
      const { approvalRequests } = await world.say("Pay bill.txt.");
      expect(approvalRequests).toHaveLength(1);
      const [request] = approvalRequests;
      expect(request?.effective).toEqual({ recipient: iban, amount: 12 });
      expect(request?.violation).toBe("trusted_argument");
      expect(request?.reason).toContain("read_file, iban");
      expect(request?.summary).toContain(`⟦untrusted, from read_file: ${iban}⟧`);
      expect(world.ran.map(({ tool }) => tool)).toEqual(["read_file"]);
    },
  );
});
