import { isJsonObject, type JsonObject } from "@tunic/core";

/**
 * Whether a field of a form can have a value that its server proposes. What cannot would go back to the server as
 * if a person had agreed to it.
 *
 * @param field As it is shown.
 */
export function fits(value: unknown, field: JsonObject): boolean {
  switch (field["type"]) {
    case "string":
      return (
        typeof value === "string" &&
        isBetween([...value].length, field, "Length") &&
        isChoice(value, field)
      );
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return (
        Array.isArray(value) &&
        isBetween(value.length, field, "Items") &&
        value.every((each) => isChoice(each, field["items"]))
      );
    default:
      // JSON can say what no number is, such as 1e400, and cannot write it again.
      if (typeof value !== "number" || !Number.isFinite(value) || !isBetween(value, field, "imum"))
        return false;
      return field["type"] === "number" || Number.isInteger(value);
  }
}

/** @param what Ends the names of both limits. */
function isBetween(amount: number, field: JsonObject, what: string): boolean {
  const { [`min${what}`]: least, [`max${what}`]: most } = field;
  if (typeof least === "number" && amount < least) return false;
  return typeof most !== "number" || amount <= most;
}

function isChoice(value: unknown, field: unknown): boolean {
  const { enum: texts, oneOf, anyOf = oneOf } = isJsonObject(field) ? field : {};
  const isAmong = (list: unknown, of: (each: unknown) => unknown): boolean =>
    !Array.isArray(list) || list.some((each: unknown) => of(each) === value);
  return (
    isAmong(texts, (each) => each) &&
    isAmong(anyOf, (each) => (isJsonObject(each) ? each["const"] : undefined))
  );
}
