/**
 * What Tunic uses of the Standard Schema interface, version 1, and of its JSON Schema extension
 * (https://standardschema.dev): zod 4.2 and later, arktype and valibot (through
 * `toStandardJsonSchema`) implement both.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** Whether a value is a Standard Schema. Some libraries make theirs as functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return (
    "~standard" in value && typeof (value as StandardSchema)["~standard"]?.validate === "function"
  );
}
