/** Thrown inside the conversion to strict form, and caught by whoever began it. */
export class StrictRefusal extends Error {
  override readonly name = "StrictRefusal";
}

/**
 * Says that a schema has no strict form.
 *
 * @param path Where in the schema, as a JSON pointer; "" is the root.
 */
export function refuse(path: string, why: string): never {
  throw new StrictRefusal(`${path === "" ? "the root" : `#${path}`} ${why}`);
}
