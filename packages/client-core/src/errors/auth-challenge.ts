/**
 * One challenge of a `WWW-Authenticate` header. Everything in it is untrusted text.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export interface ParsedChallenge {
  /** Authentication scheme in lower case, for example `bearer`. */
  readonly scheme: string;
  /** Parameters by lower-case name. A parameter that occurs twice is left out, because neither value can be trusted. */
  readonly params: ReadonlyMap<string, string>;
  /** The value that schemes such as `Negotiate` have instead of parameters. */
  readonly token68?: string | undefined;
}

/** Refusal of a request for want of credentials. Everything in it is untrusted text. */
export interface AuthChallenge {
  /** URL of the refused request. */
  readonly url: URL;
  /**
   * 401: missing or invalid credentials, also from a server that answers a request without any with 403. 403: valid credentials
   * with insufficient scope.
   */
  readonly status: 401 | 403;
  /** Value of `WWW-Authenticate` as received; several header fields are joined by a comma and a space. */
  readonly wwwAuthenticate?: string | undefined;
  /**
   * The parsed challenges of {@link wwwAuthenticate}. The transports of this project set it; otherwise the provider parses the
   * header.
   */
  readonly challenges?: readonly ParsedChallenge[] | undefined;
  /** Value of `DPoP-Nonce`, which the next proof has to contain. @see https://www.rfc-editor.org/rfc/rfc9449#section-9 */
  readonly dpopNonce?: string | undefined;
  /** HTTP method of the refused request. */
  readonly method?: string | undefined;
  /** The refused `Authorization` value, so that the provider can tell whether it has a newer one. */
  readonly refused?: string | undefined;
  /**
   * Headers of the refused request by lower-case name, at least those of the provider, which may set others than `Authorization`.
   * The transports of this project set it.
   */
  readonly signed?: Readonly<Record<string, string>> | undefined;
}
