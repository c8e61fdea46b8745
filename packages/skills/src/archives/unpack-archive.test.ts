import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { packTar, type TarEntry } from "modern-tar";
import { describe, expect, it } from "vitest";
import { type ZipEntry, zipOf } from "../../test/support/archives.js";
import { ArchiveError } from "./archive-error.js";
import { unpackArchive } from "./unpack-archive.js";

const limits = { maxFiles: 20, maxBytes: 64 * 1024 };

async function tarOf(...entries: readonly (Partial<TarEntry["header"]> & { body?: string })[]) {
  return await packTar(
    entries.map(({ body = "", name = "a.md", ...header }) => ({
      header: { name, size: Buffer.byteLength(body), ...header },
      body,
    })),
  );
}

async function unpacked(bytes: Uint8Array, within = limits): Promise<Record<string, string>> {
  const { files } = await unpackArchive(bytes, within);
  return Object.fromEntries(
    [...files].map(([name, data]) => [name, Buffer.from(data).toString("utf8")]),
  );
}

/** The same names in all kinds of archives. */
async function allKinds(names: readonly string[]): Promise<readonly Uint8Array[]> {
  const tar = await tarOf(...names.map((name) => ({ name, body: name })));
  return [zipOf(names.map((name) => ({ name, data: name }))), tar, gzipSync(tar)];
}

async function refused(bytes: Uint8Array, within = limits): Promise<string> {
  const error = await unpackArchive(bytes, within).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ArchiveError);
  return error instanceof ArchiveError ? error.message : "";
}

describe("an archive", () => {
  it("is unpacked in memory, whatever its kind", async () => {
    for (const bytes of await allKinds(["SKILL.md", "references/é.md"])) {
      expect(await unpacked(bytes)).toEqual({
        "SKILL.md": "SKILL.md",
        "references/é.md": "references/é.md",
      });
    }
  });

  it("is unpacked where it is compressed", async () => {
    const entry = { name: "a.md", data: "a".repeat(5000), deflate: true };
    expect(await unpacked(zipOf([entry]))).toEqual({ "a.md": entry.data });
  });

  it("may have long names, and a point before them", async () => {
    const name = `${"deep/".repeat(60)}a.md`;
    expect(Object.keys(await unpacked(await tarOf({ name, body: "x" })))).toEqual([name]);
    expect(Object.keys(await unpacked(await tarOf({ name: "./a.md", body: "x" })))).toEqual([
      "a.md",
    ]);
  });

  it("loses folders, hidden files and what macOS adds, without a word", async () => {
    for (const bytes of await allKinds(["a.md", ".env", "b/.git/config", "__MACOSX/._a.md"])) {
      const { files, leftOut } = await unpackArchive(bytes, limits);
      expect([...files.keys()]).toEqual(["a.md"]);
      expect(leftOut).toBe(0);
    }
  });

  it("keeps an archive in it as the file that it is", async () => {
    const inner = zipOf([{ name: "../out", data: "x" }]);
    const { files } = await unpackArchive(zipOf([{ name: "inner.zip", data: inner }]), limits);
    expect(files.get("inner.zip")).toEqual(inner);
  });

  it("never gives a name that leads out", async () => {
    const segment = fc.constantFrom("a", "B", "..", ".", "", "é", "c:", "d\\e", "f\u0000");
    const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 4 }), async (names) => {
        const result = await unpackArchive(zipOf(names.map((each) => ({ name: each }))), limits)
          .then(({ files }) => [...files.keys()])
          .catch((error: unknown) => error);
        if (!Array.isArray(result)) {
          expect(result).toBeInstanceOf(ArchiveError);
          return;
        }
        for (const each of result) {
          expect(each).not.toMatch(/^\/|\\|(^|\/)\.{0,2}(\/|$)|^[A-Za-z]:|\p{C}/u);
        }
      }),
    );
  });

  it("refuses any bytes with an error of its own", async () => {
    const head = fc.constantFrom([], [0x50, 0x4b, 3, 4], [0x50, 0x4b, 5, 6], [0x1f, 0x8b, 8]);
    await fc.assert(
      fc.asyncProperty(head, fc.uint8Array({ maxLength: 2000 }), async (start, rest) => {
        const bytes = new Uint8Array([...start, ...rest]);
        const result = await unpackArchive(bytes, limits).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(ArchiveError);
      }),
    );
  });
});

