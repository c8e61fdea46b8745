import { isJsonObject, type JsonObject } from "@tunic/core";
import type { ContentLabel } from "@tunic/security";

/**
 * What a server says about the flow of what it gives (`_meta.ifc`), as a label in the form that
 * `@tunic/security` reads. It can only restrict: that something is trusted is no server's to say, so that is left out
 * here already. What cannot be read is as restricted as can be.
 */
export function labelFromMeta(meta: unknown): (JsonObject & ContentLabel) | undefined {
  const ifc = isJsonObject(meta) ? meta["ifc"] : undefined;
  if (ifc === undefined) return undefined;
  const { confidentiality } = isJsonObject(ifc) ? ifc : {};
  if (typeof confidentiality !== "string") return unreadable;
  return { integrity: "untrusted", confidentiality };
}

/** A level that no lattice has: it counts as the top of each. */
const unreadable = { integrity: "untrusted", confidentiality: "?" } as const;
