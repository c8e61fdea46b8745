import type { Content } from "@tunic/core";
import { isRecord, textAt, type WireRecord } from "../wire-values.js";
import { beginsAgain, mayBe, repeats, restates } from "./item-identity.js";
import { type AnswerTerms, OutputItem, type PartKind } from "./output-item.js";

/** The output items of one answer, and which of them an event is about. */
export class OutputItems {
  readonly #terms: AnswerTerms;
  readonly #items: OutputItem[] = [];
  readonly #byIndex = new Map<number, OutputItem>();

  constructor(terms: AnswerTerms) {
    this.#terms = terms;
  }

  get hasCalls(): boolean {
    return this.#items.some(isCall);
  }

  /** What an event brings. Kinds that are not known bring nothing. */
  read(event: WireRecord): Content[] {
    const type = textAt(event, "type");
    const { item: told } = event;
    if (type === "response.output_item.added")
      return isRecord(told) ? this.#added(told, event) : [];
    if (type === "response.output_item.done") return isRecord(told) ? this.#done(told, event) : [];
    const about = pieces[type];
    if (about === undefined) return [];
    const before = this.#items.length;
    const item =
      this.#find(event, about.item) ??
      this.#open({ ...event, type: about.item, id: event["item_id"] }, event);
    const begun = this.#items.length > before ? item.begin() : [];
    return [...begun, ...about.read(item, event)];
  }

  /** The answer is over: what its `output` says that no event has said. */
  end(output: readonly unknown[]): Content[] {
    const contents: Content[] = [];
    const seen = new Set<OutputItem>();
    for (const [index, item] of output.entries()) {
      if (!isRecord(item)) continue;
      const meant =
        this.#same(item, index, (each) => !seen.has(each)) ??
        this.#restated(item, index, seen) ??
        this.#open(item, { output_index: index });
      seen.add(meant);
      contents.push(...meant.close(item));
    }
    for (const item of this.#items) contents.push(...item.close());
    return contents;
  }

  /** Has one of the contents remember which response it belongs to, where that came late. */
  remember(): Content[] {
    for (const item of this.#items) {
      const contents = item.remember();
      if (contents.length > 0) return contents;
    }
    return [];
  }

  /** The answer was cut: what stands last is not whole, nor is what the service never said to be. */
  cut(): Content[] {
    const last = this.#items.at(-1);
    return this.#items
      .filter((item) => isCall(item) && (item === last || item.whole === undefined))
      .flatMap((item) => item.cut());
  }

  #added(item: WireRecord, event: WireRecord): Content[] {
    if (this.#same(item, indexOf(event), isOpen)) return [];
    if (this.#items.some((each) => beginsAgain(each, item))) return [];
    return this.#open(item, event).begin();
  }

  #done(item: WireRecord, event: WireRecord): Content[] {
    // An event that comes twice must not make a call run twice.
    if (this.#items.some((each) => repeats(each, item))) return [];
    const meant = this.#same(item, indexOf(event), isOpen) ?? this.#open(item, event);
    return meant.close(item);
  }

  #open(item: WireRecord, event: WireRecord): OutputItem {
    const before = this.#items.at(-1);
    const after = before?.type === "reasoning" ? before.id : undefined;
    const opened = new OutputItem(item, this.#items.length, after, this.#terms);
    this.#items.push(opened);
    const index = indexOf(event);
    if (index !== undefined) this.#byIndex.set(index, opened);
    return opened;
  }

  /**
   * The item that a piece belongs to: the one with its id, else the one at its place. Some servers leave
   * out the index or say the same one of all items, or give ids anew each time.
   */
  #find(event: WireRecord, type: string): OutputItem | undefined {
    const index = indexOf(event);
    const id = textAt(event, "item_id");
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    const found = placed?.type === type ? placed : undefined;
    if (found && (id === "" || found.id === id)) return found;
    const last = this.#items.findLast(
      (each) => each.type === type && (id === "" || each.id === id),
    );
    if (id !== "") return last ?? found;
    const isElsewhere = index !== undefined && [...this.#byIndex.values()].some((e) => e === last);
    return isElsewhere ? undefined : last;
  }

  /** The item that is meant by one of this form: by the ids that it has, else by its place. */
  #same(
    item: WireRecord,
    index: number | undefined,
    may: (each: OutputItem) => boolean,
  ): OutputItem | undefined {
    const id = textAt(item, "id");
    const callId = textAt(item, "call_id");
    const fits = (each: OutputItem | undefined): each is OutputItem =>
      each !== undefined && mayBe(each, item) && may(each);
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    const found = fits(placed) ? placed : undefined;
    if (id !== "" && found?.id === id) return found;
    const fitting = this.#items.filter(fits);
    return (
      fitting.find((each) => callId !== "" && each.callId === callId) ??
      fitting.find((each) => id !== "" && each.id === id) ??
      found
    );
  }

  #restated(
    item: WireRecord,
    index: number,
    seen: ReadonlySet<OutputItem>,
  ): OutputItem | undefined {
    const placed = this.#byIndex.get(index);
    return placed && !seen.has(placed) && restates(placed, item) ? placed : undefined;
  }
}

interface Piece {
  /** The type of the item, where its beginning never came. */
  readonly item: string;
  read(item: OutputItem, event: WireRecord): Content[];
}

function grows(item: string, kind: PartKind, place: string): Piece {
  return {
    item,
    read: (each, event) => each.grow(kind, at(event, place), textAt(event, "delta")),
  };
}

function completes(item: string, kind: PartKind, place: string): Piece {
  return {
    item,
    read: (each, event) => each.complete(kind, at(event, place), textAt(event, "text")),
  };
}

/** The events that bring a piece of an item. */
const pieces: Readonly<Record<string, Piece>> = {
  "response.output_text.delta": grows("message", "text", "content_index"),
  "response.output_text.done": completes("message", "text", "content_index"),
  "response.refusal.delta": {
    item: "message",
    read(item, event) {
      item.growRefusal(at(event, "content_index"), textAt(event, "delta"));
      return [];
    },
  },
  "response.refusal.done": {
    item: "message",
    read: (item, event) =>
      item.completeRefusal(at(event, "content_index"), textAt(event, "refusal")),
  },
  "response.output_text.annotation.added": {
    item: "message",
    read(item, event) {
      item.annotate(at(event, "content_index"), event["annotation"]);
      return [];
    },
  },
  "response.reasoning_summary_text.delta": grows("reasoning", "summary", "summary_index"),
  "response.reasoning_summary_text.done": completes("reasoning", "summary", "summary_index"),
  "response.reasoning_text.delta": grows("reasoning", "content", "content_index"),
  "response.reasoning_text.done": completes("reasoning", "content", "content_index"),
  "response.function_call_arguments.delta": {
    item: "function_call",
    read: (item, event) => item.growArguments(textAt(event, "delta")),
  },
  "response.function_call_arguments.done": {
    item: "function_call",
    read: (item, event) => item.completeArguments(event["arguments"]),
  },
};

function indexOf(event: WireRecord): number | undefined {
  const { output_index } = event;
  return typeof output_index === "number" ? output_index : undefined;
}

function at(event: WireRecord, member: string): number {
  const value = event[member];
  return typeof value === "number" ? value : 0;
}

function isOpen(item: OutputItem): boolean {
  return !item.closed;
}

function isCall(item: OutputItem): boolean {
  return isCallType(item.type);
}

/** Calls that somebody here has to answer. */
function isCallType(type: string): boolean {
  return type === "function_call" || type === "custom_tool_call";
}
