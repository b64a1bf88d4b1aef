import { digestOf, exchangeToken, oauthErrorCode, revokeTokens } from '@mcp-fittings/auth-oauth/toolkit';
import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { abortable } from '@mcp-fittings/toolbox/timing';
import { aborted, tokenExchangeError } from '../errors.js';
import type { XaaProviderOptions } from '../options.js';
import { createXaaProvider } from '../xaa-provider.js';
import { IdJagCache, type IdJag, type IdJagTarget } from '../id-jag/id-jag.js';
import { validateIdJag } from '../id-jag/validate-id-jag.js';
import { IdentityProviderConnection } from './connection.js';
import { signInInteractively } from './interactive-sign-in.js';
import type { IdentityProviderOptions } from './options.js';
import { SharedSignIn, type Subject } from './shared-sign-in.js';
import { stepUpIn, StepUps, type StepUpRequest } from './step-up.js';

/** The company's identity provider, shared by the providers of all servers. */
export interface IdentityProvider {
  /** Issuer identifier, as configured. */
  readonly issuer: string;
  /**
   * Resolves with the id of the current sign-in, or with undefined when no one is signed in. A different id means that another
   * user signed in, or that the user signed out in between. Rejects with the codes of the store, and `CALLBACK_FAILED`.
   */
  sessionId(): Promise<string | undefined>;
  /**
   * Signs the user in, unless that is not necessary. Concurrent callers share one page. Rejects with `AUTH_FAILED`, `TIMEOUT`,
   * `ABORTED`, `AUTH_DISCOVERY_FAILED`, and with the codes of the network and the store.
   */
  signIn(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Deletes the sign-in and revokes it at the identity provider. Providers drop the tokens that they derived from it. */
  signOut(): Promise<void>;
  /**
   * Creates the provider of one server, which derives access tokens from this sign-in without asking the user. For programs
   * without a host; a host uses `xaa()`.
   *
   * Throws `CONFIG_INVALID` for an invalid `clientMetadataUrl`. Its methods reject with `AUTH_REQUIRED` when no one is signed in
   * at the identity provider, `AUTH_EXCHANGE_FAILED` when the identity provider refuses, `AUTH_REJECTED` or `AUTH_FAILED` when the
   * server's authorization server does, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, `AUTH_SCOPE_INSUFFICIENT`, and with the codes
   * of the network and the store.
   */
  createProvider(options: XaaProviderOptions): AuthProvider;
}

/**
 * Creates the identity provider that all providers with a common sign-in share. `xaa()` does so by itself; use this function
 * without a host. Throws `CONFIG_INVALID` for an invalid issuer or client id.
 * @example
 * const identityProvider = createIdentityProvider({ issuer, clientId: 'my-agent', store, interaction });
 * const provider = identityProvider.createProvider({ url, server: 'notes', clientId: 'my-agent', store });
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  return new SharedIdentityProvider(options);
}

/** The identity provider, as the providers of the servers use it. */
export class SharedIdentityProvider implements IdentityProvider {
  readonly issuer: string;
  readonly #connection: IdentityProviderConnection;
  readonly #options: IdentityProviderOptions;
  readonly #shared: SharedSignIn;
  readonly #stepUps: StepUps;
  readonly #cache: IdJagCache;
  /** Authorization servers that refuse an ID-JAG that was used before. */
  readonly #singleUse = new Set<string>();
  /** Requests that fail until the user has signed in again, and so has another token. */
  readonly #blocked = new RecentMap<string, FittingsError>(MAX_BLOCKED);
  #running: Promise<void> | undefined;

  constructor(options: IdentityProviderOptions) {
    const connection = new IdentityProviderConnection(options);
    const { issuer, provider } = connection;
    this.issuer = issuer;
    this.#connection = connection;
    this.#options = options;
    this.#shared = new SharedSignIn(connection, options);
    this.#stepUps = new StepUps(issuer, provider.clock);
    this.#cache = new IdJagCache(provider.clock);
  }

  createProvider(options: XaaProviderOptions): AuthProvider {
    return createXaaProvider(options, this);
  }

  sessionId(): Promise<string | undefined> {
    return this.#shared.id();
  }

  /**
   * Resolves with an opaque version of the current sign-in, which changes with every sign-in and renewal, or with undefined when
   * no one is signed in. `reload` reads the store again, because another process may have signed in. Does not use the network.
   */
  signInVersion(options: { readonly reload?: boolean } = {}): Promise<string | undefined> {
    return this.#shared.version(options);
  }

