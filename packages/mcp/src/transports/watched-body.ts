import { McpError } from "../mcp-error.js";
import { type ByteMeasure, total } from "./byte-measures.js";

/** Who is told of the end of a body. One of the two, once. */
export interface BodyWatcher {
  /** It has been read to its end, or as far as it came: then with the error. */
  readonly ended: (error?: McpError) => void;
  /** Nobody wants the rest. */
  readonly dropped: () => void;
}

/**
 * The same bytes, up to a limit.
 *
 * @param measure What the limit is for. Default: all of it.
 * @throws McpError `mcp_wrong_answer`, to whoever reads, where there are more.
 */
export function watchedBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  { ended, dropped }: Partial<BodyWatcher> = {},
  measure: ByteMeasure = total(),
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            ended?.();
            return;
          }
          if (measure(value) > maxBytes) {
            const message = `The server's answer is too large: more than ${maxBytes} bytes.`;
            throw new McpError("mcp_wrong_answer", message);
          }
          controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          ended?.(error instanceof McpError ? error : brokenBody(error));
          reader.cancel(error).catch(() => {});
        }
      },
      cancel(reason) {
        dropped?.();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function brokenBody(cause: unknown): McpError {
  return new McpError("mcp_connection_lost", "The stream of the answer broke.", { cause });
}
