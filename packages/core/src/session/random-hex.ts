/** 128 random bits, as hexadecimal text. */
export function randomHex(): string {
  let text = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) {
    text += byte.toString(16).padStart(2, "0");
  }
  return text;
}
