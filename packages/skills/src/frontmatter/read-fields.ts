import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import type { SkillFrontmatter } from "../skill.js";
import { hasCommas, splitAllowedTools } from "./allowed-tools.js";
import { adviseOnText, type Field, type FieldValue, fieldValue } from "./field-values.js";
import type { Remarks } from "./remarks.js";
import { checkSkillName, isSkillName } from "./skill-name.js";
import { scalarText } from "./yaml-entries.js";

/** Lengths in characters (code points), from the specification. */
export const maxDescriptionLength = 1024;
export const maxCompatibilityLength = 500;

/** Another spelling of the one field that restricts, so that no restriction gets lost. */
function isAllowedTools(key: string): boolean {
  const letters = key
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return /^allowedtools?$/.test(letters);
}

const known: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
]);

/**
 * Makes the frontmatter of its fields, and says what is wrong with them. What it gives is to be used only
 * where no remark is an error.
 *
 * @param directory The name of the folder that the file stands in. Undefined: not compared.
 */
export function readFields(
  entries: readonly Field[],
  remarks: Remarks,
  directory: string | undefined,
): SkillFrontmatter {
  const fields = knownFields(entries, remarks);
  const name = readName(fields.get("name"), remarks, directory);
  const description = readDescription(fields.get("description"), remarks);
  const license = readOptional(fields.get("license"), remarks);
  const compatibility = readCompatibility(fields.get("compatibility"), remarks);
  const allowedTools = readAllowedTools(fields.get("allowed-tools"), remarks);
  const metadata = readMetadata(fields.get("metadata"), remarks);
  return {
    name,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools !== undefined && { allowedTools }),
    ...(metadata !== undefined && { metadata }),
  };
}

function knownFields(entries: readonly Field[], remarks: Remarks): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const field of entries) {
    const { line } = field;
    const lower = field.key.toLowerCase();
    // `Allowed-Tools` and the like are restrictions; that a `Name` is the name is not ours to say.
    const key = isAllowedTools(field.key) ? "allowed-tools" : field.key;
    if (!known.has(key)) {
      refuseMerged(field, remarks);
      const advice = known.has(lower)
        ? `it is written in small letters, "${lower}"`
        : 'fields of your own are members of metadata, for example "metadata: { team: docs }"';
      const message = `The specification has no field "${field.key}"; ${advice}.`;
      remarks.deviation("unknown_field", message, { line });
      continue;
    }
    if (key !== field.key) {
      const message = `The field is called allowed-tools, not "${field.key}".`;
      remarks.deviation("field_spelling", message, { line });
    }
    if (fields.has(key)) {
      remarks.refuse("duplicate_key", `"${key}" stands here twice; keep one of them.`, { line });
    }
    fields.set(key, field);
  }
  return fields;
}

/** What is merged (`<<`) is not read; for other readers it would restrict. */
function refuseMerged({ key, line, node }: Field, remarks: Remarks): void {
  if (key !== "<<" || !isMap(node)) return;
  if (!node.items.some((item) => isScalar(item.key) && isAllowedTools(String(item.key.value))))
    return;
  remarks.refuse("allowed_tools_unreadable", "allowed-tools must be a field of its own.", {
    line,
  });
}

function readName(field: Field | undefined, remarks: Remarks, directory?: string): string {
  const named = isSkillName(directory ?? "") ? { fix: `name: ${directory}` } : {};
  const name = readRequired(field, remarks, "name", named);
  if (name === undefined || field === undefined) return "";
  const { line } = field;
  checkSkillName(name, remarks, line);
  if (directory !== undefined && directory.normalize("NFC") !== name.normalize("NFC")) {
    const message = `The name "${name}" is not that of the folder "${directory}"; one of them must change.`;
    remarks.deviation("name_directory", message, { line, ...named });
  }
  return name;
}

function readDescription(field: Field | undefined, remarks: Remarks): string {
  const value = field && fieldValue(field);
  if (value?.kind === "other" && field !== undefined) {
    remarks.refuse("wrong_type", `The description is not a text but ${value.text}.`, {
      line: field.line,
      fix: `description: ${JSON.stringify(value.text)}`,
    });
    return "";
  }
  const text = readRequired(field, remarks, "description") ?? "";
  const length = [...text].length;
  if (length > maxDescriptionLength) {
    const message = `The description has ${length} characters; ${maxDescriptionLength} at most.`;
    remarks.refuse("description_length", message, { line: field?.line });
  }
  return text;
}

const examples = {
  name: "name: tie-knots",
  description: "description: Ties knots. Use it for ropes and lines.",
} as const;

/**
 * A text that has to be there and to say something.
 *
 * @param place What to write where it does not, if that is known.
 */
function readRequired(
  field: Field | undefined,
  remarks: Remarks,
  key: "name" | "description",
  place: { readonly fix?: string } = {},
): string | undefined {
  const advice = place.fix === undefined ? ` Write it, for example "${examples[key]}".` : "";
  if (field === undefined) {
    remarks.refuse(`${key}_missing`, `There is no ${key}.${advice}`, { line: 1, ...place });
    return undefined;
  }
  const { line } = field;
  const value = fieldValue(field);
  if (value.kind === "list" || value.kind === "mapping") {
    remarks.refuse("wrong_type", `The ${key} must be a text, not a ${value.kind}.`, { line });
    return undefined;
  }
  const text = value.kind === "empty" ? "" : value.text.trim();
  if (text === "") {
    remarks.refuse(`${key}_blank`, `The ${key} says nothing.${advice}`, { line, ...place });
    return undefined;
  }
  adviseOnText(field, remarks);
  if (value.kind === "other") unquoted(field, value.text, remarks);
  if (hasControls(text)) {
    remarks.deviation("control_characters", `The ${key} holds invisible control characters.`, {
      line,
    });
  }
  return text;
}

