import type {
  ChatOptions,
  Content,
  DeltaUpdate,
  JsonValue,
  TextContent,
  Transform,
  TransformFactory,
} from "@tunic/core";

import type { AnswerLabel } from "../flow/answer-label.js";
import type { StoredVariable } from "../flow/flow-memory.js";
import { audit, type FlowRun, flowOf } from "../flow/flow-run.js";
import { namedValuesOf } from "../flow/message-labels.js";
import type { ContentLabel } from "../labels/content-label.js";
import { showsProgress } from "../tools/checked-progress.js";
import { asReference, type Reference, referenceTo } from "../tree/reference.js";
import { mayRead } from "./audience.js";
import { linkGuard, removedLink } from "./link-guard.js";
import { ReferenceText } from "./reference-text.js";
import { isShown } from "./shown-variables.js";
import { TextBlocks } from "./text-blocks.js";

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
  /** Whether the answer goes to an agent around this one, as data with a label, and to nobody else. */
  readonly #inner: boolean;
  readonly #references = new ReferenceText();
  readonly #links;
  readonly #blocks = new TextBlocks();
  #last: DeltaUpdate | undefined;
  /** The block whose text may be held back. */
  #block: string | undefined;
  #withheld = false;
  #removed = 0;

  /** @param json Whether the answer is JSON, so that what is put into it has to be. */
  constructor(flow: FlowRun, answer: AnswerLabel, json: boolean) {
    this.#flow = flow;
    this.#answer = answer;
    this.#json = json;
    this.#inner = isInner(flow);
    this.#links = linkGuard(
      (link) => this.#keeps(link, answer.current),
      () => {
        this.#removed += 1;
      },
    );
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
      if (isSaid(content) && !mayRead(this.#flow.settings, this.#answer.current)) {
        await this.#withhold(update, emit);
      } else if (content.type === "text" && !isShown(content)) {
        await this.#text(content, update, emit);
      } else {
        await this.#flush(update, emit);
        await emit({ ...update, contents: [this.#checked(content)] });
      }
    }
  }

  async end(emit: Emit): Promise<void> {
    if (this.#last === undefined) return;
    if (!this.#isEmpty) await this.#flush(this.#last, emit);
    if (this.#removed > 0) audit(this.#flow, "answer", { linksRemoved: this.#removed });
  }

  async #text(content: TextContent, update: DeltaUpdate, emit: Emit): Promise<void> {
    const { text, ...rest } = content;
    const bare = rest.providerData === undefined && rest.additionalProperties === undefined;
    // Only text of one block grows together; what has something attached and no id stands alone.
    const alone = rest.id === undefined && !bare;
    if (alone || rest.id !== this.#block) await this.#flush(update, emit);
    this.#block = rest.id;
    const attached = bare ? [] : [{ ...rest, text: "" }];
    if (!alone) {
      await this.#send(attached, update, emit);
      return this.#send(this.#pieces(this.#references.add(text)), update, emit);
    }
    const parts = [...this.#references.add(text), ...this.#references.flush()];
    const [first = "", ...others] = joined([...this.#pieces(parts), this.#links.flush()]);
    const opened =
      typeof first === "string" ? [{ ...rest, text: first }] : [{ ...rest, text: "" }, first];
    await this.#send([...opened, ...others], update, emit);
  }

  async #flush(update: DeltaUpdate, emit: Emit): Promise<void> {
    const pieces = this.#pieces(this.#references.flush());
    await this.#send([...pieces, this.#links.flush()], update, emit);
    this.#block = undefined;
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

  async #send(
    pieces: readonly (string | Content)[],
    update: DeltaUpdate,
    emit: Emit,
  ): Promise<void> {
    const contents = this.#blocks.contentsOf(pieces, this.#block);
    if (contents.length > 0) await emit({ ...update, contents });
  }

  /** What is no text can lead away, too. */
  #checked(content: Content): Content {
    const label = this.#answer.current;
    if (content.type === "error")
      return { ...content, message: this.#guarded(content.message, label) };
    if (content.type !== "uri" || this.#keeps(content.uri, label)) return content;
    this.#removed += 1;
    return { type: "text", text: removedLink };
  }

  #shownValue({ id, path }: Reference, stored: StoredVariable): Content {
    const { lattice } = this.#flow.settings;
    const label = lattice.read(stored.label) ?? lattice.top;
    this.#flow.shown = lattice.join(this.#flow.shown, label);
    const variable = referenceTo(id, path).$ref;
    const text = mayRead(this.#flow.settings, label)
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
    if (this.#leaves(label)) return this.#links.pass(text);
    return this.#links.aside(text, (link) => this.#keeps(link, label));
  }

  /** Whether all links of data of a label stay. */
  #leaves(label: ContentLabel): boolean {
    const { policy, mode } = this.#flow.settings;
    if (policy.answer.links === "allow" || mode === "shadow") return true;
    return label.integrity === "trusted" || this.#inner;
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

/**
 * Whether a run works for a call of a run that follows data itself, and people do not watch it: what it answers
 * is labelled there, and the links of the answer that people get are taken out there.
 */
function isInner({ run: { parent, parentCallId } }: FlowRun): boolean {
  const around = parent && flowOf(parent);
  if (around === undefined || parentCallId === undefined) return false;
  const follows = around.halves.has("tracking") && around.calls.has(parentCallId);
  return follows && !showsProgress(around, parentCallId);
}

/** Texts that stand next to each other as one. */
function joined(pieces: readonly (string | Content)[]): readonly (string | Content)[] {
  const all: (string | Content)[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === "string" && typeof last === "string") all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all;
}

/** What a model says, and a reader reads. */
function isSaid({ type }: Content): boolean {
  return said.has(type);
}

const said: ReadonlySet<string> = new Set(["text", "text_reasoning", "data", "uri", "error"]);

function readReference(part: string) {
  if (!part.startsWith("{")) return undefined;
  try {
    return asReference(JSON.parse(part));
  } catch {
    return undefined;
  }
}
