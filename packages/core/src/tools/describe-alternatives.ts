import { isJsonObject, type JsonValue } from "../messages/json.js";
import type { SchemaViolation } from "./schema-violation.js";
import { expectationOf, shortJson } from "./schema-words.js";

/** Beyond so many, violations are not sorted any more: nobody reads them. */
const maximumSorted = 200;

/** How much more a wrong `const` or `enum` tells than any other violation: another form is meant. */
const wrongFormWeight = 10;

/** Whether a violation says that none (or too many) of several forms fit. */
export function isAlternative({ keyword }: SchemaViolation): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/** Keywords whose violation says all; what is wrong with the schema inside explains nothing. */
const closed = new Set(["contains", "minContains", "maxContains", "not"]);

/** Violations without those that only tell why a member of an `anyOf` and the like did not fit. */
export function topViolations(violations: readonly SchemaViolation[]): readonly SchemaViolation[] {
  // Only says that `then` or `else` does not fit, whose own violations are there.
  const told = violations.filter(({ keyword }) => keyword !== "if");
  const sorted = told.slice(0, maximumSorted);
  const groups = sorted.filter((each) => isAlternative(each) || closed.has(each.keyword));
  if (groups.length === 0) return told;
  const rest = told.length > maximumSorted ? told.slice(maximumSorted) : [];
  const top = sorted.filter((each) => !groups.some((group) => belongsTo(each, group)));
  // Recursive schemas can make two groups belong to each other.
  return top.length > 0 ? [...top, ...rest] : groups.slice(0, 1);
}

/** What a violated `anyOf` or `oneOf` expects: the simple forms by name, else the nearest one. */
export function describeForms(
  group: SchemaViolation,
  all: readonly SchemaViolation[],
  value: unknown,
  describe: (member: SchemaViolation) => string,
): string {
  const forms = formsOf(group);
  if (group.matches !== undefined) {
    return `fits ${group.matches} of ${forms.length} allowed forms, and must fit exactly one; got ${shortJson(value)}`;
  }
  const members = all.slice(0, maximumSorted).filter((each) => belongsTo(each, group));
  const nearest = nearestForm(group, members);
  if (nearest === undefined) {
    const words = [
      ...new Set(forms.map((form) => expectationOf(resolvable(form)) ?? "another form")),
    ];
    return `expected ${words.join(" or ")}; got ${shortJson(value)}`;
  }
  const reasons = [...new Set(topViolations(nearest.violations).map(describe))].slice(0, 3);
  return `fits none of ${forms.length} allowed forms; nearest to form ${nearest.form + 1}: ${reasons.join("; ")}`;
}

function formsOf({ schema, keyword }: SchemaViolation): readonly JsonValue[] {
  const forms = schema[keyword];
  return Array.isArray(forms) ? forms : [];
}

/** A form by reference is described by its name. */
function resolvable(form: JsonValue): JsonValue {
  if (!isJsonObject(form) || typeof form["$ref"] !== "string") return form;
  return { type: form["$ref"].split("/").at(-1) ?? "another form" };
}

interface Form {
  readonly form: number;
  readonly violations: readonly SchemaViolation[];
}

/** The form of the value's own type with the least wrong; undefined where no type fits. */
function nearestForm(
  group: SchemaViolation,
  members: readonly SchemaViolation[],
): Form | undefined {
  const byForm = new Map<number, SchemaViolation[]>();
  for (const member of members) {
    const form = formIndex(member, group);
    if (form === undefined) continue;
    const there = byForm.get(form) ?? [];
    there.push(member);
    byForm.set(form, there);
  }
  let best: Form | undefined;
  let leastWrong = Number.POSITIVE_INFINITY;
  for (const [form, violations] of byForm) {
    const decisive = violations.some(
      ({ path, keyword }) => path === group.path && isOfValue(keyword),
    );
    const wrong = violations.reduce((sum, each) => sum + weightOf(each), 0);
    if (decisive || wrong >= leastWrong) continue;
    best = { form, violations };
    leastWrong = wrong;
  }
  return best;
}

function isOfValue(keyword: string): boolean {
  return keyword === "type" || keyword === "const" || keyword === "enum";
}

function weightOf({ keyword }: SchemaViolation): number {
  return keyword === "const" || keyword === "enum" ? wrongFormWeight : 1;
}

function belongsTo(member: SchemaViolation, group: SchemaViolation): boolean {
  if (member === group) return false;
  if (member.path !== group.path && !member.path.startsWith(`${group.path}/`)) return false;
  if (member.schemaPath.startsWith(`${group.schemaPath}/`)) return true;
  return isAlternative(group) && formIndex(member, group) !== undefined;
}

/** Which form a violation is about. Behind a `$ref` its place is the one that it leads to. */
function formIndex({ schemaPath }: SchemaViolation, group: SchemaViolation): number | undefined {
  const inside = `${group.schemaPath}/`;
  if (schemaPath.startsWith(inside)) return Number.parseInt(schemaPath.slice(inside.length), 10);
  const index = formsOf(group).findIndex((form) => {
    const reference = isJsonObject(form) ? form["$ref"] : undefined;
    return (
      typeof reference === "string" &&
      reference.length > 1 &&
      schemaPath.startsWith(`${reference}/`)
    );
  });
  return index < 0 ? undefined : index;
}
