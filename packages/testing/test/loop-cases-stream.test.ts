import {
  Agent,
  type ChatClient,
  type Content,
  foldUpdates,
  type JsonObject,
  ResponseBuilder,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { callIdsIn, outline, resultTexts } from "./support/outline.js";
import { deferred, inBothManners, rejection } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

/** A client that sends given contents one update each, then says "done". */
function clientThatSends(contents: readonly Content[]): ChatClient & { sent: JsonObject[] } {
  const sent: JsonObject[] = [];
  return {
    sent,
    metadata: { provider: "test" },
    async getResponse(request) {
      const builder = new ResponseBuilder(request);
      sent.push(JSON.parse(JSON.stringify(request.messages.at(-2) ?? {})));
      if (sent.length > 1) await builder.add({ type: "text", text: "done" });
      else for (const content of contents) await builder.add(content);
      return builder.finish();
    },
  };
}

describe("B09 calls spread over several updates", () => {
  inBothManners((play) => {
    it("run once each, with text between them, and stand in one assistant message", async () => {
      const ran: string[] = [];
      const note = tool({
        name: "note",
        parameters: { type: "object", properties: { text: { type: "string" } } },
        execute: ({ text }) => {
          ran.push(text ?? "");
        },
      });
      const { response } = await play({
        turns: [
          {
            contents: [
              { type: "function_call", callId: "c1", name: "note", arguments: { text: "one" } },
              { type: "text", text: "and" },
              { type: "function_call", callId: "c2", name: "note", arguments: { text: "two" } },
            ],
          },
          "done",
        ],
        agent: { tools: note },
      });
      expect(ran).toEqual(["one", "two"]);
      expect(callIdsIn(response.messages)).toEqual(["c1", "c2"]);
      expect(outline(response.messages)).toEqual([
        'assistant: note({"text":"one"}) | and | note({"text":"two"})',
        "tool: Done. The tool returned no output. | Done. The tool returned no output.",
        "assistant: done",
      ]);
    });
  });
});

describe("B10 arguments that are an object already, or encoded twice", () => {
  inBothManners((play) => {
    it("(a) an object runs as it is", async () => {
      const { response } = await play({
        turns: [
          {
            contents: [
              { type: "function_call", callId: "c1", name: "lamp", arguments: { room: "hall" } },
            ],
          },
          "done",
        ],
        agent: { tools: lamp },
      });
      expect(resultTexts(response.messages)).toEqual(["hall lit"]);
    });

    it("(b) a doubly encoded object is unwrapped, and replayed as one object", async () => {
      const { response, requests } = await play({
        turns: [
          { calls: [{ name: "lamp", arguments: JSON.stringify('{"room":"hall"}') }] },
          "done",
        ],
        agent: { tools: lamp },
      });
      expect(resultTexts(response.messages)).toEqual(["hall lit"]);
      expect(outline(requests[1]?.messages ?? [])[1]).toBe('assistant: lamp({"room":"hall"})');
    });

    it("(c) text inside a field whose schema says string stays text", async () => {
      const seen: unknown[] = [];
      const store = tool({
        name: "store",
        parameters: {
          type: "object",
          properties: { payload: { type: "string" } },
          required: ["payload"],
        },
        execute: ({ payload }) => {
          seen.push(payload);
        },
      });
      await play({
        turns: [{ calls: [{ name: "store", arguments: '{"payload":"{\\"x\\":1}"}' }] }, "done"],
        agent: { tools: store },
      });
      expect(seen).toEqual(['{"x":1}']);
    });

    it.each(["[1,2]", "7", '"text"', "null"])(
      "(d) %s is answered: the arguments must be an object",
      async (text) => {
        const ran: unknown[] = [];
        const anything = tool({ name: "anything", execute: (input) => void ran.push(input) });
        const { response } = await play({
          turns: [{ calls: [{ name: "anything", arguments: text }] }, "done"],
          agent: { tools: anything },
        });
        expect(ran).toEqual([]);
        expect(resultTexts(response.messages)[0]).toMatch(/must be a JSON object/);
        expect(response.text).toBe("done");
      },
    );
  });

  it("(a) what a client hands over as an object goes back to it as an object", async () => {
    const client = clientThatSends([
      { type: "function_call", callId: "c1", name: "lamp", arguments: { room: "hall" } },
    ]);
    await new Agent({ client, tools: lamp }).run("go");
    expect(client.sent[1]).toMatchObject({
      contents: [{ type: "function_call", arguments: { room: "hall" } }],
    });
  });

  it("(d) a client that hands over an array as arguments gets an error result, too", async () => {
    const client = clientThatSends([
      // @ts-expect-error what no type allows, a careless client may do
      { type: "function_call", callId: "c1", name: "lamp", arguments: [1, 2] },
    ]);
    const response = await new Agent({ client, tools: lamp }).run("go");
    expect(resultTexts(response.messages)[0]).toMatch(/must be a JSON object/);
  });
});

describe("B11 a cancel ends the run, whatever the tool does", () => {
  const never = new Promise<never>(() => {});

  function stuckAgent() {
    const signals: AbortSignal[] = [];
    const started = deferred();
    const stuck = tool({
      name: "stuck",
      execute: (_input, context) => {
        signals.push(context.signal);
        started.resolve();
        return never;
      },
    });
    const client = new ScriptedChatClient([{ text: "wait", calls: [{ name: "stuck" }] }]);
    return { agent: new Agent({ client, tools: stuck }), signals, started: started.promise };
  }

  it("(a) an abort ends a stream whose tool never settles, and the tool hears of it once", async () => {
    const { agent, signals, started } = stuckAgent();
    const controller = new AbortController();
    const reason = new Error("enough");
    const stream = agent.stream("go", { signal: controller.signal });
    let heard = 0;
    const read = async (): Promise<void> => {
      for await (const update of stream) {
        if (update.type === "finish") {
          await started;
          signals[0]?.addEventListener("abort", () => heard++);
          controller.abort(reason);
        }
      }
    };
    expect(await rejection(read())).toBe(reason);
    expect(await rejection(stream.response)).toBe(reason);
    expect([heard, signals[0]?.reason]).toEqual([1, reason]);
  });

  it("(a) the same without a stream", async () => {
    const { agent, signals, started } = stuckAgent();
    const controller = new AbortController();
    const run = agent.run("go", { signal: controller.signal });
    await started;
    controller.abort("enough");
    expect(await rejection(run)).toBe("enough");
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  });

  it("(b) leaving the loop early aborts the tool and ends the stream", async () => {
    const { agent, signals, started } = stuckAgent();
    const stream = agent.stream("go");
    for await (const update of stream) {
      if (update.type !== "finish") continue;
      await started;
      break;
    }
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(await rejection(stream.response)).toMatchObject({ code: "stream_closed" });
  });

  it("(b) leaving the loop early reaches a chat client in the middle of its answer", async () => {
    let reached: AbortSignal | undefined;
    const client: ChatClient = {
      metadata: { provider: "test" },
      async getResponse(request) {
        reached = request.signal;
        await new ResponseBuilder(request).add({ type: "text", text: "one" });
        return never;
      },
    };
    for await (const _update of new Agent({ client }).stream("go")) break;
    expect(reached?.aborted).toBe(true);
  });

  it("(b) what was streamed before stays a fold without half a call", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall", "c1")] }], { chunkSize: 3 });
    const seen = foldUpdates();
    for await (const update of new Agent({ client, tools: lamp }).stream("go")) {
      seen.add(update);
      break;
    }
    const [call] = seen.messages[0]?.contents ?? [];
    // Half a text is no arguments: a consumer that stops here has nothing that could be run.
    expect(call).toMatchObject({ type: "function_call", name: "lamp" });
    expect(call).not.toHaveProperty("arguments", { room: "hall" });
  });
});
