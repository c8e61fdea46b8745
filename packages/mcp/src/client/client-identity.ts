/** How this package calls itself in a handshake. */
export interface ClientIdentity {
  readonly name: string;
  readonly version: string;
}

export const ownIdentity: ClientIdentity = { name: "tunic", version: "0.0.0" };
