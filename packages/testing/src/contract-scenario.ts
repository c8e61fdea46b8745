import type { FunctionTool, JsonObject, Usage } from "@tunic/core";

/** What the service behind the client must do whenever it is asked, streamed and not. */
export type ContractScenario =
  /** Answers with this text and this usage; in pieces when streamed. */
  | { readonly kind: "text"; readonly text: string; readonly usage: Usage }
  /** Answers with these calls, in one answer. */
  | {
      readonly kind: "calls";
      readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
    }
  /** Answers with one call whose arguments are this text, which is no JSON. */
  | { readonly kind: "broken_arguments"; readonly name: string; readonly argumentsText: string }
  /**
   * Answers with a call of this tool. Its name is none that services take: what comes is the name that
   * the tool has on the wire.
   */
  | { readonly kind: "odd_name"; readonly tool: FunctionTool; readonly arguments: JsonObject }
  /** Answers with one call, in whose arguments the answer reaches its token limit. */
  | { readonly kind: "cut_call"; readonly name: string; readonly argumentsText: string }
  /** The model, or a filter of its service, refuses. */
  | { readonly kind: "refusal"; readonly text: string }
  /** Answers with an HTTP error. */
  | { readonly kind: "error"; readonly status: number }
  /** Sends the beginning of a streamed answer, then closes the connection. */
  | { readonly kind: "cut" }
  /**
   * Sends the beginning of a streamed answer, so that the client has an update to pass on, then says
   * nothing more until the test is over.
   */
  | { readonly kind: "hang" };
