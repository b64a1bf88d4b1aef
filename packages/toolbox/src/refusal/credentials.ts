import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  type Delivery,
  FittingsError,
  TransportError,
} from '@mcp-fittings/client-core';
import { checkHeaders } from '../connect/headers.js';
import { restateError } from '../errors/restate-error.js';
import { fromBase64 } from '../text/base64.js';
import { createRedactor, type Redactor } from '../text/redact.js';
import type { Challenge, ReplyHead } from './challenge.js';
import { define, stampAuthError } from './sdk-members.js';

/** A request that was refused with a challenge. */
export interface ChallengedRequest {
  /** The request of the server for credentials. */
  readonly challenge: Challenge;
  /** HTTP method of the request. */
  readonly method: string;
  /** Headers from {@link Credentials.headers} that it was sent with. */
  readonly signed: Readonly<Record<string, string>>;
  /** Creates the error for the caller if no credentials help. */
  readonly refusal: () => FittingsError;
}

/** Says how the requests to one server are signed. */
export interface CredentialsOptions {
  /** URL of the server with the scheme `http:` or `https:`; the provider is asked for credentials for it. */
  readonly url: URL;
  /** Signs the requests. `undefined`: requests are sent with the configured headers only. */
  readonly provider: AuthProvider | undefined;
  /** Configured `Authorization` header. It is the refused credential if the provider does not set one. */
  readonly authorization?: string | undefined;
  /**
   * True if the configured headers hold credentials, so that a 401 means that these are wrong. Default: true if there is an
   * `authorization`.
   */
  readonly configured?: boolean | undefined;
  /** Headers that the provider may not set; see `checkHeaders`. Default: none. */
  readonly reserved?: readonly string[] | undefined;
  /** Name of the server, for errors. */
  readonly server?: string | undefined;
}

/**
 * Limits how often one request may be challenged: once for its credentials, once for a DPoP nonce, twice for more scopes. A
 * refused fresh token does not justify another one. A nonce is counted separately, because a server may ask for it before it
 * looks at the token. Two requests for more scopes allow a server to ask step by step.
 */
export class ChallengeBudget {
  readonly #left: Record<Challenge['kind'], number> = { credentials: 1, scope: 2, nonce: 1 };

  /** Counts a challenge. Returns `false` if there were too many of this kind. */
  spend(kind: Challenge['kind']): boolean {
    return this.#left[kind]-- > 0;
  }
}

const NONE = {};

/**
 * Signs the requests to one server with an `AuthProvider` and passes challenges to it.
 *
 * @example
 * ```ts
 * const credentials = new Credentials({ url: new URL('https://mcp.example.com/'), provider });
 * const headers = await credentials.headers('POST');
 * ```
 */
export class Credentials {
  /** True if there is a provider. Without one, {@link headers} always resolves with an empty object. */
  readonly signs: boolean;
  /** True if the configured headers hold credentials. */
  readonly configured: boolean;
  readonly #options: CredentialsOptions;
  /** Headers that the provider returned last, and the same with lower-case names. Most providers return the same for many requests. */
  #last: Readonly<Record<'given' | 'checked', Readonly<Record<string, string>>>> | undefined;

  constructor(options: CredentialsOptions) {
    this.#options = options;
    this.signs = options.provider !== undefined;
    this.configured = options.configured ?? options.authorization !== undefined;
  }

