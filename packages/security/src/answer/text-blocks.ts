import type { Content } from "@tunic/core";

/**
 * Gives pieces of text the ids of their blocks. Text of one id grows where its block stands: what comes
 * behind something that was put in between needs another id, or it would stand before it.
 */
export class TextBlocks {
  /** How often something was put into a block, by id. */
  readonly #cuts = new Map<string, number>();

  /** @param id Of the block that the texts are of; undefined: of none. */
  contentsOf(pieces: readonly (string | Content)[], id: string | undefined): readonly Content[] {
    return pieces.flatMap((piece): readonly Content[] => {
      if (typeof piece === "string") return piece === "" ? [] : [this.#text(piece, id)];
      if (!isBreak(piece) || id === undefined) return [piece];
      const cuts = this.#cuts.get(id);
      this.#cuts.set(id, (cuts ?? 0) + 1);
      // The block begins before what is put in, whenever its text comes.
      return cuts === undefined ? [{ type: "text", text: "", id }, piece] : [piece];
    });
  }

  #text(text: string, id: string | undefined): Content {
    if (id === undefined) return { type: "text", text };
    const cuts = this.#cuts.get(id) ?? 0;
    return { type: "text", text, id: cuts === 0 ? id : `${id}~${cuts}` };
  }
}

/** Whether a content stands between two texts of a block, as no text of the block itself does. */
function isBreak(content: Content): boolean {
  return content.type !== "text" || content.id === undefined;
}
