/**
 * An answer as a value: the schema goes in with the run, `response.value` comes out with its type,
 * and a bad answer is an error that the program can act on.
 */
import assert from "node:assert/strict";
import { Agent, AgentSession, StructuredOutputError } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import * as z from "zod";

const Invoice = z.object({
  number: z.string(),
  total: z.number().positive(),
  due: z.iso.date().optional(),
});

// A model that gets it wrong first. A real one is replaced in this one line.
const client = new ScriptedChatClient([
  '{"number":"A-17","total":"one hundred"}',
  '{"number":"A-17","total":120,"due":null}',
]);
const agent = new Agent({
  client,
  instructions: "Read the invoice.",
  options: { temperature: 0 },
});
const options = { responseFormat: { type: "json_schema", schema: Invoice } } as const;
const session = new AgentSession();

/** Asks, and once more with what was wrong with the first answer. */
async function read(text: string): Promise<z.infer<typeof Invoice>> {
  const first = await agent.run(text, { session, options });
  try {
    return first.value;
  } catch (error) {
    if (!(error instanceof StructuredOutputError)) throw error;
    console.log("The first answer:", error.message);
    const second = await agent.run(`That was wrong: ${error.message}`, { session, options });
    return second.value;
  }
}

const invoice = await read("Invoice A-17, 120 euros.");
console.log(invoice);
assert.deepEqual(invoice, { number: "A-17", total: 120 });
