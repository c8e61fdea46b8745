import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { isHttpError, isSdkError, isSseError, isUnauthorizedError } from "./sdk-error-kinds.js";
import { httpStatusOf, toMcpError } from "./sdk-errors.js";

type Made = new (...args: unknown[]) => Error;
type Copy = Readonly<
  Record<"Http1" | "Sse1" | "Auth1" | "Sse2" | "Auth2" | "Sdk2" | "Http2", Made>
>;

/** Both lines of the SDK as a bundler leaves them, which is also another copy of them. */
async function bundled(minify: boolean): Promise<Copy> {
  const contents = `
    export { StreamableHTTPError as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
    export { SseError as Sse1 } from "@modelcontextprotocol/sdk/client/sse.js";
    export { UnauthorizedError as Auth1 } from "@modelcontextprotocol/sdk/client/auth.js";
    export { SseError as Sse2, UnauthorizedError as Auth2, SdkError as Sdk2, SdkHttpError as Http2 } from "@modelcontextprotocol/client";
  `;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify,
    format: "esm",
    platform: "node",
    write: false,
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`);
}

describe.each([false, true])("errors of a bundled SDK (minified: %s)", async (minify) => {
  const { Http1, Sse1, Auth1, Sse2, Auth2, Sdk2, Http2 } = await bundled(minify);

  it("are really of other classes", () => {
    expect(/^(SseError|UnauthorizedError)$/.test(new Sse1(1, "x").constructor.name)).toBe(!minify);
  });

  it("tell the status of an answer", () => {
    expect(httpStatusOf(new Http1(404, "gone"))).toBe(404);
    expect(httpStatusOf(new Sse1(405, "no", {}))).toBe(405);
    expect(httpStatusOf(new Sse2(405, "no", {}))).toBe(405);
    expect(httpStatusOf(new Http2("CLIENT_HTTP_FORBIDDEN", "no", { status: 403 }))).toBe(403);
  });

  it("tell a broken stream", () => {
    expect([new Sse1(1, "x", {}), new Sse2(1, "x", {})].every(isSseError)).toBe(true);
    expect(
      [new Http1(404, "x"), new Sdk2("X", "x"), new Error("SSE error: x")].some(isSseError),
    ).toBe(false);
  });

  it("tell that somebody has to sign in", () => {
    for (const error of [
      new Auth1(),
      new Auth1("Failed to authorize"),
      new Auth2(),
      new Auth2("Why not"),
    ]) {
      expect(isUnauthorizedError(error)).toBe(true);
      expect(toMcpError(error, true)).toMatchObject({ code: "mcp_unauthorized" });
    }
    const said = Object.assign(new Error("Unauthorized"), { code: -32000 });
    expect([new Sdk2("X", "Unauthorized"), said].some(isUnauthorizedError)).toBe(false);
  });

  it("tell what is the SDK's own", () => {
    expect([new Sdk2("X", "x"), new Http2("X", "x", {})].every(isSdkError)).toBe(true);
    expect([new Http1(1, "x"), new Error("x")].some(isSdkError)).toBe(false);
    expect([new Sdk2("X", "x"), new Error("x")].some(isHttpError)).toBe(false);
    expect(toMcpError(new Sdk2("SOME_CODE", "x"), true)).toMatchObject({
      code: "mcp_wrong_answer",
    });
  });
});
