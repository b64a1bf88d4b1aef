import type { ServedProvider } from './provider-server.mjs';
export interface TestAuthorizationServer extends ServedProvider {
  /** The account, scopes … of a live access token; undefined for any other token. */
  find(
    token: string,
  ): Promise<{ readonly scope: string; readonly accountId?: string; readonly jkt?: string } | undefined>;
}
export interface TestServerOptions {
  readonly resource: () => string;
  readonly accessTokenTtl?: number;
  readonly scopes?: readonly string[];
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
  readonly dpopNonce?: boolean;
  /** Accepts pushed authorization requests only. */
  readonly pushedOnly?: boolean;
  /** The one assertion that the JWT bearer grant accepts. */
  readonly workload?: string;
}
export function startAuthorizationServer(options: TestServerOptions): Promise<TestAuthorizationServer>;
/** Walks a person through the pages, without a browser: to the redirect that leaves the server, or to its last page. */
export function scriptedPerson(
  url: string | URL,
  login?: string,
): Promise<{ readonly location: string | undefined; readonly html: string }>;
