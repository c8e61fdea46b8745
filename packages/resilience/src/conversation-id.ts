import type { NamedClient } from "./named-client.js";

/** Whose a conversation id is. */
export interface ConversationOwner<Client extends NamedClient> {
  readonly owner: Client;
  /** As the client itself knows it; empty where it holds no conversation. */
  readonly id: string;
}

/**
 * A conversation is held by the service of one client, and no other knows its id. So an id is given out with
 * the client's name before it: it finds its way back in another process, too.
 */
export function tagged({ name }: NamedClient, conversationId: string): string {
  return `${name}:${conversationId}`;
}

/** Reads what {@link tagged} has made; undefined for an id that none of the clients has made. */
export function ownerOf<Client extends NamedClient>(
  conversationId: string,
  clients: readonly Client[],
): ConversationOwner<Client> | undefined {
  const colon = conversationId.indexOf(":");
  const owner = clients.find(({ name }) => name === conversationId.slice(0, Math.max(0, colon)));
  return owner && { owner, id: conversationId.slice(colon + 1) };
}