describe("a hostile archive is refused as a whole", () => {
  it.each([
    ["a way up", "../../etc/passwd"],
    ["a way up inside", "a/../../b.md"],
    ["a way up with backslashes", "..\\..\\b.md"],
    ["an absolute name", "/etc/passwd"],
    ["a drive", "C:/windows/x.md"],
    ["a drive without a slash", "C:x.md"],
    ["a drive behind a point", "./c:"],
    ["a network path", "\\\\host\\share"],
    ["a control character", "a\u0007.md"],
    ["characters that turn the text", "a\u202Edm.exe"],
    ["a name without end", "x".repeat(600)],
  ])("for %s in a name", async (_, name) => {
    for (const bytes of await allKinds(["SKILL.md", name])) {
      expect(await refused(bytes)).toContain("leads out");
    }
  });

  it.each([
    ["in case", "Readme.md", "README.md"],
    ["in nothing", "a.md", "a.md"],
    ["in form", "ﬁ.md", "fi.md"],
    ["in a point", "a.md", "./a.md"],
  ])("for two names that differ %s", async (_, one, two) => {
    for (const bytes of await allKinds([one, two])) await refused(bytes);
  });

  it("for too many files, of all kinds", async () => {
    const names = Array.from({ length: 21 }, (_, at) => `${at}.md`);
    for (const bytes of await allKinds(names.slice(1))) {
      expect(Object.keys(await unpacked(bytes))).toHaveLength(20);
    }
    for (const bytes of await allKinds(names)) expect(await refused(bytes)).toContain("20 files");
  });

  it("for a million entries, long before the last", async () => {
    const folders = Array.from({ length: 20_000 }, (_, at) => ({ name: `${at}/` }));
    expect(await refused(zipOf(folders))).toContain("entries");
  });

  it("for more bytes than it may have, of all kinds", async () => {
    const data = "a".repeat(40_000);
    const two = ["a.md", "b.md"];
    const tar = await tarOf(...two.map((name) => ({ name, body: data })));
    const zip = zipOf(two.map((name) => ({ name, data, deflate: true })));
    for (const bytes of [tar, gzipSync(tar), zip]) {
      expect(await refused(bytes)).toContain("65536 bytes");
    }
  });

  it("for a bomb", async () => {
    const zeros = new Uint8Array(48 * 1024 * 1024);
    const bomb = gzipSync(zeros);
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(await refused(bomb)).toContain("65536 bytes");
  });

  it.each<[string, Partial<ZipEntry>]>([
    ["states less than it has", { statedSize: 10 }],
    ["states more than it has", { statedSize: 6000 }],
    ["has another checksum", { crc: 1 }],
    ["has two names", { localName: "b.md" }],
    ["is encrypted", { flags: 0x801 }],
  ])("for an entry that %s", async (_, lie) => {
    await refused(zipOf([{ name: "a.md", data: "a".repeat(5000), deflate: true, ...lie }]));
  });

  it("for a small statement about a large content", async () => {
    const data = new Uint8Array(64 * 1024 * 1024);
    await refused(zipOf([{ name: "a.md", data, deflate: true, statedSize: 10 }]));
  });

  it("for entries that share their bytes", async () => {
    await refused(
      zipOf([
        { name: "a.md", data: "x".repeat(1000) },
        { name: "b.md", data: "x".repeat(1000), sameDataAs: 0 },
      ]),
    );
  });

  it.each([10, 300, 700, 1200])("for what ends after %i bytes", async (length) => {
    const tar = await tarOf({ name: "a.md", body: "a".repeat(900) });
    const zip = zipOf([{ name: "a.md", data: "a".repeat(1200) }]);
    for (const bytes of [tar, zip]) await refused(bytes.slice(0, length));
    await refused(gzipSync(tar).slice(0, Math.min(length, 60)));
  });

  it("for a header that was changed", async () => {
    const tar = await tarOf({ name: "a.md", body: "x" });
    tar[0] = 0x62;
    await refused(tar);
  });
});

describe("what is no file", () => {
  it("is left out of a tar archive", async () => {
    const tar = await tarOf(
      { name: "SKILL.md", body: "x" },
      { name: "passwd", type: "symlink", linkname: "/etc/passwd" },
      { name: "hard", type: "link", linkname: "SKILL.md" },
      { name: "null", type: "character-device" },
      { name: "disk", type: "block-device" },
      { name: "pipe", type: "fifo" },
    );
    for (const bytes of [tar, gzipSync(tar)]) {
      const { files, leftOut } = await unpackArchive(bytes, limits);
      expect([...files.keys()]).toEqual(["SKILL.md"]);
      expect(leftOut).toBe(5);
    }
  });

  it("is left out of a zip archive", async () => {
    const { files, leftOut } = await unpackArchive(
      zipOf([
        { name: "SKILL.md", data: "x" },
        { name: "passwd", data: "/etc/passwd", unixMode: 0o120777 },
      ]),
      limits,
    );
    expect([...files.keys()]).toEqual(["SKILL.md"]);
    expect(leftOut).toBe(1);
  });
});
