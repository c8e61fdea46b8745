/** The generation that an alias such as `gemini-flash-latest` stands for. */
const current = 3;

/** For names that say nothing, of tuned models and of other families: what every model takes. */
const unknown = 2;

/**
 * Which generation of Gemini a model is of, by its name. From 3 on, the service wants thought
 * signatures on calls, and takes media inside of results, its own tools beside functions, and a form of
 * the answer beside functions.
 *
 * @param model With or without what stands before it, such as `models/` or `publishers/google/models/`.
 */
export function generationOf(model: string): number {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const [, generation] = /^gemini-(\d+)/.exec(name) ?? [];
  if (generation !== undefined) return Number(generation);
  return /^gemini-.*latest$/.test(name) ? current : unknown;
}
