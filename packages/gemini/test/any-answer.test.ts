import type { Content as WireContent } from "@google/genai";
import { type ChatResponse, foldUpdates, ResponseBuilder, type Update } from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { AnswerReader } from "../src/from-gemini.js";
import { toGeminiContents } from "../src/index.js";
import { answer, message, parts as partsOf, stop, stored } from "./build.js";
import { joined } from "./wire-server.js";

type WirePart = Record<string, unknown>;

const signature = fc.constantFrom("VDE=", "VDI=", "VDM=");
const signed = (part: Arbitrary<WirePart>): Arbitrary<WirePart> =>
  fc
    .tuple(part, fc.option(signature, { nil: undefined }))
    .map(([each, thoughtSignature]) =>
      thoughtSignature === undefined ? each : { ...each, thoughtSignature },
    );

/** Parts as the service sends them. */
const part: Arbitrary<WirePart> = fc.oneof(
  signed(
    fc
      .tuple(
        fc.constantFrom("lamp", "gauge"),
        // JSON knows no -0.
        fc
          .jsonValue({ maxDepth: 2 })
          .map((value): typeof value => JSON.parse(JSON.stringify(value))),
        fc.boolean(),
        fc.nat(99),
      )
      .map(([name, value, hasId, id]) => ({
        functionCall: { name, args: { value }, ...(hasId && { id: `fc_${id}` }) },
      })),
  ),
  signed(fc.constantFrom({ text: "One. " }, { text: "Two " }, { text: "🦊" })),
  signature.map((thoughtSignature) => ({ text: "", thoughtSignature })),
  signed(fc.constant({ text: "Hm.", thought: true })),
  signed(fc.constant({ executableCode: { language: "PYTHON", code: "1" } })),
  signed(fc.constant({ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } })),
  signed(fc.constant({ toolCall: { id: "t1", toolType: "URL_CONTEXT", args: { a: [1] } } })),
  signed(fc.constant({ toolResponse: { id: "t1", toolType: "URL_CONTEXT", response: {} } })),
  signed(fc.constant({ inlineData: { mimeType: "image/png", data: "aGk=" } })),
  fc.constant({ newKind: { deep: true } }),
);

async function read(chunks: readonly object[], onUpdate?: (update: Update) => void) {
  const builder = new ResponseBuilder({ messages: [], options: {}, ...(onUpdate && { onUpdate }) });
  const reader = new AnswerReader(builder);
  for (const chunk of chunks) await reader.read(chunk);
  return await reader.finish({ streamed: onUpdate !== undefined });
}

/** What must go back of the parts of an answer: unsigned thoughts are for people only. */
function toReplay(parts: readonly WirePart[]): readonly WirePart[] {
  const replayed: WirePart[] = [];
  let open: WirePart | undefined;
  for (const each of parts) {
    if (each["thought"] === true) {
      open = undefined;
      if ("thoughtSignature" in each) replayed.push({ ...each, text: "" });
      continue;
    }
    const isPlain = "text" in each && !("thoughtSignature" in each);
    // Neighbouring texts without a signature are one text: how a stream cuts them says nothing.
    if (isPlain && open) {
      open["text"] = `${open["text"]}${each["text"]}`;
      continue;
    }
    const made = { ...each };
    open = isPlain ? made : undefined;
    replayed.push(made);
  }
  return replayed;
}

function sentBack(response: ChatResponse): WireContent | undefined {
  const log = [message("user", "hi"), ...stored(response.messages)];
  return toGeminiContents(log, { generation: 2 }).contents[1];
}

test("what an answer's parts must take back goes back, in its order, on its places", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (all) => {
      const response = await read([stop(all)]);
      const wanted = toReplay(all);
      expect(sentBack(response)?.parts ?? []).toEqual(stored(wanted));
    }),
    { numRuns: 500 },
  );
});

test("streamed in any chunks or whole, an answer is the same, and so is what was streamed", async () => {
  const cuts = fc.array(fc.tuple(part, fc.boolean()), { maxLength: 8 });
  const reasons = fc.constantFrom("STOP", "MAX_TOKENS", "SAFETY");
  await fc.assert(
    fc.asyncProperty(cuts, reasons, async (all, reason) => {
      const chunks: object[] = [];
      let group: WirePart[] = [];
      for (const [each, endsChunk] of all) {
        group.push(each);
        if (!endsChunk) continue;
        chunks.push(answer(group));
        group = [];
      }
      chunks.push(stop(group, reason));
      const updates: Update[] = [];
      const streamed = await read(chunks, (update) => void updates.push(update));
      const whole = await read([joined(chunks)]);
      expect(partsOf(streamed)).toEqual(partsOf(whole));
      expect(foldUpdates(updates).messages).toEqual(streamed.messages);
    }),
    { numRuns: 500 },
  );
});
