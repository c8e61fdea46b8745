// The public surface of @tunic/security. What is named here is API; nothing else is.

export { digest } from "./audit/digest.js";
