const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * 80 random bits as hexadecimal text. Short on purpose: ids are made of it, and services refuse
 * ids of calls that are longer than 40 characters.
 */
export function randomHex(): string {
  let text = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(10))) text += hex[byte];
  return text;
}
