import type { Content, JsonObject } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asEvents } from "./as-events.js";
import { called, cutResponse, type Item, response, said, thought } from "./build.js";
import { plainContents, readStream } from "./read-answer.js";

const f = called("a", "f", { x: 1 });
const g = called("b", "g", { y: 2 });

function toolCall(content: Content): unknown {
  if (content.type !== "function_call") return content;
  const { name, arguments: args, parseError } = content;
  return parseError === undefined ? [name, args] : [name, parseError];
}

const both = [
  ["f", { x: 1 }],
  ["g", { y: 2 }],
];

async function callsOf(events: readonly JsonObject[]): Promise<readonly unknown[]> {
  return plainContents(await readStream(events)).map(toolCall);
}

/** The events without those that say an item whole, so that nothing puts right what went wrong. */
function deltasOnly(items: readonly Item[]): JsonObject[] {
  const events = asEvents(response(items)).filter(
    ({ type }) => !`${type}`.endsWith(".done") && type !== "response.completed",
  );
  return [...events, { type: "response.completed", response: response([]) }];
}

describe("items of one index", () => {
  it("keep what is theirs by their ids", async () => {
    const events = deltasOnly([f, g]).map((event) => ({ ...event, output_index: 0 }));
    expect(await callsOf(events)).toEqual(both);
  });

  it("keep it however their events are mixed", async () => {
    const own = [f, g].map((item) =>
      deltasOnly([item])
        .filter((event) => "output_index" in event)
        .map((event) => ({ ...event, output_index: 0 })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (order) => {
        const left = own.map((each) => [...each]);
        const mixed = order.flatMap((turn) => left[turn ? 0 : 1]?.splice(0, 1) ?? []);
        const end = { type: "response.completed", response: response([]) };
        const made = await callsOf([...mixed, ...left.flat(), end]);
        expect(new Set(made)).toEqual(new Set(both));
      }),
      { numRuns: 30 },
    );
  });

  it("and of another type do not get each other's pieces", async () => {
    const events = deltasOnly([said("Yes."), f]).map(({ item_id: _, ...event }) => ({
      ...event,
      output_index: 0,
    }));
    const contents = plainContents(await readStream(events));
    expect(contents).toHaveLength(2);
    expect(contents).toContainEqual({ type: "text", text: "Yes." });
    expect(contents.map(toolCall)).toContainEqual(both[0]);
  });
});

describe("pieces whose index is that of another item", () => {
  it("belong to the item that they name", async () => {
    const events = deltasOnly([f, g]).map((event) =>
      "delta" in event ? { ...event, output_index: 1 - Number(event["output_index"]) } : event,
    );
    expect(await callsOf(events)).toEqual(both);
  });
});

describe("the end of a stream", () => {
  const added = [f, g].map((item, output_index) => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, arguments: "", call_id: "" },
  }));

  it("that has the items in another order gives none the arguments of another", async () => {
    const output = [g, f].map((item) => ({ ...item, call_id: "" }));
    const events = [...added, { type: "response.completed", response: response(output) }];
    expect(await callsOf(events)).toEqual(both);
  });

  it("that has other ids for a call does not make it two", async () => {
    const events = asEvents(response([f]));
    const again = { ...f, id: "fc_other", call_id: "other" };
    const end = { type: "response.completed", response: response([again]) };
    expect(await callsOf([...events.slice(0, -1), end])).toEqual([both[0]]);
  });

  it("that cut it leaves no call to run that was not told whole, first or last", async () => {
    const begun = {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...f, arguments: "" },
    };
    const whole = { type: "response.output_item.done", output_index: 1, item: g };
    const end = { type: "response.incomplete", response: cutResponse([]) };
    expect(await callsOf([begun, whole, end])).toEqual([
      ["f", expect.stringContaining("cut")],
      both[1],
    ]);
  });
});

describe("an event that comes twice", () => {
  it("adds nothing: no call runs twice, no question is asked twice", async () => {
    const items: readonly Item[] = [
      thought("rs_1", "secret"),
      f,
      { type: "mcp_approval_request", id: "mcpr_1", name: "x", arguments: "{}", server_label: "s" },
    ];
    const events = asEvents(response(items));
    const isWhole = ({ type }: JsonObject): boolean => /output_item\.(added|done)$/.test(`${type}`);
    const twice = events.flatMap((event) => (isWhole(event) ? [event, event] : [event]));
    const again = events.flatMap((event) =>
      event["type"] === "response.completed" ? [...events.filter(isWhole), event] : [event],
    );
    const once = plainContents(await readStream(events));
    expect(plainContents(await readStream(twice))).toEqual(once);
    expect(plainContents(await readStream(again))).toEqual(once);
  });

  it("that says an item which is none is not told", async () => {
    const event = { type: "response.output_item.done", output_index: 0, item: null };
    const end = { type: "response.completed", response: response([said("Yes.")]) };
    expect(plainContents(await readStream([event, end]))).toMatchObject([{ text: "Yes." }]);
  });
});
