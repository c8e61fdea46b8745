import type Anthropic from "@anthropic-ai/sdk";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { toAnthropicMessages } from "../src/index.js";
import { answer, message, messageProblems, result, stored } from "./build.js";
import { sameBothWays } from "./read-answer.js";

type Block = Readonly<Record<string, unknown>>;

const visible = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 6 })
  .map((text) => `x${text}`);
const input = fc
  .dictionary(fc.constantFrom("room", "n", "é"), fc.jsonValue({ maxDepth: 2 }))
  // JSON knows no -0.
  .map((value): typeof value => JSON.parse(JSON.stringify(value)));
const opaque = fc.constantFrom("c2ln", "RW5j");

const place = { cited_text: "a", document_index: 0, document_title: null };
const citation = fc.constantFrom<Block>(
  { type: "char_location", ...place, start_char_index: 0, end_char_index: 1 },
  { type: "page_location", ...place, start_page_number: 1, end_page_number: 2 },
  { type: "content_block_location", ...place, start_block_index: 0, end_block_index: 1 },
  {
    type: "web_search_result_location",
    cited_text: "a",
    encrypted_index: "I",
    title: null,
    url: "https://e.com",
  },
);

const thinking: Arbitrary<readonly Block[]> = fc.array(
  fc.oneof<Arbitrary<Block>[]>(
    fc.record({
      type: fc.constant("thinking"),
      thinking: fc.constantFrom("", "hm"),
      signature: opaque,
    }),
    fc.record({ type: fc.constant("redacted_thinking"), data: opaque }),
  ),
  { minLength: 1, maxLength: 3 },
);
const said: Arbitrary<Block> = fc.oneof<Arbitrary<Block>[]>(
  visible.map((text) => ({ type: "text", text })),
  fc.record({
    type: fc.constant("text"),
    text: visible,
    citations: fc.array(citation, { minLength: 1, maxLength: 2 }),
  }),
  fc.constant({ type: "container_upload", file_id: "file_1" }),
);

const failed = (type: string) => ({ type: `${type}_error`, error_code: "unavailable" });
const ran = {
  return_code: 0,
  stderr: "",
  content: [{ type: "code_execution_output", file_id: "f" }],
};
const outputs: Readonly<Record<string, readonly unknown[]>> = {
  web_search: [
    [],
    [
      {
        type: "web_search_result",
        url: "https://e.com",
        title: "T",
        encrypted_content: "ENC",
        page_age: null,
      },
    ],
    failed("web_search_tool_result"),
  ],
  web_fetch: [
    {
      type: "web_fetch_result",
      url: "https://e.com",
      retrieved_at: null,
      content: {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "x" },
        title: null,
        citations: null,
      },
    },
    failed("web_fetch_tool_result"),
  ],
  code_execution: [
    { type: "code_execution_result", stdout: "1", ...ran },
    { type: "encrypted_code_execution_result", encrypted_stdout: "ENC", ...ran },
    failed("code_execution_tool_result"),
  ],
  bash_code_execution: [
    { type: "bash_code_execution_result", stdout: "1", stderr: "", return_code: 0, content: [] },
  ],
  text_editor_code_execution: [
    { type: "text_editor_code_execution_create_result", is_file_update: false },
  ],
};
const serverTool: Arbitrary<(id: string) => readonly Block[]> = fc
  .constantFrom(...Object.keys(outputs))
  .chain((name) =>
    fc
      .tuple(fc.constantFrom(...(outputs[name] ?? [])), input)
      .map(([content, given]) => (id: string) => [
        { type: "server_tool_use", id, name, input: given },
        { type: `${name}_tool_result`, tool_use_id: id, content },
      ]),
  );

/** An answer in the order in which the service gives it: thinking before the calls, calls last. */
const wireAnswers: Arbitrary<Anthropic.Message> = fc
  .record({
    parts: fc.array(
      fc.tuple(
        fc.option(thinking, { nil: [] }),
        fc.oneof(
          said.map((block) => () => [block]),
          serverTool,
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    calls: fc.array(input, { maxLength: 3 }),
  })
  .map(({ parts, calls }) => {
    const before = parts.flatMap(([thoughts, part], at) => [
      ...thoughts,
      ...part(`srvtoolu_${at}`),
    ]);
    const asked = calls.map((given, at) => ({
      type: "tool_use",
      id: `toolu_${at}`,
      name: "lamp",
      input: given,
    }));
    // What came out of JSON has no `-0` and no undefined.
    return stored(answer([...before, ...asked], calls.length > 0 ? "tool_use" : "end_turn"));
  });

test("any answer, read whole or streamed, stored and loaded, goes back block by block as it came", async () => {
  await fc.assert(
    fc.asyncProperty(wireAnswers, async (wire) => {
      const { contents } = await sameBothWays(wire, (text) => Array.from(text));
      const results = contents.flatMap((content) =>
        content.type === "function_call" ? [result(content.callId, "on")] : [],
      );
      const log = stored([
        message("user", "go"),
        message("assistant", ...contents),
        message("tool", ...results),
        message("user", "and?"),
      ]);
      const { messages } = toAnthropicMessages(log);
      expect(messages[1]).toEqual({ role: "assistant", content: wire.content });
      expect(messageProblems(messages)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
