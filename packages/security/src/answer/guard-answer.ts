import type {
  Content,
  DeltaUpdate,
  JsonValue,
  TextContent,
  Transform,
  TransformFactory,
} from "@tunic/core";
import type { AnswerLabel } from "../flow/answer-label.js";
import type { StoredVariable } from "../flow/flow-memory.js";
import { audit, type FlowRun } from "../flow/flow-run.js";
import { namedValuesOf } from "../flow/message-labels.js";
import type { ContentLabel } from "../labels/content-label.js";
import { asReference, type Reference, referenceTo } from "../tree/reference.js";
import { linkGuard } from "./link-guard.js";
import { ReferenceText } from "./reference-text.js";

/**
 * What is done to an answer before anybody sees it: references become the values that they stand for, links
 * that nobody trusted has written are taken out, and what its reader may not know is withheld. It goes by
 * the label of the request, so it is known before the first piece; nothing is shown and taken back.
 */
export function guardAnswer(flow: FlowRun, answer: AnswerLabel): TransformFactory {
  return () => new GuardedAnswer(flow, answer);
}

type Emit = (update: DeltaUpdate) => void | Promise<void>;

const withheld = "[This answer was withheld: it holds data that whoever reads it may not see.]";

class GuardedAnswer implements Transform {
  readonly #flow: FlowRun;
  readonly #answer: AnswerLabel;
  readonly #references = new ReferenceText();
  readonly #links;
  #last: DeltaUpdate | undefined;
  /** Of the block of text that goes on. */
  #block: string | undefined;
  #withheld = false;
  #removed = 0;

  constructor(flow: FlowRun, answer: AnswerLabel) {
    this.#flow = flow;
    this.#answer = answer;
    this.#links = linkGuard(
      (link) => this.#keeps(link, answer.current),
      () => {
        this.#removed += 1;
      },
    );
  }

  async update(update: DeltaUpdate, emit: Emit): Promise<void> {
    this.#last = update;
    if (update.contents.length === 0) return emit(update);
    this.#answer.see(update.contents);
    for (const content of update.contents) {
      if (!mayRead(this.#flow, this.#answer.current) && isSaid(content)) {
        await this.#withhold(update, emit);
      } else if (content.type === "text") {
        await this.#text(content, update, emit);
      } else {
        await this.#flush(update, emit);
        await emit({ ...update, contents: [content] });
      }
    }
  }

  async end(emit: Emit): Promise<void> {
    if (this.#last === undefined) return;
    await this.#flush(this.#last, emit);
    if (this.#removed > 0) audit(this.#flow, "answer", { linksRemoved: this.#removed });
  }

  /** What a service attaches to a text stays with it. */
  async #text(content: TextContent, update: DeltaUpdate, emit: Emit): Promise<void> {
    const { id, text, providerData, additionalProperties } = content;
    const isBare = providerData === undefined && additionalProperties === undefined;
    // Only what is bare, or of one block, grows together.
    const isAlone = !isBare && id === undefined;
    if (isAlone || id !== this.#block) await this.#flush(update, emit);
    this.#block = id;
    const pieces = this.#pieces(this.#references.add(text));
    const rest = isAlone ? this.#rest() : [];
    await this.#send([...pieces, ...rest], update, isBare ? undefined : content, emit);
  }

  async #flush(update: DeltaUpdate, emit: Emit): Promise<void> {
    await this.#send(this.#rest(), update, undefined, emit);
  }

  #rest(): readonly (string | Content)[] {
    return [...this.#pieces(this.#references.flush()), this.#links.flush()];
  }

  /** Text as it may be shown; a hidden value is a content of its own, with its own label. */
  #pieces(parts: readonly string[]): readonly (string | Content)[] {
    return parts.flatMap((part): readonly (string | Content)[] => {
      const reference = readReference(part);
      const stored = reference && this.#flow.variables.get(reference.id, reference.path);
      if (reference === undefined || stored === undefined) {
        return [
          this.#leaves(this.#answer.current) ? this.#links.pass(part) : this.#links.add(part),
        ];
      }
      return [this.#links.flush(), this.#shownValue(reference, stored)];
    });
  }

  /** @param like What something is attached to that has to go along. */
  async #send(
    pieces: readonly (string | Content)[],
    update: DeltaUpdate,
    like: TextContent | undefined,
    emit: Emit,
  ): Promise<void> {
    const id = this.#block;
    let attached = like;
    const contents = joined(pieces).map((piece): Content => {
      if (typeof piece !== "string") return piece;
      const extras = { ...(id !== undefined && { id }), ...attached };
      attached = undefined;
      return { ...extras, type: "text", text: piece };
    });
    if (attached !== undefined) contents.unshift({ ...attached, text: "" });
    if (contents.length > 0) await emit({ ...update, contents });
  }

  #shownValue({ id, path }: Reference, stored: StoredVariable): Content {
    const { lattice } = this.#flow.settings;
    const label = lattice.read(stored.label) ?? lattice.top;
    this.#flow.shown = lattice.join(this.#flow.shown, label);
    const text = mayRead(this.#flow, label) ? this.#guarded(stored.value, label) : "[withheld]";
    const variable = referenceTo(id, path).$ref;
    const additionalProperties = { label: label as unknown as JsonValue, variable };
    return { type: "text", text, additionalProperties };
  }

  #guarded(value: JsonValue, label: ContentLabel): string {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (this.#leaves(label)) return this.#links.pass(text);
    return this.#links.aside(text, (link) => this.#keeps(link, label));
  }

  /** Whether all links of data of a label stay. */
  #leaves(label: ContentLabel): boolean {
    const { policy, mode } = this.#flow.settings;
    return policy.answer.links === "allow" || mode === "shadow" || label.integrity === "trusted";
  }

  #keeps(link: string, label: ContentLabel): boolean {
    return this.#leaves(label) || namedValuesOf(this.#flow).hasLink(link);
  }

  async #withhold(update: DeltaUpdate, emit: Emit): Promise<void> {
    if (this.#withheld) return;
    this.#withheld = true;
    audit(this.#flow, "answer", { withheld: true });
    await emit({ ...update, contents: [{ type: "text", text: withheld }] });
  }
}

/** Texts that stand side by side become one; empty ones go. */
function joined(pieces: readonly (string | Content)[]): readonly (string | Content)[] {
  const all: (string | Content)[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (piece === "") continue;
    if (typeof piece === "string" && typeof last === "string") all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all;
}

/** What a model says, and a reader reads. */
function isSaid({ type }: Content): boolean {
  return type === "text" || type === "text_reasoning" || type === "data" || type === "uri";
}

/** Whether everybody who reads the answers may read what has this label. */
function mayRead({ settings: { policy } }: FlowRun, { readers }: ContentLabel): boolean {
  const { readers: audience = [] } = policy.answer;
  return readers === undefined || audience.every((each) => readers.includes(each));
}

function readReference(part: string) {
  if (!part.startsWith("{")) return undefined;
  try {
    return asReference(JSON.parse(part));
  } catch {
    return undefined;
  }
}
