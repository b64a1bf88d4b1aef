import type { Client, ClientAuth } from 'oauth4webapi';

/** Who we are to one authorization server. */
export interface OAuthClient {
  /** The authorization server that knows us by this id; the id means nothing to another one. */
  readonly issuer: string;
  readonly clientId: string;
  /** `registered` ones may be forgotten by the server and are then made anew. */
  readonly origin: 'configured' | 'metadata-document' | 'registered';
  /** How requests to the token endpoint are authenticated. */
  readonly authenticate: ClientAuth;
}

/** The same for oauth4webapi. */
export function forLibrary(client: OAuthClient): Client {
  return { client_id: client.clientId };
}
