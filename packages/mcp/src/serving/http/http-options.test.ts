import { describe, expect, it } from "vitest";
import { readHttpOptions } from "./http-options.js";

describe("allowedHosts", () => {
  it.each([
    "mcp.example",
    "MCP.example",
    "mcp.example:8443",
    "mcp.example:80",
    "mcp.example:443",
    "my_service",
    "10.0.0.7:3000",
    "[fd00::7]",
    "[fd00::7]:3000",
    "xn--mller-kva.example",
  ])("takes %s, as a request names it", (host) => {
    expect(readHttpOptions({ allowedHosts: [host] }).hosts).toEqual([host.toLowerCase()]);
  });

  it.each([
    ["https://mcp.example", "mcp.example"],
    ["https://mcp.example:443/mcp", "mcp.example"],
    ["http://mcp.example:8080", "mcp.example:8080"],
    ["mcp.example/", "mcp.example"],
    ["mcp.example:8443/mcp", "mcp.example:8443"],
    ["mara@mcp.example", "mcp.example"],
    ["fd00::7", "[fd00::7]"],
  ])("refuses %s, and says what is meant", (host, meant) => {
    const read = () => readHttpOptions({ allowedHosts: ["ok.example", host] });
    expect(read).toThrow(expect.objectContaining({ code: "invalid_option" }));
    expect(read).toThrow(`got "${host}"; did you mean "${meant}"?`);
  });

  it.each(["*", "*.example", "mcp example", "mcp.example:port", "/mcp", "https://"])(
    "refuses %s",
    (host) => {
      const read = () => readHttpOptions({ allowedHosts: [host] });
      expect(read).toThrow(expect.objectContaining({ code: "invalid_option" }));
    },
  );
});
