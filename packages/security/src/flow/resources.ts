import type { JsonObject } from "@tunic/core";
import type { ContentLabel } from "../labels/content-label.js";
import type { CompiledTool } from "../policy/compile-policy.js";
import { own, put } from "./flow-memory.js";
import type { FlowRun } from "./flow-run.js";

/** The keys that templates such as `file:{file_id}` stand for, given the arguments of a call. */
function resourceKeys(templates: readonly string[], args: JsonObject): readonly string[] {
  return templates.map((template) =>
    template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      return typeof value === "string" ? value : JSON.stringify(value ?? null);
    }),
  );
}

/** The join of what was written to where a call reads. */
export function readResources(
  { memory, settings: { lattice } }: FlowRun,
  tool: CompiledTool,
  args: JsonObject,
): ContentLabel {
  return lattice.joinAll(
    resourceKeys(tool.reads, args).map((key) => {
      const label = own(memory.resources, key);
      return label === undefined ? lattice.bottom : (lattice.read(label) ?? lattice.top);
    }),
  );
}

/**
 * What a call writes keeps its label: whoever reads it back gets it. Noted before anything of a
 * batch runs, so that it does not matter which of its calls is faster.
 */
export function noteWrites(
  flow: FlowRun,
  tool: CompiledTool,
  args: JsonObject,
  label: ContentLabel,
): void {
  const { lattice } = flow.settings;
  for (const key of resourceKeys(tool.writes, args)) {
    const before = own(flow.memory.resources, key);
    const joined =
      before === undefined ? label : lattice.join(lattice.read(before) ?? lattice.top, label);
    put(flow.memory.resources, key, joined);
  }
}
