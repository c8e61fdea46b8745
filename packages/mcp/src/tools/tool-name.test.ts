import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTarget } from "../target.js";
import { serverLabel } from "./server-label.js";
import { asLabel, checkPrefix, toolName } from "./tool-name.js";

const prefix = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,38}[a-zA-Z0-9])?$/);

describe("toolName", () => {
  it("is the server's own name behind the prefix, where a model can be given that", () => {
    expect(toolName("files", "read_file")).toBe("files_read_file");
  });

  it("says in a hash what it had to leave out", () => {
    expect(toolName("files", "read.file")).toMatch(/^files_read-file_[0-9a-f]{8}$/);
    expect(toolName("files", "read file")).toMatch(/^files_read-file_[0-9a-f]{8}$/);
    expect(toolName("files", "read.file")).not.toBe(toolName("files", "read file"));
  });

  it("is one that every service takes, and the same each time", () => {
    fc.assert(
      fc.property(prefix, fc.string({ unit: "binary", maxLength: 200 }), (own, remote) => {
        const name = toolName(own, remote);
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(toolName(own, remote)).toBe(name);
      }),
    );
  });

  it("is another one for another name of the same server", () => {
    const names = fc.uniqueArray(fc.string({ maxLength: 100 }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(prefix, names, (own, all) => {
        expect(new Set(all.map((each) => toolName(own, each))).size).toBe(all.length);
      }),
    );
  });
});

describe("labels", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-everything", "server-everything"],
    ["npx -y some-server@1.2.3 --flag", "some-server"],
    ["npx @scope/name@latest", "name"],
    ["node ./dist/index.js", "mcp"],
    ["node /srv/harbor/dist/index.js", "harbor"],
    ["python3 tide_server.py", "tide_server"],
    ["/usr/bin/mcp-time", "mcp-time"],
    ["docker run -i --rm mcp/github", "github"],
    ["docker run -i --rm -e TOKEN -v /a:/b --network host ghcr.io/mcp/time:1.2 --utc", "time"],
    ["podman container run -it --mount=type=bind docker.io/mcp/tide@sha256:0a1b", "tide"],
    ["uv run tide.py", "tide"],
    ["uv --directory /srv/harbor run --with mcp tide.py", "tide"],
    ["uv tool run mcp-server-time", "mcp-server-time"],
    ["pnpm dlx some-server@2", "some-server"],
    ["npm exec -y -- @scope/name", "name"],
    ["bun x some-server", "some-server"],
    ["deno run -A jsr:@scope/tide", "tide"],
    ["npx run", "run"],
    ["https://mcp.example.com/v1", "mcp-example-com"],
    ["http://127.0.0.1:3001/mcp", "127-0-0-1-3001"],
    ["ws://[::1]:80/", "1"],
  ])("of %s is %s", (target, label) => {
    expect(serverLabel(readTarget(target))).toBe(label);
  });

  it("that are derived can always be used", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const label = asLabel(text);
        if (label !== undefined) checkPrefix("name", label);
      }),
    );
  });

  it.each(["", "_a", "a_", "a b", "a.b", "x".repeat(41), 1, null])("refuses %j", (label) => {
    expect(() => checkPrefix("name", label)).toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
  });
});
