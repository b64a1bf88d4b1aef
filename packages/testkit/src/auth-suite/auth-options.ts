import type { AuthProvider } from '@mcp-fittings/client-core';

/** A provider without credentials, and the server whose requests it signs. */
export interface AuthProviderFixture {
  /** The provider under test. */
  readonly provider: AuthProvider;
  /** URL of the server. */
  readonly url: URL;
  /** Sends a POST with these headers to the server. */
  readonly send: (headers: Readonly<Record<string, string>>) => Promise<{
    /** HTTP status. */
    readonly status: number;
    /** Value of the `WWW-Authenticate` header. */
    readonly wwwAuthenticate?: string | undefined;
    /** Value of the `DPoP-Nonce` header. */
    readonly dpopNonce?: string | undefined;
  }>;
  /** Makes the server refuse all credentials that were issued so far. */
  readonly revoke?: (() => Promise<void>) | undefined;
  /** Makes the server refuse all requests. */
  readonly refuseAll: () => Promise<void>;
  /** Returns how often credentials were obtained or renewed: requests to the issuer, runs of a command. For `renews`. */
  readonly renewals?: (() => number | Promise<number>) | undefined;
  /** Returns how often a person was asked for anything. For `signsIn`. */
  readonly interactions?: (() => number) | undefined;
  /** Texts that must not appear anywhere, such as a client secret. Default none. */
  readonly secrets?: readonly string[] | undefined;
  /** Frees the resources of the fixture. Called after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

/** Options of {@link authProviderSuite}. */
export interface AuthProviderSuiteOptions {
  /** Name of the provider, for the test report. */
  readonly name: string;
  /** Features of the provider. They decide which cases exist. Default: none. */
  readonly capabilities?:
    | {
        /** A human has to sign in; the fixture scripts this. Default false. */
        readonly signsIn?: boolean | undefined;
        /** Obtains new credentials by itself when its current ones are refused. The fixture needs `revoke`. Default false. */
        readonly renews?: boolean | undefined;
        /** Has the method `signOut()`. Default false. */
        readonly signsOut?: boolean | undefined;
      }
    | undefined;
  /** Creates a provider and its server. Called for every case. */
  readonly setup: () => Promise<AuthProviderFixture>;
  /** Milliseconds that each step of a case may take. Default 10 000. */
  readonly deadlineMs?: number | undefined;
}

/** The response of the test server to a request. */
export type TestServerResponse = Awaited<ReturnType<AuthProviderFixture['send']>>;
