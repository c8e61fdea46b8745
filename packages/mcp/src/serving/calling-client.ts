import { isJsonObject, type JsonObject, type Principal } from "@tunic/core";

/** A request to the client of a call, while the call runs. */
export interface Question {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  /** What the question is called where it is told as a part of an answer. Default: any name. */
  readonly id?: string | undefined;
}

/** The client that has made a call, as far as a call needs it. */
export interface CallingClient {
  readonly principal: Principal | undefined;
  /** Fires when the call is cancelled, or the client has gone. */
  readonly signal: AbortSignal;
  /** Tells how far the call is; undefined where the client does not want to know. */
  readonly progress: ((message: string | undefined) => void) | undefined;
  /** What the client says that it can do, as the protocol names it. */
  readonly capabilities: JsonObject;
  /** Asks the client. Rejects when there is no answer in time, or none that is one. */
  ask(question: Question, timeoutMs: number): Promise<JsonObject>;
  /** A tool wanted to ask what this client cannot answer. */
  missed(question: Question): void;
}

/** What a client can be asked. */
export interface ClientAbilities {
  /** Show a person a form. */
  readonly forms: boolean;
  /** Show a person a page's address. */
  readonly pages: boolean;
  /** Ask a model. */
  readonly sampling: boolean;
  /** And have that model call tools. */
  readonly samplingTools: boolean;
  /** Say where to work. */
  readonly roots: boolean;
}

export function abilitiesOf(capabilities: JsonObject): ClientAbilities {
  const { elicitation, sampling, roots } = capabilities;
  const asks = isJsonObject(elicitation) ? elicitation : undefined;
  return {
    // Before there were pages, forms needed no name.
    forms: asks !== undefined && (isJsonObject(asks["form"]) || asks["url"] === undefined),
    pages: isJsonObject(asks?.["url"]),
    sampling: isJsonObject(sampling),
    samplingTools: isJsonObject(sampling) && isJsonObject(sampling["tools"]),
    roots: isJsonObject(roots),
  };
}
