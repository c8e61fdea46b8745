import {
  type FunctionCallContent,
  isJsonObject,
  type JsonObject,
  parseArguments,
  type ResponseBuilder,
} from "@tunic/core";
import { keptJson } from "../kept-json.js";
import { isRecord, recordAt, shownJson, textAt, type WireRecord } from "../wire-values.js";
import type { AnswerSource } from "./answer-source.js";

interface Fragment {
  /** The position of a call in its answer; some servers leave it out. */
  readonly index: string | undefined;
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly object: JsonObject | undefined;
  /** What Gemini's endpoint wants back on a call: the signature of a thought. */
  readonly extra: JsonObject | undefined;
}

interface OpenCall {
  /** The vendor's id, "" until one came. */
  id: string;
  name: string;
  /** All of the arguments' text so far. */
  text: string;
  object: JsonObject | undefined;
  extra: JsonObject | undefined;
  /** Set once the call was announced, which needs a name. */
  callId: string | undefined;
}

/**
 * Puts the fragments of tool calls together. Which call a fragment belongs to is told by its index,
 * else by its id, else it continues the call before; ids and names come whole, so the first one
 * that is not empty stands.
 */
export class CallAssembler {
  readonly #builder: ResponseBuilder;
  readonly #source: AnswerSource;
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<string, OpenCall>();
  #last: OpenCall | undefined;
  /** The calls of the last list that had any. */
  #lastList: readonly OpenCall[] = [];

  constructor(builder: ResponseBuilder, source: AnswerSource) {
    this.#builder = builder;
    this.#source = source;
  }

  /** Takes the fragments of one chunk; returns what can be told of their calls already. */
  take(fragments: readonly unknown[]): FunctionCallContent[] {
    const contents: FunctionCallContent[] = [];
    const touched = new Set<OpenCall>();
    const read = fragments.filter(isRecord).map(readFragment);
    const continued = this.#continuedBy(read);
    read.forEach((fragment, at) => {
      const call = continued?.[at] ?? this.#find(fragment, touched) ?? this.#open(fragment);
      if (call === undefined) return;
      touched.add(call);
      this.#last = call;
      const content = this.#grow(call, fragment);
      if (content) contents.push(content);
    });
    if (touched.size > 0) this.#lastList = [...touched];
    return contents;
  }

  /**
   * The calls that a list of fragments continues where nothing but their places tells: several
   * without index, id and name, as many as there were in the list before.
   */
  #continuedBy(fragments: readonly Fragment[]): readonly OpenCall[] | undefined {
    const { length } = fragments;
    if (length < 2 || length !== this.#lastList.length) return undefined;
    const isBare = fragments.every(({ index, id, name }) => index === undefined && !id && !name);
    return isBare ? this.#lastList : undefined;
  }

  /** The calls that can not be run: those without a name, and one that a token limit cut off. */
  end(finishReason: string | undefined): FunctionCallContent[] {
    const contents: FunctionCallContent[] = [];
    const last = this.#last;
    // Blank arguments mean "none" only where the model had the room to write some.
    if (finishReason === "length" && last?.callId && last.text.trim() === "" && !last.object) {
      contents.push({
        type: "function_call",
        callId: last.callId,
        name: this.#nameOf(last),
        parseError: "The answer reached its token limit before the arguments began.",
      });
    }
    for (const call of this.#calls) {
      if (call.callId !== undefined) continue;
      contents.push({
        ...this.#head(call),
        name: "unnamed",
        argumentsText: call.object ? JSON.stringify(call.object) : call.text,
        parseError: "The service sent a call without the name of a function.",
      });
    }
    return contents;
  }

