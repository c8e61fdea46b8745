// The public surface of @tunic/mcp/server. What is named here is API; nothing else is.
export {};
