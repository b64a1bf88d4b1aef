import type { Clock } from '@mcp-fittings/client-core';
import type { HttpClient, HttpClientOptions } from '@mcp-fittings/http-client';

export interface GoogleProviderOptions {
  /** URL of the MCP server: its origin alone gets the token. */
  readonly url: string | URL;
  /** Name of the server, for messages. Default: its host. */
  readonly server?: string | undefined;
  /** Scopes of an access token. Without them an ID token is sent. */
  readonly scopes?: readonly string[] | undefined;
  /** Who the ID token is for: a URL or a client id. Default: the origin of the server. */
  readonly audience?: string | undefined;
  /** Service account to act as: its e-mail address or its unique id. Default: whoever the credentials are of. */
  readonly serviceAccount?: string | undefined;
  /**
   * Hosts that may get a token besides Google's: `mcp.example.com`, `*.example.com`. Without it an access token goes to
   * `*.googleapis.com` only, and an ID token also to `*.run.app`, where its audience is that very server.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Project to bill, sent as `x-goog-user-project`. Default: what the credentials say. */
  readonly quotaProject?: string | undefined;
  /** Where Google's token services are reached, e.g. behind Private Service Connect. */
  readonly endpoints?: GoogleEndpoints | undefined;
  /** Proxy, certificates, time-outs, addresses for the requests for tokens. An `HttpClient` stays yours to close. */
  readonly network?:
    Omit<HttpClientOptions, 'url' | 'server' | 'headers'> | Pick<HttpClient, 'fetch'> | undefined;
  /** How long getting a token may take, milliseconds; 0: as long as it takes. Default 30 000. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

export interface GoogleEndpoints {
  /** Default `https://oauth2.googleapis.com/token`; for the credentials of a person. */
  readonly token?: string | undefined;
  /** Default `https://iamcredentials.googleapis.com`; for impersonation. */
  readonly iamCredentials?: string | undefined;
}
