import type { AuthChallenge } from '../errors/auth-challenge.js';

/**
 * Signs the requests to one server. Transports call it for every request. Only {@link signIn} interacts with a person, and
 * only a host calls that. Check an implementation with `authProviderSuite` of `@mcp-fittings/testkit/auth-provider`.
 */
export interface AuthProvider {
  /**
   * Returns the headers for one request, refreshing credentials that are about to expire. Empty if there are none.
   * Never interactive. Rejects with a `FittingsError` of kind `auth` or `network-*`.
   */
  headers(request: { readonly url: URL; readonly method: string }): Promise<Readonly<Record<string, string>>>;
  /**
   * Called on 401, and on 403 with `insufficient_scope`. Returns `'retry'` if it has recovered silently, and rejects with an
   * `AuthRequiredError` if a person has to sign in.
   */
  onChallenge(challenge: AuthChallenge): Promise<'retry'>;
  /**
   * Called with the `DPoP-Nonce` of any response, also a successful one, because the next proof has to contain the newest.
   * Must not throw. Transports read the header only if the provider has this method.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html#section-8.2
   */
  onDpopNonce?(reply: { readonly url: URL; readonly dpopNonce: string }): void;
  /**
   * Returns whether the credentials differ from those that this challenge refused, because another process that shares the
   * store has signed in or refreshed. Pass the challenge of the `AuthRequiredError`. It reads the store, and asks neither a
   * person nor a server. A host that waits for a sign-in calls it every second or so, and before a call; without this
   * method, only {@link signIn} ends the wait. Rejects with the error codes of the store.
   */
  hasNewSignIn?(challenge: AuthChallenge | undefined): Promise<boolean>;
  /**
   * Returns an opaque name of the user whose credentials the requests carry: the same for as long as a sign-in lasts, and
   * another one after a different user has signed in. It is not derived from a token. Undefined if no one is signed in. A
   * host separates cached private data by it, and without this method it does not cache such data.
   */
  identity?(): Promise<string | undefined>;
  /** Signs in with the help of a person, for example in a browser. Rejects with a `FittingsError` of kind `auth`, or `ABORTED`. */
  signIn?(options: SignInOptions): Promise<void>;
  /** Deletes the credentials and, if possible, revokes them at the server that issued them. */
  signOut?(): Promise<void>;
}

/** Options of {@link AuthProvider.signIn}. */
export interface SignInOptions {
  /** Ends the sign-in with `ABORTED` when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The challenge of the refused request, which may name a scope or a resource. Default: none is known. */
  readonly challenge?: AuthChallenge | undefined;
}
