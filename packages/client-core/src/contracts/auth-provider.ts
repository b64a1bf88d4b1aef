/** One challenge of a `WWW-Authenticate` header. Everything in it is text from a stranger. */
export interface ParsedChallenge {
  /** In lower case: `bearer`. */
  readonly scheme: string;
  /** By lower-case name. A parameter that is given twice is left out: neither value can be trusted. */
  readonly params: ReadonlyMap<string, string>;
  /** The bare value that schemes such as `Negotiate` have instead of parameters. */
  readonly token68?: string | undefined;
}

/** What a server said when it refused a request. Everything in it is text from a stranger. */
export interface AuthChallenge {
  readonly url: URL;
  /** 401: no or bad credentials. 403: good ones that do not reach far enough. */
  readonly status: 401 | 403;
  /** Value of `WWW-Authenticate`, as received; several fields are joined by a comma and a space. */
  readonly wwwAuthenticate?: string | undefined;
  /**
   * The challenges of `wwwAuthenticate`, parsed. The transports of this project fill it in; without it a provider parses the
   * header itself.
   */
  readonly challenges?: readonly ParsedChallenge[] | undefined;
  /** Value of `DPoP-Nonce`: what the next proof has to contain. @see https://www.rfc-editor.org/rfc/rfc9449#section-9 */
  readonly dpopNonce?: string | undefined;
  /** Method of the refused HTTP request. */
  readonly method?: string | undefined;
  /** The `Authorization` value that was refused, so that the provider sees whether it has a newer one. */
  readonly refused?: string | undefined;
}

/**
 * Signs the requests of one server. Transports call it for every request; nothing in it talks to a person,
 * except {@link signIn}, which only a host calls.
 */
export interface AuthProvider {
  /**
   * Headers for one request, refreshed before they expire. Empty when there is nothing to sign with.
   * Never interactive; rejects with a `FittingsError` of kind `auth` or `network-*`.
   */
  headers(request: { readonly url: URL; readonly method: string }): Promise<Readonly<Record<string, string>>>;
  /**
   * Called on 401, and on 403 with `insufficient_scope`. Recovers silently (`'retry'`) or rejects with an
   * `AuthRequiredError` when a person is needed.
   */
  onChallenge(challenge: AuthChallenge): Promise<'retry'>;
  /**
   * Told of the `DPoP-Nonce` of any reply, a good one too, because the next proof has to contain the newest. Must not
   * throw. Transports look for that header only when the provider has this member.
   * @see https://www.rfc-editor.org/rfc/rfc9449.html#section-8.2
   */
  onDpopNonce?(reply: { readonly url: URL; readonly dpopNonce: string }): void;
  /**
   * Whether there are other credentials now than those that this challenge is about: another process that shares the store
   * has signed in or refreshed. Pass the challenge of the `AuthRequiredError`. Asks no person, and reads the
   * store rather than asking a server. A host
   * that waits for a sign-in calls it every second or so, and before a call; without this member, only `signIn` ends the
   * waiting. Rejects with the codes of the store.
   */
  hasNewSignIn?(challenge: AuthChallenge | undefined): Promise<boolean>;
  /**
   * Whose credentials the requests carry now, as an opaque name: the same for as long as a sign-in lasts, and another one
   * after somebody else has signed in. Neither a token nor made of one. `undefined`: nobody is signed in. A host keeps what
   * a server told in private apart by it; without this member it does not keep it at all.
   */
  identity?(): Promise<string | undefined>;
  /** Signs in with a person's help. Rejects with a `FittingsError` of kind `auth`, or `ABORTED`. */
  signIn?(options: SignInOptions): Promise<void>;
  /** Forgets the credentials here and, where that is possible, at the server that issued them. */
  signOut?(): Promise<void>;
}

export interface SignInOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the server asked for, when a refused request led here. */
  readonly challenge?: AuthChallenge | undefined;
}
