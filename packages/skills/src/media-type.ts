/** What models take that is no text. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
  [".pdf", "application/pdf"],
]);

/** The media type of a file, by the end of its name alone; undefined for what can only be a text. */
export function mediaTypeOf(name: string): string | undefined {
  return mediaTypes.get(/\.[^./]+$/.exec(name)?.[0].toLowerCase() ?? "");
}