  #find(fragment: Fragment, touched: ReadonlySet<OpenCall>): OpenCall | undefined {
    const { index, id } = fragment;
    const placed = index === undefined ? undefined : this.#byIndex.get(index);
    if (placed && (id === "" || placed.id === "" || placed.id === id)) {
      return startsAnotherInPlace(placed, fragment) ? undefined : placed;
    }
    // An index that stays the same, or comes late, tells nothing; an id does.
    const named = id === "" ? undefined : this.#calls.findLast((open) => open.id === id);
    if (index !== undefined && placed === undefined && fragment.name !== "") return undefined;
    const call = id === "" && index === undefined ? this.#last : named;
    return call && !startsAnother(call, fragment, touched.has(call)) ? call : undefined;
  }

  #open(fragment: Fragment): OpenCall | undefined {
    const { index, id, name, text, object } = fragment;
    // A fragment that says nothing at all is no call.
    if (id === "" && name === "" && text === "" && object === undefined) return undefined;
    const call: OpenCall = {
      id,
      name: "",
      text: "",
      object: undefined,
      extra: undefined,
      callId: undefined,
    };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #grow(call: OpenCall, fragment: Fragment): FunctionCallContent | undefined {
    call.id ||= fragment.id;
    call.name ||= fragment.name;
    call.text += fragment.text;
    call.object = fragment.object ?? call.object;
    call.extra = fragment.extra ?? call.extra;
    if (call.name === "") return undefined;
    if (call.callId === undefined) {
      return { ...this.#head(call), ...argumentsOf(call.text, call.object) };
    }
    const { text, object, extra } = fragment;
    if (text === "" && object === undefined && extra === undefined) return undefined;
    return {
      type: "function_call",
      callId: call.callId,
      name: this.#nameOf(call),
      ...argumentsOf(text, object),
      ...(extra && { providerData: { openai: this.#ownData(extra) } }),
    };
  }

  /** Names the call for good. A vendor's id that cannot be used is kept where it came from. */
  #head(call: OpenCall): FunctionCallContent {
    const callId = this.#builder.callId(call.id);
    call.callId = callId;
    const own: JsonObject = {
      ...(call.id !== "" && call.id !== callId && { callId: call.id }),
      ...(call.extra && this.#ownData(call.extra)),
    };
    return {
      type: "function_call",
      callId,
      name: this.#nameOf(call),
      ...(Object.keys(own).length > 0 && { providerData: { openai: own } }),
    };
  }

  /** The tool's own name, where its name on the wire is another. */
  #nameOf({ name }: OpenCall): string {
    return this.#source.names?.get(name) ?? name;
  }

  #ownData(extra: JsonObject): JsonObject {
    return { origin: this.#source.origin, extraContent: extra };
  }
}

function readFragment(value: WireRecord): Fragment {
  const { index, extra_content: extra } = value;
  const made = isRecord(value["custom"]) ? value["custom"] : recordAt(value, "function");
  // A custom tool takes free text, which is no arguments: it must fail to parse, not to arrive.
  const given = made === value["custom"] ? shownJson(made["input"] ?? null) : made["arguments"];
  return {
    index: typeof index === "number" || typeof index === "string" ? String(index) : undefined,
    id: textAt(value, "id"),
    name: textAt(made, "name"),
    extra: isJsonObject(extra) ? keptJson(extra, "What a call carries") : undefined,
    ...readArguments(given),
  };
}

/** Some servers send the arguments as an object; an array or a number is kept, to be refused. */
function readArguments(given: unknown): Pick<Fragment, "text" | "object"> {
  if (typeof given === "string") return { text: given, object: undefined };
  if (given === null || given === undefined) return { text: "", object: undefined };
  const text = shownJson(given);
  const parsed = isRecord(given) ? parseArguments(text) : undefined;
  if (parsed && "arguments" in parsed) return { text: "", object: parsed.arguments };
  return { text, object: undefined };
}

function argumentsOf(
  text: string,
  object: JsonObject | undefined,
): Pick<FunctionCallContent, "arguments" | "argumentsText"> {
  if (object !== undefined) return { arguments: object };
  return text === "" ? {} : { argumentsText: text };
}

/**
 * Whether a fragment that has a name begins a new call although nothing else tells it from the
 * call before: it stands in the same list, names something else, or follows complete arguments.
 */
function startsAnother(call: OpenCall, fragment: Fragment, sameList: boolean): boolean {
  if (fragment.name === "" || call.name === "") return false;
  if (sameList || fragment.name !== call.name) return true;
  const more = fragment.object !== undefined || fragment.text.trim() !== "";
  return more && isComplete(call);
}

/**
 * The same for a fragment at the place of a call whose id it does not contradict: some servers give all
 * calls one place. What could be a repeat is no call of its own, lest it runs twice.
 */
function startsAnotherInPlace(call: OpenCall, fragment: Fragment): boolean {
  if (!startsAnother(call, fragment, false)) return false;
  if (fragment.name !== call.name) return true;
  return call.id !== fragment.id || fragment.id === "" ? fragment.text !== call.text : false;
}

function isComplete(call: OpenCall): boolean {
  if (call.object !== undefined) return true;
  return call.text.trimEnd().endsWith("}") && "arguments" in parseArguments(call.text);
}
