import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { toMcpError } from "./sdk-errors.js";

describe("toMcpError", () => {
  it.each([
    [new SdkError(SdkErrorCode.CapabilityNotSupported, "no handler"), "mcp_wrong_answer", false],
    [new SdkError(SdkErrorCode.UnsupportedResultType, "what is this"), "mcp_wrong_answer", false],
    [new SdkError(SdkErrorCode.ConnectionClosed, "closed"), "mcp_connection_lost", false],
    [new SdkError(SdkErrorCode.NotConnected, "not yet"), "mcp_connection_lost", true],
    [new ProtocolError(-32000, "Unauthorized"), "mcp_request_failed", false],
    [Object.assign(new Error("reset"), { code: "ECONNRESET" }), "mcp_connection_lost", false],
    [
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      }),
      "mcp_connection_lost",
      true,
    ],
  ])("takes %s for %s (not sent: %s)", (error, code, notSent) => {
    expect(toMcpError(error, true)).toMatchObject({ code, notSent });
  });

  it.each([
    ["MCP error -32601: MCP error -32601: Method not found", "Method not found"],
    ["MCP error -32601: Method not found", "Method not found"],
    ["Method not found", "Method not found"],
    // Of another code: what the server was told by somebody else.
    ["MCP error -32601: MCP error -32000: gone", "MCP error -32000: gone"],
  ])("says the code of %j once", (message, text) => {
    const error = Object.assign(new Error(message), { code: -32601 });
    expect(toMcpError(error, true)).toMatchObject({ rpcCode: -32601, message: text });
  });

  it.each([
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"No such method"}}',
      "mcp_request_failed",
    ],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}',
      "mcp_connection_lost",
    ],
    ["null", "mcp_connection_lost"],
    ["<html>", "mcp_connection_lost"],
  ])("takes 404 with %j for %s", (text, code) => {
    const error = new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "Error POSTing", {
      status: 404,
      text,
    });
    expect(toMcpError(error, true)).toMatchObject({ code });
  });
});
