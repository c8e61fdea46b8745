// The public surface of @tunic/mcp. What is named here is API; nothing else is.
export {};
