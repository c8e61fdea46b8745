import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip archive, with whatever lies it is to tell. */
export interface ZipEntry {
  readonly name: string;
  readonly data?: string | Uint8Array;
  /** Default: as it is. */
  readonly statedSize?: number;
  /** Default: of a regular file. */
  readonly unixMode?: number;
  readonly deflate?: boolean;
  readonly crc?: number;
  /** In the local header only. */
  readonly localName?: string;
  /** Where another entry's data is to be used. */
  readonly sameDataAs?: number;
  readonly flags?: number;
}

/** A zip archive, byte by byte, so that nothing stops it from being wrong. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, data = "", deflate = false, localName = name, sameDataAs, flags = 0x800 } = entry;
    const raw = Buffer.from(data);
    const packed = deflate ? deflateRawSync(raw) : raw;
    const { statedSize = raw.length, unixMode = 0o100644, crc = crc32(raw) } = entry;
    const fields = (size: number) => {
      const header = Buffer.alloc(size);
      let at = size === 30 ? 4 : 6;
      for (const [value, bytes] of [
        [20, 2],
        [flags, 2],
        [deflate ? 8 : 0, 2],
        [0, 2],
        [0x21, 2],
        [crc, 4],
        [packed.length, 4],
        [statedSize, 4],
        [Buffer.byteLength(size === 30 ? localName : name), 2],
      ] as const) {
        header.writeUIntLE(value, at, bytes);
        at += bytes;
      }
      return header;
    };
    const local = fields(30);
    local.writeUInt32LE(0x04034b50, 0);
    offsets.push(sameDataAs === undefined ? offset : (offsets[sameDataAs] ?? 0));
    if (sameDataAs === undefined) {
      locals.push(local, Buffer.from(localName), packed);
      offset += 30 + Buffer.byteLength(localName) + packed.length;
    }
    const record = fields(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(0x0314, 4);
    record.writeUInt32LE((unixMode << 16) >>> 0, 38);
    record.writeUInt32LE(offsets.at(-1) ?? 0, 42);
    central.push(record, Buffer.from(name));
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length & 0xffff, 8);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...locals, directory, end]));
}
