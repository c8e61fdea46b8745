import { ConfigurationError } from "../errors/configuration-error.js";
import { canonicalJson } from "../messages/canonical-json.js";
import type { RequestedTool, ToolTraits } from "../messages/content.js";
import { defined } from "../messages/defined.js";
import { toBase64 } from "../messages/make-content.js";
import type { FunctionTool } from "../tools/tool.js";

const known = new WeakMap<FunctionTool, Promise<RequestedTool>>();

/** A tool as a person sees it who is asked about a call; worked out once for each tool. */
export function requestedTool(tool: FunctionTool): Promise<RequestedTool> {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const made = describe(tool);
  known.set(tool, made);
  // A failure is not for ever.
  made.catch(() => known.delete(tool));
  return made;
}

/** What a tool declares of its effects. */
function traitsOf({ readOnly, destructive, runsCode, trust }: FunctionTool): ToolTraits {
  return defined({ readOnly, destructive, runsCode, trust });
}

async function describe(tool: FunctionTool): Promise<RequestedTool> {
  const { name, owner, title, description, parameters } = tool;
  const shown = {
    name,
    ...(owner !== undefined && { owner }),
    ...(title !== undefined && { title }),
    description,
    parameters,
    traits: traitsOf(tool),
  };
  return { ...shown, hash: await hashOf(canonicalJson(shown)) };
}

async function hashOf(text: string): Promise<string> {
  const digest = await webCrypto().digest("SHA-256", new TextEncoder().encode(text));
  return base64Url(new Uint8Array(digest));
}

type WebCrypto = typeof globalThis.crypto.subtle;

/**
 * The platform's Web Crypto.
 *
 * @throws ConfigurationError `no_web_crypto`, such as in a page that was not loaded over https.
 */
export function webCrypto(): WebCrypto {
  // Not everywhere where there is `crypto`: pages have it only in secure contexts.
  const subtle: WebCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle) return subtle;
  throw new ConfigurationError(
    "no_web_crypto",
    "Approvals need Web Crypto (crypto.subtle), which a page has only over https or on localhost.",
  );
}

/** Base64 for addresses and file names (RFC 4648, section 5), without padding. */
export function base64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