  /**
   * Resolves with the headers that sign one request, by lower-case name. Rejects with the provider's own error, or with
   * `AUTH_FAILED` if the provider throws anything else.
   *
   * @param method HTTP method of the request, which a DPoP proof contains.
   * @param target URL of the request, if it is not the URL of the server.
   */
  async headers(method: string, target: URL = this.#options.url): Promise<Readonly<Record<string, string>>> {
    const { provider, server, reserved } = this.#options;
    if (provider === undefined) return NONE;
    try {
      const given = await provider.headers({ url: target, method });
      if (this.#last === undefined || !haveSameEntries(given, this.#last.given))
        this.#last = { given: { ...given }, checked: checkHeaders(given, { server, reserved }) };
      return this.#last.checked;
    } catch (cause) {
      throw asAuthError(cause, 'not-sent', server);
    }
  }

  /** Call it with the head of every reply, accepted or not: a provider learns the DPoP nonce of its next proof from it. */
  observe(head: ReplyHead): void {
    const { provider, url } = this.#options;
    if (provider?.onDpopNonce === undefined) return;
    const dpopNonce = head.header('dpop-nonce');
    // After a redirect, the reply may come from another server.
    if (dpopNonce === undefined || head.url.origin !== url.origin) return;
    try {
      provider.onDpopNonce({ url, dpopNonce });
    } catch {
      // The reply is valid all the same. A provider that cannot sign fails with the next request.
    }
  }

  /**
   * Resolves when the request is worth sending again. Rejects with the provider's own error; with an `AuthRequiredError` if
   * there is neither a provider nor a configured credential, or if the user has to sign in again; else with
   * {@link ChallengedRequest.refusal}.
   */
  async recover(
    { challenge, method, signed, refusal }: ChallengedRequest,
    budget: ChallengeBudget,
  ): Promise<void> {
    const { url, provider, authorization, server } = this.#options;
    const { kind, status, wwwAuthenticate, challenges, dpopNonce } = challenge;
    const refused = signed['authorization'] ?? authorization;
    const given: AuthChallenge = {
      url,
      status,
      wwwAuthenticate,
      challenges,
      dpopNonce,
      method,
      refused,
      signed,
    };
    if (provider === undefined) {
      const missing = kind !== 'scope' && !this.configured;
      throw asAuthError(missing ? noneConfigured(given, refusal(), server) : refusal(), 'rejected', server);
    }
    if (!budget.spend(kind)) {
      // New credentials were refused as well. Only another sign-in may help, if the provider has one.
      const needsSignIn = kind !== 'scope' && provider.signIn !== undefined;
      const error = needsSignIn ? refusedAgain(refusal(), given, server) : refusal();
      throw asAuthError(error, 'rejected', server);
    }
    try {
      await provider.onChallenge(given);
    } catch (cause) {
      throw asAuthError(cause, 'rejected', server);
    }
  }
}

function noneConfigured(
  challenge: AuthChallenge,
  { details }: FittingsError,
  server: string | undefined,
): AuthRequiredError {
  return new AuthRequiredError('The server requires credentials and none are configured.', {
    server,
    challenge,
    hint: 'Install a sign-in package for it, or configure `headers` or `apiKey`.',
    details: { status: details['status'] ?? challenge.status, url: challenge.url.origin },
  });
}

function refusedAgain(
  cause: FittingsError,
  challenge: AuthChallenge,
  server: string | undefined,
): AuthRequiredError {
  return new AuthRequiredError('The server refused the credentials again after they were renewed.', {
    server,
    challenge,
    cause,
    hint: 'Sign in again, with host.signIn() or signIn() of the provider.',
    details: { status: cause.details['status'] ?? challenge.status, url: challenge.url.origin },
  });
}

/**
 * Returns the provider's own error, with the `delivery` of the request, which only the transport knows. If the error has a `delivery`
 * already, that is about a request of the provider, for example to a token endpoint; then it becomes the cause of a new one.
 */
function asAuthError(cause: unknown, delivery: Delivery, server: string | undefined): FittingsError {
  const thrown =
    cause instanceof FittingsError
      ? cause
      : new TransportError('AUTH_FAILED', 'The auth provider threw an error that is not a FittingsError.', {
          server,
          cause,
          delivery,
        });
  const error = (thrown.delivery ?? delivery) === delivery ? thrown : restateError(thrown, { delivery });
  if (error.delivery === undefined) define(error, 'delivery', delivery);
  stampAuthError(error);
  return error;
}

/** Returns whether two objects have the same names and values. */
function haveSameEntries(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) if (one[name] !== other[name] || !Object.hasOwn(other, name)) return false;
  return true;
}

/**
 * Returns parts of a request that a server may repeat and an error must not show: whole header values, what follows the scheme of a
 * credential, both halves of `Basic` credentials, the values of cookies, and the values in the query of the URL.
 */
function secretsOf(headers: Readonly<Record<string, string>>, url?: URL): readonly string[] {
  const secrets = url === undefined ? [] : [...url.searchParams.values()];
  for (const [name, value] of Object.entries(headers)) {
    if (PUBLIC.has(name.toLowerCase())) continue;
    secrets.push(value, value.slice(value.indexOf(' ') + 1), value.slice(value.lastIndexOf(' ') + 1));
    if (/^basic /i.test(value)) secrets.push(...halvesOf(value.slice('basic '.length).trim()));
    if (name.toLowerCase() === 'cookie') {
      for (const cookie of value.split(';')) secrets.push(cookie.slice(cookie.indexOf('=') + 1).trim());
    }
  }
  return secrets.filter((secret) => secret !== '');
}

/** Set by the transports. Their values are ordinary words that a message may contain by chance. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'cache-control',
  'content-type',
  'mcp-method',
  'mcp-protocol-version',
  'user-agent',
]);

function halvesOf(base64: string): readonly string[] {
  const pair = new TextDecoder().decode(fromBase64(base64));
  const colon = pair.indexOf(':');
  return colon === -1 ? [] : [pair, pair.slice(0, colon), pair.slice(colon + 1)];
}

/** Tokens change, and a server does not repeat one that it got long ago. */
const KEPT = 64;

/** Removes the secrets of one connection from texts of its server, which may repeat them. */
export class RequestRedactor {
  readonly #always: readonly string[];
  readonly #learned = new Set<string>();
  /** Created only when an error needs it: most connections never have one. */
  #redactor: Redactor | undefined;
  /** The headers of the latest request, whose values are all learned. */
  #latest: Readonly<Record<string, string>> | undefined;

  /**
   * @param headers Headers that every request of the connection has.
   * @param url URL of the server, whose query may hold secrets.
   */
  constructor(headers: Readonly<Record<string, string>>, url?: URL) {
    this.#always = secretsOf(headers, url);
  }

  /** Replaces every known secret in a text. */
  readonly redact: Redactor = (text, cut) => {
    this.#redactor ??= createRedactor([...this.#always, ...this.#learned]);
    return this.#redactor(text, cut);
  };

  /** Call it before headers, or a URL with a query, are sent: their values are secrets from now on. Do not change the headers later. */
  learn(headers: Readonly<Record<string, string>>, url?: URL): void {
    if (url === undefined && headers === this.#latest) return;
    this.#latest = headers;
    for (const secret of secretsOf(headers, url)) this.learnValue(secret);
  }

  /** Call it before one secret value is sent, such as a session id. */
  learnValue(value: string): void {
    if (this.#learned.has(value)) return;
    this.#learned.add(value);
    this.#redactor = undefined;
    if (this.#learned.size <= KEPT) return;
    this.#learned.delete(this.#learned.values().next().value ?? '');
    // It may have been one of these.
    this.#latest = undefined;
  }
}
