/** What an assertion is for: one resource, at one authorization server, in the hands of one client. */
export interface IdJagTarget {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** Issuer of the authorization server. */
  readonly audience: string;
  /** Identifier of the resource, RFC 9728. */
  readonly resource: string;
  /** Our client id at the authorization server. */
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** An ID-JAG: whoever has it gets an access token. It is shown to its audience only, and never stored. */
export interface Assertion {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** What the identity provider permits, where it says so. */
  readonly scopes: readonly string[] | undefined;
  /** The sign-in that it was made from. */
  readonly session: string;
  /** It has been given out before. */
  readonly reused: boolean;
}

export function keyOf({ audience, resource, clientId, scopes }: IdJagTarget): string {
  return JSON.stringify([audience, resource, clientId, scopes.toSorted()]);
}
