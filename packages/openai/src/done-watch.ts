/**
 * Sees whether `[DONE]` came. The SDK keeps it to itself, but it is the only end that an answer
 * without a finish reason has.
 */
export class DoneWatch {
  #done = false;
  #ended = false;
  #tail = "\n";
  readonly #decoder = new TextDecoder();

  get done(): boolean {
    return this.#done;
  }

  /** Whether the bytes ended in the middle of an event. */
  get brokenOff(): boolean {
    return this.#ended && !/[\r\n]{2}$/.test(this.#tail);
  }

  /** The same response, with its bytes looked at on their way. */
  over(response: Response): Response {
    if (response.body === null) return response;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        this.#look(bytes);
        controller.enqueue(bytes);
      },
      flush: () => {
        this.#ended = true;
      },
    });
    return new Response(response.body.pipeThrough(watched), { headers: response.headers });
  }

  #look(bytes: Uint8Array): void {
    const text = this.#tail + this.#decoder.decode(bytes);
    this.#done ||= /[\r\n]data: ?\[DONE\]/.test(text);
    this.#tail = text.slice(-mark.length);
  }
}

const mark = "\ndata: [DONE]";