  /**
   * Requests an ID-JAG for one resource, without asking the user; it may come from the cache. Rejects with `AUTH_REQUIRED`,
   * `AUTH_EXCHANGE_FAILED`, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, and with the codes of the network and the store.
   */
  async requestIdJag(target: IdJagTarget, signal?: AbortSignal): Promise<IdJag> {
    try {
      const subject = await this.#shared.subject(target.server);
      const key = keyOf(target, subject);
      const blockedBy = this.#blocked.get(key);
      if (blockedBy !== undefined) throw blockedBy;
      const cached = this.#cache.get(key);
      if (cached !== undefined) return { ...cached, reused: true };
      const idJag = await this.#request(target, subject, signal).catch((error: unknown) =>
        this.#recover(error, target, subject, signal),
      );
      if (!this.#singleUse.has(target.audience)) this.#cache.put(idJag);
      return idJag;
    } catch (error) {
      throw tokenExchangeError(error, target.server);
    }
  }

  /**
   * Call it when an authorization server has refused an ID-JAG, so that the next one is new. If a reused one was refused, none is
   * reused at that authorization server again.
   */
  discardIdJag({ audience }: IdJagTarget, idJag: IdJag): void {
    this.#cache.drop(idJag);
    if (idJag.reused) this.#singleUse.add(audience);
  }

  /** Call it when a server requires a stronger sign-in. Resolves with the error to throw, or undefined when a retry will succeed. */
  async requireStepUp(request: Omit<StepUpRequest, 'subject'>): Promise<FittingsError | undefined> {
    return this.#stepUps.require({ ...request, subject: await this.#shared.subject(request.server) });
  }

  async signIn({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    const { server } = this.#connection.provider;
    if (signal?.aborted === true) throw aborted(server);
    const subject = await this.#shared.find(server);
    if (subject !== undefined && !this.#stepUps.isPendingFor(subject)) return;
    const isOurs = this.#running === undefined;
    this.#running ??= this.#signInNow(signal).finally(() => {
      this.#running = undefined;
    });
    try {
      await abortable(this.#running, signal, () => aborted(server));
    } catch (error) {
      // The caller that opened the page has aborted; this one has not.
      const isTheirs = !isOurs && error instanceof FittingsError && error.code === 'ABORTED';
      if (!isTheirs) throw error;
      await this.signIn({ signal });
    }
  }

  async signOut(): Promise<void> {
    const { clientId, provider } = this.#connection;
    const { network, server, logger } = provider;
    const record = await this.#shared.end();
    this.#cache.clear();
    this.#blocked.clear();
    this.#stepUps.forget();
    if (record === undefined) return;
    const tokenRequest = this.#connection.request();
    await revokeTokens({
      record: { ...record, clientId, accessToken: '' },
      network,
      server,
      clients: { find: async () => (await tokenRequest).client },
      discover: async () => ({ authorizationServer: (await tokenRequest).authorizationServer }),
      logger,
    });
  }

  async #request(target: IdJagTarget, subject: Subject, signal: AbortSignal | undefined): Promise<IdJag> {
    const { server, audience, resource, scopes } = target;
    const { issuer, provider } = this.#connection;
    const tokenRequest = await this.#connection.request({ server, signal });
    const reply = await exchangeToken(tokenRequest, 'Exchanging the sign-in for an ID-JAG', {
      subject,
      requested: 'id-jag',
      audience,
      resource,
      scopes,
    });
    const validated = validateIdJag(reply, { ...target, issuer, now: provider.clock.now() });
    return { ...validated, key: keyOf(target, subject), sessionId: subject.sessionId, reused: false };
  }

  async #recover(
    error: unknown,
    target: IdJagTarget,
    refused: Subject,
    signal: AbortSignal | undefined,
  ): Promise<IdJag> {
    const required = stepUpIn(error);
    const stepUp =
      required && this.#stepUps.require({ ...required, server: target.server, subject: refused });
    if (stepUp !== undefined) {
      this.#blocked.set(keyOf(target, refused), stepUp);
      throw stepUp;
    }
    // RFC 8693, section 2.2.2 specifies `invalid_request` for an invalid subject token; real servers send `invalid_grant`.
    const blamesSubject = ['invalid_grant', 'invalid_request'].includes(oauthErrorCode(error) ?? '');
    const other = blamesSubject ? await this.#shared.replace(refused, target.server) : undefined;
    if (other === undefined) throw error;
    return this.#request(target, other, signal);
  }

  async #signInNow(signal: AbortSignal | undefined): Promise<void> {
    const stepUp = this.#stepUps.pending ?? {};
    await this.#shared.begin(await signInInteractively(this.#connection, this.#options, stepUp, signal));
    this.#cache.clear();
    this.#blocked.clear();
    this.#stepUps.complete();
  }
}

const MAX_BLOCKED = 1_000;

/** Includes the token: those of another user, and of another sign-in of the same one, get ID-JAGs of their own. */
function keyOf({ audience, resource, clientId, scopes }: IdJagTarget, { sessionId, token }: Subject): string {
  return JSON.stringify([sessionId, digestOf([token]), audience, resource, clientId, scopes.toSorted()]);
}
