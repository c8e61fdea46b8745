import type { JsonObject } from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { called, type Item, response, said, thought } from "./build.js";

/** An item whose id is told by where it stands. */
type Draft = (place: number) => Item;

const texts = fc.string({ unit: "grapheme", minLength: 1 });

const annotations = fc.constantFrom<JsonObject[]>(
  [],
  [{ type: "url_citation", start_index: 0, end_index: 1, url: "https://example.com", title: "X" }],
  [{ type: "file_citation", file_id: "file_1", filename: "a.txt", index: 0 }],
);

const messageParts = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant("output_text"),
      text: texts,
      annotations,
      logprobs: fc.constant([]),
    }),
    fc.record({ type: fc.constant("refusal"), refusal: texts }),
  ),
  { minLength: 1, maxLength: 3 },
);

const messages: Arbitrary<Draft> = fc
  .tuple(
    messageParts,
    fc.constantFrom<JsonObject>({}, { phase: "commentary" }, { phase: "final_answer" }),
  )
  .map(
    ([content, own]) =>
      (place) =>
        said("", { id: `msg_${place}`, content, ...own }),
  );

const calls: Arbitrary<Draft> = fc
  .tuple(fc.constantFrom("lamp", "gauge"), fc.dictionary(fc.string(), fc.jsonValue()))
  .map(
    ([name, args]) =>
      (place) =>
        called(`call_${place}`, name, JSON.stringify(args), { id: `fc_${place}` }),
  );

const thoughts: Arbitrary<Draft> = fc
  .record({
    encrypted: fc.constantFrom(undefined, "c2VjcmV0"),
    summary: fc.array(texts, { maxLength: 2 }),
    content: fc.array(texts, { maxLength: 2 }),
  })
  .map(({ encrypted, summary, content }) => (place) => ({
    ...thought(`rs_${place}`, encrypted, ...summary),
    ...(content.length > 0 && {
      content: content.map((text) => ({ type: "reasoning_text", text })),
    }),
  }));

const hosted: Arbitrary<Draft> = fc.constantFrom<Draft>(
  (place) => ({
    type: "web_search_call",
    id: `ws_${place}`,
    status: "completed",
    action: { type: "search", query: "x" },
  }),
  (place) => ({
    type: "file_search_call",
    id: `fs_${place}`,
    status: "completed",
    queries: ["x"],
    results: [{ file_id: "file_1", filename: "a.txt", score: 0.5, text: "y" }],
  }),
  (place) => ({
    type: "code_interpreter_call",
    id: `ci_${place}`,
    status: "completed",
    code: "1 + 1",
    container_id: "cntr_1",
    outputs: [{ type: "logs", logs: "2" }],
  }),
  (place) => ({
    type: "code_interpreter_call",
    id: `ci_${place}`,
    status: "completed",
    code: "1",
    container_id: "cntr_1",
    outputs: null,
  }),
  (place) => ({
    type: "image_generation_call",
    id: `ig_${place}`,
    status: "completed",
    result: "iVBORw0KGgo=",
  }),
  (place) => ({
    type: "mcp_list_tools",
    id: `mcpl_${place}`,
    server_label: "wiki",
    tools: [{ name: "ask", input_schema: { type: "object" } }],
  }),
  (place) => ({
    type: "mcp_call",
    id: `mcp_${place}`,
    server_label: "wiki",
    name: "ask",
    arguments: '{"q":"x"}',
    output: "y",
    error: null,
  }),
  (place) => ({
    type: "mcp_call",
    id: `mcp_${place}`,
    server_label: "wiki",
    name: "ask",
    arguments: '{"q":"x"}',
    output: null,
    error: { type: "mcp_protocol_error", code: 404, message: "no such page" },
  }),
);

/** What a long conversation was shortened to stands before what the model says next. */
const compaction: Draft = (place) => ({
  type: "compaction",
  id: `cmp_${place}`,
  encrypted_content: "c2VjcmV0",
});

/** Whole answers as the service gives them, with any items in any order. */
export const wireResponses: Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom<Draft[]>([], [], [compaction]),
    fc.array(fc.oneof(messages, calls, thoughts, hosted), { minLength: 1, maxLength: 6 }),
  )
  .map(([first, drafts]) => response([...first, ...drafts].map((draft, at) => draft(at))));
