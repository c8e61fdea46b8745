const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const bytesEach = 10;
/** Drawn from the platform in one go for many ids: asking for each costs more than all the rest. */
const pool = new Uint8Array(bytesEach * 100);
let used = pool.length;

/**
 * 80 random bits as hexadecimal text. Short on purpose: ids are made of it, and services refuse
 * ids of calls that are longer than 40 characters.
 */
export function randomHex(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let text = "";
  for (const end = used + bytesEach; used < end; used++) text += hex[pool[used] ?? 0];
  return text;
}