function readOptional(field: Field | undefined, remarks: Remarks): string | undefined {
  if (field === undefined) return undefined;
  const { key, line } = field;
  const value = fieldValue(field);
  adviseOnText(field, remarks);
  if (value.kind === "text") return value.text;
  if (value.kind === "other") {
    unquoted(field, value.text, remarks);
    return value.text;
  }
  if (value.kind === "list" && value.items) {
    const joined = value.items.join(", ");
    remarks.deviation("wrong_type", `${key} must be one text, not a list.`, {
      line,
      fix: `${key}: ${JSON.stringify(joined)}`,
    });
    return joined;
  }
  const what = value.kind === "empty" ? "is empty; leave it out" : "must be a text; it is left out";
  remarks.deviation(value.kind === "empty" ? "empty_field" : "wrong_type", `${key} ${what}.`, {
    line,
  });
  return undefined;
}

function readCompatibility(field: Field | undefined, remarks: Remarks): string | undefined {
  const text = readOptional(field, remarks);
  if (text === undefined || field === undefined) return undefined;
  const length = [...text].length;
  if (length >= 1 && length <= maxCompatibilityLength) return text;
  const message = `compatibility has ${length} characters; 1 to ${maxCompatibilityLength}.`;
  remarks.deviation("compatibility_length", message, { line: field.line });
  return length === 0 ? undefined : text;
}

/** A restriction that cannot be read is no reason to do without it. */
function readAllowedTools(
  field: Field | undefined,
  remarks: Remarks,
): readonly string[] | undefined {
  if (field === undefined) return undefined;
  const { line } = field;
  const value = fieldValue(field);
  const text = toolsText(value);
  const tools = text === undefined ? undefined : splitAllowedTools(text);
  if (text === undefined || tools === undefined) {
    const message =
      'allowed-tools cannot be read: write names of tools with blanks between them, parentheses in pairs, for example "allowed-tools: Read Bash(git log:*)".';
    remarks.refuse("allowed_tools_unreadable", message, { line });
    return undefined;
  }
  const fix = `allowed-tools: ${tools.join(" ")}`;
  if (value.kind === "list") {
    const message = "allowed-tools must be one text with blanks between the names, not a list.";
    remarks.deviation("wrong_type", message, { line, fix });
  } else if (hasCommas(text)) {
    remarks.deviation("allowed_tools_commas", "Names of tools have blanks between them.", {
      line,
      fix,
    });
  }
  if (tools.length === 0) {
    const message = "allowed-tools is empty: no tool may run. Leave it out to allow all.";
    remarks.deviation("empty_field", message, { line });
  }
  adviseOnText(field, remarks);
  return tools;
}

function toolsText(value: FieldValue): string | undefined {
  if (value.kind === "text") return value.text;
  if (value.kind === "empty") return "";
  return value.kind === "list" ? value.items?.join(" ") : undefined;
}

function readMetadata(
  field: Field | undefined,
  remarks: Remarks,
): Readonly<Record<string, string>> | undefined {
  if (field === undefined) return undefined;
  const { node, line } = field;
  if (node === null || !isMap<Node, Node | null>(node)) {
    const message = 'metadata must be lines of the form "key: value"; it is left out.';
    remarks.deviation("wrong_type", message, { line });
    return undefined;
  }
  const members = new Map<string, string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? scalarText({ value: key.value }) : "";
    if (name === "" || members.has(name)) {
      const what = name === "" ? "a key that is no word" : `"${name}" twice`;
      remarks.deviation("metadata_key", `metadata has ${what}; the first counts.`, { line });
    } else members.set(name, metadataText(name, value, line, remarks));
  }
  // Not by assignment: a member called "__proto__" is a member like any other.
  return Object.fromEntries(members);
}

/** As the reference validator does it, every value becomes a text. */
function metadataText(name: string, node: Node | null, line: number, remarks: Remarks): string {
  if (node === null || isAlias(node)) return "";
  if (isScalar(node)) {
    return scalarText({
      value: node.value,
      ...(node.source !== undefined && { source: node.source }),
    });
  }
  const kind = isSeq(node) ? "list" : "mapping";
  remarks.deviation("wrong_type", `metadata "${name}" must be a text, not a ${kind}.`, { line });
  return JSON.stringify(node.toJSON());
}

function unquoted({ key, line }: Field, text: string, remarks: Remarks): void {
  remarks.deviation("wrong_type", `Without quotes YAML takes ${text} for no text.`, {
    line,
    fix: `${key}: ${JSON.stringify(text)}`,
  });
}

/** Control and formatting characters that hide or turn what is read around; line ends are none. */
function hasControls(text: string): boolean {
  return /[^\P{C}\n\t\u200C\u200D]/u.test(text);
}
