/** Cuts a stream of bytes into lines. What is longer than the limit is not kept. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
}

export interface LineSplitterTerms {
  /** Of one line. */
  readonly maxBytes: number;
  /** Gets a line without its end, and not blank. */
  readonly onLine: (line: string) => void;
  /** Gets the beginning and the end of a line that is too long, and how long it was. */
  readonly onTooLong: (head: string, tail: string, bytes: number) => void;
}

/** Of a line that is too long. */
const edgeBytes = 256;
const newline = 0x0a;

export function lineSplitter({ maxBytes, onLine, onTooLong }: LineSplitterTerms): LineSplitter {
  // Pieces are joined once, when the line ends: a long line in many pieces is not copied again and again.
  let pieces: Buffer[] = [];
  let bytes = 0;
  let cut: { readonly head: Buffer; tail: Buffer } | undefined;

  function take(piece: Buffer): void {
    bytes += piece.length;
    if (cut !== undefined) {
      cut.tail = Buffer.concat([cut.tail, piece]).subarray(-edgeBytes);
      return;
    }
    pieces.push(piece);
    if (bytes <= maxBytes) return;
    const whole = Buffer.concat(pieces);
    cut = {
      head: Buffer.from(whole.subarray(0, edgeBytes)),
      tail: Buffer.from(whole.subarray(-edgeBytes)),
    };
    pieces = [];
  }

  function end(): void {
    const line = cut === undefined ? joined(pieces).toString("utf8") : "";
    const tooLong = cut;
    const length = bytes;
    pieces = [];
    bytes = 0;
    cut = undefined;
    if (tooLong !== undefined) {
      onTooLong(tooLong.head.toString("utf8"), tooLong.tail.toString("utf8"), length);
    } else if (line.trim() !== "") onLine(line);
  }

  return {
    push(chunk) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
        take(rest.subarray(0, at));
        end();
        rest = rest.subarray(at + 1);
      }
      if (rest.length > 0) take(rest);
    },
  };
}

/** Most lines come in one piece, which need not be copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}
