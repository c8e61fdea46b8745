const encoded = /^=\?base64\?(.*)\?=$/s;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * What a header says that mirrors a value of the body: itself, or what `=?base64?…?=` holds. Undefined where that is no
 * Base64, or no UTF-8.
 */
export function decodeHeader(value: string): string | undefined {
  const inside = encoded.exec(value)?.[1];
  if (inside === undefined) return value;
  if (!base64.test(inside)) return undefined;
  try {
    const bytes = Buffer.from(inside, "base64");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
