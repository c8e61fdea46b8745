import type { JsonValue } from "@tunic/core";
import type { FlowMemory, StoredVariable } from "../flow/flow-memory.js";
import { own, put } from "../flow/flow-memory.js";
import type { ContentLabel } from "../labels/content-label.js";
import type { ValueOrigin } from "../policy/flow-policy.js";
import { valueAt, wholeValue } from "../tree/json-path.js";

/** How much may be hidden in one session. */
export interface VariableLimits {
  /** How many variables. Default 10,000. */
  readonly variables?: number | undefined;
  /** Bytes of all of them together, as UTF-16 characters of their JSON. Default 32 MiB. */
  readonly bytes?: number | undefined;
}

/** The hidden values of one conversation. Ids say nothing elsewhere. */
export interface ContentVariableStore {
  /** Keeps a value, and gives the id that stands for it: `v1`, `v2` … */
  add(value: JsonValue, label: ContentLabel, origin: ValueOrigin): string;
  /** @param path In the value, such as `body` or `[0]`. Undefined for what this conversation does not hold. */
  get(id: string, path?: string): StoredVariable | undefined;
}

/** The conversation has hidden as much as it may. */
export class VariableLimitError extends Error {
  override readonly name = "VariableLimitError";
}

/** The variables in a conversation's memory. */
export function variableStore(
  memory: FlowMemory,
  limits: VariableLimits = {},
): ContentVariableStore {
  const { variables: most = 10_000, bytes: mostBytes = 32 * 1024 * 1024 } = limits;
  // Not by their numbers: those of another conversation are left out.
  let count = Object.keys(memory.variables).length;
  return {
    add(value, label, origin) {
      const bytes = sizeOf(value);
      if (count >= most || memory.bytes + bytes > mostBytes) {
        throw new VariableLimitError(
          `The conversation has hidden ${count} values of ${memory.bytes} bytes: no more fits.`,
        );
      }
      const id = `v${memory.next}`;
      memory.next += 1;
      count += 1;
      memory.bytes += bytes;
      put(memory.variables, id, { value, label, origin });
      return id;
    },
    get(id, path = wholeValue) {
      const stored = own(memory.variables, id);
      if (stored === undefined || path === wholeValue) return stored;
      const value = valueAt(stored.value, path);
      return value === undefined ? undefined : { ...stored, value };
    },
  };
}

/** Texts are measured without being copied: they are most of what is hidden. */
function sizeOf(value: JsonValue): number {
  return typeof value === "string" ? value.length : JSON.stringify(value).length;
}
