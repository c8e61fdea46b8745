/** Collects what a stream gives, up to a number of bytes. */
export interface CapturedOutput {
  push(chunk: Uint8Array): void;
  text(): string;
  /** Whether there was more than is kept. */
  isTruncated(): boolean;
}

/** Keeps the beginning. */
export function captureHead(maxBytes: number): CapturedOutput {
  const kept = growingBuffer();
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      kept.append(chunk.subarray(0, maxBytes - kept.length()));
    },
    text() {
      const bytes = kept.bytes();
      return decode(total > maxBytes ? bytes.subarray(0, endOfCharacters(bytes)) : bytes);
    },
    isTruncated: () => total > maxBytes,
  };
}

/** Keeps the end. */
export function captureTail(maxBytes: number): CapturedOutput {
  const kept = growingBuffer();
  let total = 0;
  return {
    push(chunk) {
      total += chunk.length;
      const taken = chunk.subarray(-maxBytes);
      // Twice what is wanted is held, so that not every small chunk moves all before it.
      if (kept.length() + taken.length > 2 * maxBytes) kept.keepLast(maxBytes);
      kept.append(taken);
    },
    text() {
      const bytes = kept.bytes().subarray(-maxBytes);
      return decode(total > maxBytes ? bytes.subarray(startOfCharacters(bytes)) : bytes);
    },
    isTruncated: () => total > maxBytes,
  };
}

function growingBuffer() {
  let buffer = new Uint8Array(1024);
  let length = 0;
  return {
    length: () => length,
    bytes: () => buffer.subarray(0, length),
    append(chunk: Uint8Array): void {
      if (length + chunk.length > buffer.length) {
        const larger = new Uint8Array(Math.max(length + chunk.length, 2 * buffer.length));
        larger.set(buffer.subarray(0, length));
        buffer = larger;
      }
      buffer.set(chunk, length);
      length += chunk.length;
    },
    keepLast(count: number): void {
      if (length <= count) return;
      buffer.copyWithin(0, length - count, length);
      length = count;
    },
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Whether a byte of UTF-8 is inside a character, and not its first. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many bytes there are without a last character of which a part is missing. */
function endOfCharacters(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isInside(bytes[start])) start--;
  const first = bytes[start];
  if (first === undefined || first < 0xc0) return bytes.length;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return start + length > bytes.length ? start : bytes.length;
}

/** Where the first whole character begins. */
function startOfCharacters(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isInside(bytes[start])) start++;
  return start;
}
