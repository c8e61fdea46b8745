import type { JsonObject } from "../messages/json.js";

/**
 * The type of the values that a JSON Schema literal describes. What cannot be read off a literal
 * (`$ref`, conditions, patterns, keywords without a type) is `unknown`.
 */
export type FromJsonSchema<Schema> = Schema extends true
  ? unknown
  : Schema extends false
    ? never
    : Schema extends { readonly $ref: string }
      ? unknown
      : Schema extends { readonly const: infer Constant }
        ? Constant
        : Schema extends { readonly enum: readonly (infer Member)[] }
          ? Member
          : FromType<Schema> & FromAlternatives<Schema> & FromAllOf<Schema>;

type FromType<Schema> = Schema extends { readonly type: readonly (infer Type)[] }
  ? FromNamedType<Schema, Type>
  : Schema extends { readonly type: infer Type }
    ? FromNamedType<Schema, Type>
    : Schema extends { readonly properties: unknown }
      ? FromObject<Schema>
      : unknown;

// Distributes over the names of a type list.
type FromNamedType<Schema, Type> = Type extends "string"
  ? string
  : Type extends "number" | "integer"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? FromArray<Schema>
          : Type extends "object"
            ? FromObject<Schema>
            : unknown;

type FromArray<Schema> = Schema extends { readonly prefixItems: unknown }
  ? readonly unknown[]
  : Schema extends { readonly items: readonly unknown[] }
    ? readonly unknown[]
    : Schema extends { readonly items: infer Item }
      ? readonly FromJsonSchema<Item>[]
      : readonly unknown[];

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? // A schema whose names are not known says nothing about any of them.
    string extends keyof Properties
    ? JsonObject
    : Flat<
        {
          [Name in Present<Schema, Properties>]: FromJsonSchema<Properties[Name]>;
        } & {
          [Name in Exclude<keyof Properties, Present<Schema, Properties>>]?: FromJsonSchema<
            Properties[Name]
          >;
        }
      >
  : Schema extends { readonly additionalProperties: infer Value }
    ? Value extends boolean
      ? JsonObject
      : { readonly [name: string]: FromJsonSchema<Value> }
    : JsonObject;

/** Required ones, and those with a default: it is filled in before a function is called. */
type Present<Schema, Properties> =
  | (Schema extends { readonly required: readonly (infer Name)[] }
      ? string extends Name
        ? never
        : Name & keyof Properties
      : never)
  | {
      [Name in keyof Properties]: Properties[Name] extends { readonly default: unknown }
        ? Name
        : never;
    }[keyof Properties];

type FromAlternatives<Schema> = Schema extends { readonly anyOf: readonly (infer Member)[] }
  ? FromEach<Member>
  : Schema extends { readonly oneOf: readonly (infer Member)[] }
    ? FromEach<Member>
    : unknown;

type FromEach<Member> = Member extends unknown ? FromJsonSchema<Member> : never;

type FromAllOf<Schema> = Schema extends { readonly allOf: infer Members }
  ? FromAll<Members>
  : unknown;

type FromAll<Members> = Members extends readonly [infer First, ...infer Rest]
  ? FromJsonSchema<First> & FromAll<Rest>
  : unknown;

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
