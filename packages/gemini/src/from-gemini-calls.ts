import {
  type FunctionCallContent,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ResponseBuilder,
} from "@tunic/core";
import { ownData, textOf } from "./from-gemini-parts.js";
import { PartialArguments } from "./partial-arguments.js";

interface OpenCall {
  readonly callId: string;
  readonly id: string;
  readonly arguments: PartialArguments;
}

/** Reads calls: most come whole; Vertex AI can stream their arguments. */
export class CallReader {
  readonly #builder: ResponseBuilder;
  readonly #names: ReadonlyMap<string, string>;
  #open: OpenCall | undefined;

  /** @param names Ours by those on the wire. */
  constructor(builder: ResponseBuilder, names: ReadonlyMap<string, string>) {
    this.#builder = builder;
    this.#names = names;
  }

  /** What a part with a `functionCall` says. */
  contentsOf(part: JsonObject): FunctionCallContent[] {
    const { functionCall, ...beside } = part;
    const call = isJsonObject(functionCall) ? functionCall : {};
    const id = textOf(call["id"]);
    const open = this.#open;
    if (open && textOf(call["name"]) === "" && (id === "" || id === open.id)) {
      return this.#grow(open, call, beside);
    }
    return [...this.end(), ...this.#begin(call, beside, id)];
  }

  /** The call whose arguments never came to their end. */
  end(): FunctionCallContent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    const { result } = open.arguments;
    const argumentsText = "text" in result ? result.text : "";
    const parseError = "The answer ended before the arguments of the call were complete.";
    return [{ ...piece(open.callId), argumentsText, parseError }];
  }

  #begin(call: JsonObject, beside: JsonObject, id: string): FunctionCallContent[] {
    const { args, partialArgs, willContinue } = call;
    const callId = this.#builder.callId(id);
    const name = textOf(call["name"]);
    const head: FunctionCallContent = {
      type: "function_call",
      callId,
      name: this.#names.get(name) ?? (name || "unnamed"),
      ...ownData({ ...beside, ...(id !== "" && { id }) }),
    };
    if (name === "") {
      const parseError = "The service sent a call without the name of a function.";
      return [{ ...head, argumentsText: written(args), parseError }];
    }
    if (willContinue !== true && partialArgs === undefined) {
      return [{ ...head, argumentsText: written(args) }];
    }
    this.#open = { callId, id, arguments: new PartialArguments() };
    return [head, ...this.#grow(this.#open, call, {})];
  }

  #grow(open: OpenCall, call: JsonObject, beside: JsonObject): FunctionCallContent[] {
    open.arguments.take(call["args"]);
    open.arguments.add(call["partialArgs"]);
    const own = ownData(beside);
    if (call["willContinue"] === true) {
      return own.providerData ? [{ ...piece(open.callId), ...own }] : [];
    }
    this.#open = undefined;
    const { result } = open.arguments;
    const said = "text" in result ? { argumentsText: result.text } : { parseError: result.problem };
    return [{ ...piece(open.callId), ...said, ...own }];
  }
}

/** A piece of a call that was begun before. */
export function piece(callId: string): FunctionCallContent {
  return { type: "function_call", callId, name: "" };
}

/** Text, so that arguments that are no object meet the same reader as others. */
function written(args: JsonValue | undefined): string {
  if (args === undefined || args === null) return "";
  if (typeof args === "string") return args;
  try {
    return JSON.stringify(args);
  } catch {
    // What can be read deeply nested may be too deep to be written; then it is refused, not lost.
    return "(arguments nested too deeply)";
  }
}
