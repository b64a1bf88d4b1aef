import type { Clock } from '@mcp-fittings/client-core';
import type { HttpClient, HttpClientOptions } from '@mcp-fittings/http-client';

/** Options of `createGoogleProvider()`. */
export interface GoogleProviderOptions {
  /** URL of the MCP server. The token is sent to its origin only. */
  readonly url: string | URL;
  /** Name of the server, for messages. Default: the host of `url`. */
  readonly server?: string | undefined;
  /** Scopes of an access token. Default: none, and an ID token is sent instead. */
  readonly scopes?: readonly string[] | undefined;
  /** Audience of the ID token: a URL or a client id. Cannot be combined with `scopes`. Default: the origin of `url`. */
  readonly audience?: string | undefined;
  /** Service account to impersonate: its email address or unique id. Default: none, the credentials are used directly. */
  readonly serviceAccount?: string | undefined;
  /**
   * Further hosts that may receive a token: `mcp.example.com`, `*.example.com`. Default: none. Access tokens then go to
   * `*.googleapis.com` only, and ID tokens also to `*.run.app` if their audience is that server.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Project to bill, sent as `x-goog-user-project`. Default: the project of the credentials. */
  readonly quotaProject?: string | undefined;
  /** URLs of Google's token services, for example behind Private Service Connect. Default: the public ones. */
  readonly endpoints?: GoogleEndpoints | undefined;
  /**
   * HTTP client for token requests, or its options: proxy, certificates, timeouts, allowed addresses. An `HttpClient` is used as it is and
   * stays yours to close. Default: the defaults of `HttpClientOptions`.
   */
  readonly network?:
    Omit<HttpClientOptions, 'url' | 'server' | 'headers'> | Pick<HttpClient, 'fetch'> | undefined;
  /** Most milliseconds that a token request may take, retries included; 0 for no limit. Default 30 000. */
  readonly timeoutMs?: number | undefined;
  /** Time source for expiry, pauses and `timeoutMs`. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** URLs of Google's token services. */
export interface GoogleEndpoints {
  /** The token endpoint for the credentials of a person. Default `https://oauth2.googleapis.com/token`. */
  readonly token?: string | undefined;
  /** The IAM Credentials API, for impersonation. Default `https://iamcredentials.googleapis.com`. */
  readonly iamCredentials?: string | undefined;
}
