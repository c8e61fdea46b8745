/** An object's members, each without `undefined`; optional ones stay optional. */
export type Defined<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> };

/** Options without the members that were given as undefined: such a member says nothing. */
export function defined<Options extends object>(options: Options): Defined<Options> {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Defined<Options>;
}
