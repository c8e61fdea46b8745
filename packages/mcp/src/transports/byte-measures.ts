/** Is given a stream piece by piece; says each time how many bytes that makes, of whatever it measures. */
export type ByteMeasure = (chunk: Uint8Array) => number;

/** All of the stream. */
export function total(): ByteMeasure {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.byteLength;
    return bytes;
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The longest event of an event stream that the piece has a part in. An empty line ends an event. */
export function longestEvent(): ByteMeasure {
  let bytes = 0;
  let previous = lineFeed;
  let atLineStart = true;
  return (chunk) => {
    let longest = bytes;
    for (const byte of chunk) {
      bytes += 1;
      const isLineEnd = byte === lineFeed || byte === carriageReturn;
      const isSecondHalf = byte === lineFeed && previous === carriageReturn;
      previous = byte;
      if (isSecondHalf) continue;
      if (isLineEnd && atLineStart) {
        longest = Math.max(longest, bytes);
        bytes = 0;
      }
      atLineStart = isLineEnd;
    }
    return Math.max(longest, bytes);
  };
}
