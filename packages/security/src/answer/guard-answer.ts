import type {
  ChatOptions,
  Content,
  DeltaUpdate,
  JsonValue,
  Transform,
  TransformFactory,
} from "@tunic/core";
import type { AnswerLabel } from "../flow/answer-label.js";
import { audit, type FlowRun } from "../flow/flow-run.js";
import { namedValuesOf } from "../flow/message-labels.js";
import type { ContentLabel } from "../labels/content-label.js";
import { asReference, referenceTo } from "../tree/reference.js";
import { linkGuard } from "./link-guard.js";
import { ReferenceText } from "./reference-text.js";

/**
 * What is done to an answer before anybody sees it: references become the values that they stand for, links
 * that nobody trusted has written are taken out, and what its reader may not know is withheld. It goes by
 * the label of the request, so it is known before the first piece; nothing is shown and taken back.
 */
export function guardAnswer(
  flow: FlowRun,
  answer: AnswerLabel,
  { responseFormat }: ChatOptions,
): TransformFactory {
  return () => new GuardedAnswer(flow, answer, responseFormat !== undefined);
}

type Emit = (update: DeltaUpdate) => void | Promise<void>;

const withheld = "[This answer was withheld: it holds data that whoever reads it may not see.]";

class GuardedAnswer implements Transform {
  readonly #flow: FlowRun;
  readonly #answer: AnswerLabel;
  readonly #json: boolean;
  readonly #references = new ReferenceText();
  readonly #links;
  #last: DeltaUpdate | undefined;
  #withheld = false;
  #removed = 0;

  /** @param json Whether the answer is JSON, so that what is put into it has to be. */
  constructor(flow: FlowRun, answer: AnswerLabel, json: boolean) {
    this.#flow = flow;
    this.#answer = answer;
    this.#json = json;
    this.#links = linkGuard((link) => this.#keeps(link, answer.current));
  }

  update(update: DeltaUpdate, emit: Emit): void | Promise<void> {
    this.#last = update;
    if (update.contents.length === 0) return emit(update);
    this.#answer.see(update.contents);
    // Calls are most of what agents answer: they go by as they are.
    const isCalls = update.contents.every(({ type }) => type === "function_call");
    return isCalls && this.#isEmpty ? emit(update) : this.#guard(update, emit);
  }

  get #isEmpty(): boolean {
    return this.#references.isEmpty && this.#links.isEmpty;
  }

  async #guard(update: DeltaUpdate, emit: Emit): Promise<void> {
    for (const content of update.contents) {
      if (!mayRead(this.#flow, this.#answer.current) && isSaid(content)) {
        await this.#withhold(update, emit);
      } else if (content.type === "text" && content.additionalProperties === undefined) {
        await this.#send(this.#pieces(this.#references.add(content.text)), update, content, emit);
      } else {
        await this.#flush(update, emit);
        await emit({ ...update, contents: [content] });
      }
    }
  }

  async end(emit: Emit): Promise<void> {
    if (this.#last === undefined) return;
    if (!this.#isEmpty) await this.#flush(this.#last, emit);
    if (this.#removed > 0) audit(this.#flow, "answer", { linksRemoved: this.#removed });
  }

  async #flush(update: DeltaUpdate, emit: Emit): Promise<void> {
    const pieces = this.#pieces(this.#references.flush());
    const rest = this.#links.flush();
    await this.#send(rest === "" ? pieces : [...pieces, rest], update, undefined, emit);
  }

  /** Text as it may be shown; a hidden value is a content of its own, with its own label. */
  #pieces(parts: readonly string[]): readonly (string | Content)[] {
    return parts.flatMap((part): readonly (string | Content)[] => {
      const content = this.#shownValue(part);
      if (content === undefined) return [this.#links.add(part)];
      return [this.#links.flush(), content];
    });
  }

  async #send(
    pieces: readonly (string | Content)[],
    update: DeltaUpdate,
    like: Content | undefined,
    emit: Emit,
  ): Promise<void> {
    const { id } = (like ?? {}) as { readonly id?: string };
    const contents = pieces.flatMap((piece): readonly Content[] => {
      if (typeof piece !== "string") return [piece];
      return piece === "" ? [] : [{ type: "text", text: piece, ...(id !== undefined && { id }) }];
    });
    if (contents.length > 0) await emit({ ...update, contents });
  }

  #shownValue(part: string): Content | undefined {
    const reference = readReference(part);
    const stored = reference && this.#flow.variables.get(reference.id, reference.path);
    if (reference === undefined || stored === undefined) return undefined;
    const { lattice } = this.#flow.settings;
    const label = lattice.read(stored.label) ?? lattice.top;
    this.#flow.shown = lattice.join(this.#flow.shown, label);
    const variable = referenceTo(reference.id, reference.path).$ref;
    const text = mayRead(this.#flow, label)
      ? this.#guarded(stored.value, label)
      : this.#withheldValue();
    const additionalProperties = { label: label as unknown as JsonValue, variable };
    return { type: "text", text, additionalProperties };
  }

  #withheldValue(): string {
    return this.#json ? '"[withheld]"' : "[withheld]";
  }

  #guarded(value: JsonValue, label: ContentLabel): string {
    const plain = typeof value === "string" && !this.#json;
    const text = plain ? value : JSON.stringify(value);
    const guard = linkGuard((link) => this.#keeps(link, label));
    return guard.add(text) + guard.flush();
  }

  #keeps(link: string, label: ContentLabel): boolean {
    const { links = "remove" } = this.#flow.settings.policy.answer;
    const kept =
      links === "allow" ||
      this.#flow.settings.mode === "shadow" ||
      label.integrity === "trusted" ||
      namedValuesOf(this.#flow).hasLink(link);
    if (!kept) this.#removed += 1;
    return kept;
  }

  async #withhold(update: DeltaUpdate, emit: Emit): Promise<void> {
    if (this.#withheld) return;
    this.#withheld = true;
    audit(this.#flow, "answer", { withheld: true });
    await emit({ ...update, contents: [{ type: "text", text: withheld }] });
  }
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
