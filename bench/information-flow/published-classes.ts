import type { CallRule, FlowEffect, FlowPolicy, ToolFlow } from "@tunic/security";
import type { Harness, ToolTraits } from "./harness.js";

type Label = { readonly integrity: "trusted" | "untrusted"; readonly confidentiality?: "private" };

/** What of the published classes a policy takes over, and how. */
export interface Classes {
  /** The rule for tools of the class "P-F or P-T". */
  readonly permissive: CallRule;
  /** Whether the sensitive arguments are guarded, or only the decision to call. */
  readonly guardArguments: boolean;
  /**
   * What is private: what the user's own sources bring (`sources`), or whatever is untrusted, so that
   * nothing may leave an untrusted context (`untrusted`).
   */
  readonly private: "sources" | "untrusted";
}

/** The classes that this repository's policy takes over. */
export const ours: Classes = {
  permissive: "trusted_action",
  guardArguments: true,
  private: "sources",
};

/** A policy's tools, made of nothing but the published classes: the same rule for every tool of every suite. */
export function publishedTools(harness: Harness, classes: Classes): FlowPolicy["tools"] {
  const tools: Record<string, ToolFlow> = {};
  const seen = new Set<string>();
  for (const descriptor of harness.episodes({ kind: "benign" })) {
    if (seen.has(descriptor.suite)) continue;
    seen.add(descriptor.suite);
    for (const { name, traits } of harness.createEpisode(descriptor).tools)
      tools[name] = toolFlow(traits, classes);
  }
  return tools;
}

function toolFlow(traits: ToolTraits, classes: Classes): ToolFlow {
  const { fidesPolicy, sensitiveArgs, untrustedResultPaths, privateSource } = traits;
  const fromSource = classes.private === "sources" && privateSource;
  const label = (integrity: Label["integrity"]): Label | Label["integrity"] => {
    const isPrivate = fromSource || (classes.private === "untrusted" && integrity === "untrusted");
    return isPrivate ? { integrity, confidentiality: "private" } : integrity;
  };
  const paths = untrustedResultPaths.map((path) => [path, label("untrusted")] as const);
  return {
    effects: effectsOf(traits),
    ...(fidesPolicy !== null && {
      rule: fidesPolicy === "P-T" ? "trusted_action" : classes.permissive,
      arguments: Object.fromEntries(
        (classes.guardArguments ? sensitiveArgs : []).map((name) => [
          name,
          { integrity: "trusted" },
        ]),
      ),
    }),
    result: { $: label("trusted"), ...Object.fromEntries(paths) },
  };
}

/** A network read is both: it brings data, and carries its address away. */
function effectsOf({ consequential, readOnly, egress }: ToolTraits): readonly FlowEffect[] {
  return [
    ...(readOnly ? (["read"] as const) : []),
    ...(consequential && !readOnly ? (["consequential"] as const) : []),
    ...(egress ? (["egress"] as const) : []),
  ];
}
