import type Anthropic from "@anthropic-ai/sdk";

/** What the service answered, and the id that it gave the request. */
interface Posted<Answer> {
  readonly data: Answer;
  readonly request_id: string | null | undefined;
  readonly response: Response;
}

/**
 * Sends what the SDK's own `messages.create` would send. That one writes to the console, whatever its
 * log level, when a model is to be retired, and a terminal may belong to somebody else.
 */
export async function postMessage<Answer>(
  sdk: Anthropic,
  params: Anthropic.MessageCreateParams,
  betas: readonly string[],
  signal: AbortSignal,
): Promise<Posted<Answer>> {
  // These two of the vendor's own words are headers on the wire.
  const { user_profile_id, workspace_id, ...body } = params;
  const headers = {
    ...(user_profile_id != null && { "anthropic-user-profile-id": user_profile_id }),
    ...(workspace_id != null && { "anthropic-workspace-id": workspace_id }),
    ...(betas.length > 0 && { "anthropic-beta": betas.join(",") }),
  };
  return await sdk
    .post<Answer>("/v1/messages", {
      body,
      headers,
      stream: params.stream === true,
      timeout: sdk.timeout,
      signal,
    })
    .withResponse();
}
