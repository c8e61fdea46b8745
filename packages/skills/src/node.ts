// The public surface of @tunic/skills. What is named here is API; nothing else is.
export {};
