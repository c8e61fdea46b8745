import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HttpServeOptions, readHttpOptions } from "./http-options.js";
import { whyForeign } from "./request-guard.js";

const port = 3210;

function request(headers: readonly (readonly [string, string])[]): IncomingMessage {
  return { rawHeaders: headers.flat(), headers: {} } as IncomingMessage;
}

function isForeign(options: HttpServeOptions, host: string, origin?: string): boolean {
  const headers = [["Host", host] as const, ...(origin ? [["Origin", origin] as const] : [])];
  return whyForeign(request(headers), readHttpOptions(options), port) !== undefined;
}

describe("whyForeign", () => {
  const own = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`];

  it("takes no host but its own, whatever stands around it", () => {
    const around = fc.string({ minLength: 1, maxLength: 12 });
    const host = fc.oneof(
      fc.webAuthority({ withPort: true }),
      fc.tuple(fc.constantFrom(...own), around).map(([name, text]) => name + text),
      fc.tuple(around, fc.constantFrom(...own)).map(([text, name]) => text + name),
    );
    fc.assert(
      fc.property(host, (name) => own.includes(name.toLowerCase()) !== isForeign({}, name)),
    );
  });

  it("takes no origin but those that are allowed, whatever stands around them", () => {
    const allowed = "https://app.example";
    const options = { allowedOrigins: [allowed] };
    const around = fc.string({ minLength: 1, maxLength: 12 });
    const origin = fc.oneof(
      fc.webUrl(),
      around.map((text) => allowed + text),
      around.map((text) => text + allowed),
    );
    const host = `localhost:${port}`;
    expect(isForeign(options, host, allowed)).toBe(false);
    fc.assert(fc.property(origin, (text) => (text === allowed) !== isForeign(options, host, text)));
  });

  it("takes pages of its own loopback address: nothing else can have put them there", () => {
    const host = `127.0.0.1:${port}`;
    for (const name of own) expect(isForeign({}, host, `http://${name}`)).toBe(false);
    for (const origin of [
      `http://localhost:${port + 1}`,
      `https://localhost:${port}`,
      "http://localhost",
    ]) {
      expect(isForeign({}, host, origin)).toBe(true);
    }
    const auth = { bearer: "a-token-of-some-length" };
    const others = { host: "192.168.7.7", auth };
    expect(isForeign(others, `192.168.7.7:${port}`, `http://192.168.7.7:${port}`)).toBe(true);
  });

  it("takes the host without a port where that is the one that HTTP has by default", () => {
    const settings = readHttpOptions({});
    expect(whyForeign(request([["host", "localhost"]]), settings, 80)).toBeUndefined();
    expect(whyForeign(request([["host", "localhost"]]), settings, port)?.status).toBe(403);
  });

  it("does not take the loopback address where others are listened to", () => {
    const auth = { bearer: "a-token-of-some-length" };
    const options = { host: "192.168.7.7", auth };
    expect(isForeign(options, `192.168.7.7:${port}`)).toBe(false);
    expect(isForeign(options, `localhost:${port}`)).toBe(true);
  });
});
