const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Written out: characters that nobody sees, that move the cursor, or that turn the text around. */
export function visible(text: string, but = ""): string {
  return text.replace(unseen, (character) =>
    character === but
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}

/** A value in one line, with texts in quotes: what is written in it cannot look like what stands around it. */
export function quoted(value: unknown): string {
  return visible(JSON.stringify(value) ?? "");
}
