import { dataContent, type FunctionTool, textContent, tool } from "@tunic/core";

/** A red point. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** No sound at all. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const asBase64 = (text: string): string => Buffer.from(text).toString("base64");

/** Tools whose results are of each kind that there is. */
export const givesContents: readonly FunctionTool[] = [
  tool({
    description: "For the suite.",
    name: "test_simple_text",
    execute: () => "This is a simple text response for testing.",
  }),
  tool({
    description: "For the suite.",
    name: "test_image_content",
    execute: () => [dataContent(png, "image/png")],
  }),
  tool({
    description: "For the suite.",
    name: "test_audio_content",
    execute: () => [dataContent(wav, "audio/wav")],
  }),
  tool({
    description: "For the suite.",
    name: "test_embedded_resource",
    execute: () => [
      dataContent(asBase64("This is an embedded resource content."), "text/plain", {
        name: "embedded-resource",
      }),
    ],
  }),
  tool({
    description: "For the suite.",
    name: "test_multiple_content_types",
    execute: () => [
      textContent("Multiple content types test:"),
      dataContent(png, "image/png"),
      dataContent(asBase64(JSON.stringify({ test: "data", value: 123 })), "application/json", {
        name: "mixed-content-resource",
      }),
    ],
  }),
  tool({
    description: "For the suite.",
    name: "test_error_handling",
    execute: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  tool({
    description: "For the suite.",
    name: "test_tool_with_progress",
    async execute(_input, { reportProgress }) {
      for (const done of ["0 of 100", "50 of 100", "100 of 100"]) await reportProgress(done);
      return "Done.";
    },
  }),
  // Streams are not closed in the midst of a call; they can be resumed where they break.
  tool({
    description: "For the suite.",
    name: "test_reconnection",
    execute: () => "Reconnection test completed.",
  }),
  // Nothing here logs to clients, so there is nothing to leave out.
  tool({ description: "For the suite.", name: "test_logging_tool", execute: () => "Done." }),
];
