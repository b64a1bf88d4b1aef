import type { AuthProvider } from '@mcp-fittings/client-core/auth';

/** What a provider can do, declared as data: it decides which cases exist. */
export interface AuthProviderCapabilities {
  /** Without a person's sign-in there are no credentials; the fixture's person is scripted. Default false. */
  readonly signsIn?: boolean | undefined;
  /** Gets other credentials by itself when those that it has are refused; the fixture has `revoke`. Default false. */
  readonly renews?: boolean | undefined;
  /** Has `signOut`. Default false. */
  readonly signsOut?: boolean | undefined;
}

/** What the server says to a request. */
export interface ServerVerdict {
  readonly status: number;
  readonly wwwAuthenticate?: string | undefined;
  readonly dpopNonce?: string | undefined;
}

/** One provider that holds nothing yet, and the server that it signs for. */
export interface AuthProviderFixture {
  readonly provider: AuthProvider;
  readonly url: URL;
  /** Sends a POST with these headers to the server. */
  readonly send: (headers: Readonly<Record<string, string>>) => Promise<ServerVerdict>;
  /** From now on the server refuses every credential that was given out so far. */
  readonly revoke?: (() => Promise<void>) | undefined;
  /** From now on the server refuses whatever it is shown. */
  readonly refuseAll: () => Promise<void>;
  /** How often credentials were got or renewed so far: requests to the issuer, runs of a command. For `renews`. */
  readonly renewals?: (() => number | Promise<number>) | undefined;
  /** How often a person was asked for anything so far. For `signsIn`. */
  readonly interactions?: (() => number) | undefined;
  /** Texts that must not be shown anywhere, e.g. a client secret. */
  readonly secrets?: readonly string[] | undefined;
  /** Frees what the fixture made; runs after every case, also a failed one. */
  readonly teardown: () => Promise<void>;
}

export interface AuthProviderSuiteOptions {
  /** Name of the provider, for the report. */
  readonly name: string;
  readonly capabilities?: AuthProviderCapabilities | undefined;
  readonly setup: () => Promise<AuthProviderFixture>;
  /** Milliseconds that any one step may take before its case fails. Default 10 000. */
  readonly deadlineMs?: number | undefined;
}
