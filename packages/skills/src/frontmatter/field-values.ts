import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import type { Remarks } from "./remarks.js";
import { scalarText, type YamlEntry } from "./yaml-entries.js";

/** A field and where it stands in the file. */
export interface Field {
  readonly key: string;
  /** Of the file, counted from 1. */
  readonly line: number;
  readonly node: YamlEntry["node"];
}

/** What a field holds, seen from where a text belongs. */
export type FieldValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "empty" }
  /** Without quotes YAML reads a number, a truth value or nothing. */
  | { readonly kind: "other"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] | undefined }
  | { readonly kind: "mapping" };

export function fieldValue({ node }: Field): FieldValue {
  if (node === null) return { kind: "empty" };
  if (isMap(node)) return { kind: "mapping" };
  if (isSeq(node)) {
    const items = node.items.map((item) => (isScalar(item) ? scalarText(scalar(item)) : undefined));
    return { kind: "list", items: items.every((item) => item !== undefined) ? items : undefined };
  }
  if (!isScalar(node)) return { kind: "empty" };
  const text = scalarText(scalar(node));
  if (typeof node.value === "string") return { kind: "text", text };
  return text === "" ? { kind: "empty" } : { kind: "other", text };
}

/** Remarks on texts that are read otherwise than they look. */
export function adviseOnText(field: Field, remarks: Remarks): void {
  const { node, line, key } = field;
  if (!isScalar(node) || node.type !== "PLAIN") return;
  const text = scalarText(scalar(node));
  if (typeof node.value === "string" && isOtherInYaml11(text)) {
    remarks.advise(
      "needs_quotes",
      `Readers of YAML 1.1 take ${text} for something else than a text.`,
      { line, fix: `${key}: ${JSON.stringify(text)}` },
    );
  }
  if (typeof node.comment === "string" && node.comment.trim() !== "") {
    remarks.warn(
      "comment_in_value",
      `"#" after a blank begins a comment: "${node.comment.trim().slice(0, 40)}" is not part of the value. Quote the value, or put the comment on a line of its own.`,
      { line },
    );
  }
}

function isOtherInYaml11(text: string): boolean {
  return /^(?:y|n|yes|no|on|off)$/i.test(text) || /^\d{4}-\d\d?-\d\d?(?:[Tt ].*)?$/.test(text);
}

/** The library's type has members that differ between its versions. */
function scalar(node: Scalar): { readonly value: unknown; readonly source?: string } {
  return { value: node.value, ...(node.source !== undefined && { source: node.source }) };
}
