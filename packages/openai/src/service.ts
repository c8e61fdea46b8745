/** Which member reasoning is sent back in. */
export type ReasoningMember = "reasoning_content" | "reasoning" | "reasoning_details";

/** What of a service decides about the form of a request. */
export interface Service {
  /** Its host and port: what it says under its own names goes back to nobody else. */
  readonly origin: string;
  /** OpenAI itself, or Azure OpenAI: they know no members but their own, and strict mode. */
  readonly isOpenAI: boolean;
  /** Mistral takes ids of calls with nine letters and digits only. */
  readonly shortCallIds: boolean;
}

/** The service at an address. */
export function serviceAt(baseURL: string): Service {
  const { host, hostname } = new URL(baseURL);
  return {
    origin: host,
    isOpenAI: /(^|\.)openai\.(com|azure\.com)$|\.services\.ai\.azure\.com$/.test(hostname),
    shortCallIds: /(^|\.)mistral\.ai$/.test(hostname),
  };
}
