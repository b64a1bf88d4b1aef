import { oauthErrorCode, revokeTokens } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/toolbox/timing';
import { tokenExchangeError } from '../errors.js';
import { createIdJagCache, targetKey, type IdJag, type IdJagTarget } from '../id-jag/id-jag.js';
import { exchangeToken, ID_JAG } from '../id-jag/token-exchange.js';
import { validateIdJag } from '../id-jag/validate-id-jag.js';
import { connectToIdentityProvider } from './connection.js';
import { signInInteractively } from './interactive-sign-in.js';
import type { IdentityProviderOptions } from './options.js';
import { createSharedSignIn, isSignedIn, type Subject } from './shared-sign-in.js';
import { createStepUps, stepUpIn, type StepUpRequest } from './step-up.js';

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
   * Resolves with an opaque version of the current sign-in, which changes with every sign-in and renewal, or with undefined when
   * no one is signed in. `reload` reads the store again, because another process may have signed in. Does not use the network.
   */
  signInVersion(options?: { readonly reload?: boolean }): Promise<string | undefined>;
  /**
   * Requests an ID-JAG for one resource, without asking the user; it may come from the cache. Rejects with `AUTH_REQUIRED`,
   * `AUTH_EXCHANGE_FAILED`, `POLICY_DENIED`, `AUTH_DISCOVERY_FAILED`, and with the codes of the network and the store.
   */
  requestIdJag(target: IdJagTarget, signal?: AbortSignal): Promise<IdJag>;
  /**
   * Call it when an authorization server has refused an ID-JAG, so that the next one is new. If a reused one was refused, none is
   * reused at that authorization server again.
   */
  discardIdJag(target: IdJagTarget, idJag: IdJag): void;
  /** Call it when a server requires a stronger sign-in. Returns the error to throw, or undefined when a retry will succeed. */
  requireStepUp(request: StepUpRequest): FittingsError | undefined;
  /**
   * Signs the user in, unless that is not necessary. Concurrent callers share one page. Rejects with `AUTH_FAILED`, `TIMEOUT`,
   * `ABORTED`, `AUTH_DISCOVERY_FAILED`, and with the codes of the network and the store.
   */
  signIn(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Deletes the sign-in and revokes it at the identity provider. Providers drop the tokens that they derived from it. */
  signOut(): Promise<void>;
}

/**
 * Creates the identity provider that all providers with a common sign-in share. `xaa()` does so by itself; use this function
 * with {@link createXaaProvider}, without a host. Throws `CONFIG_INVALID` for an invalid issuer or client id.
 * @example
 * const identityProvider = createIdentityProvider({ issuer, clientId: 'my-agent', store, interaction });
 * await identityProvider.signIn();
 */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const connection = connectToIdentityProvider(options);
  const { deps, issuer, clientId } = connection;
  const { clock, logger, network, server: name } = deps;
  const shared = createSharedSignIn(connection, options);
  const stepUps = createStepUps(issuer, clock);
  const cache = createIdJagCache(clock);
  const singleUse = new Set<string>();
  /** Targets whose requests fail until the user has signed in again. */
  const blocked = new Map<string, FittingsError>();
  let running: Promise<void> | undefined;

  const request = async (target: IdJagTarget, subject: Subject, signal?: AbortSignal): Promise<IdJag> => {
    const { server, audience, resource, scopes } = target;
    const tokenRequest = await connection.request({ server, signal });
    const reply = await exchangeToken(tokenRequest, 'Exchanging the sign-in for an ID-JAG', subject, {
      requested_token_type: ID_JAG,
      audience,
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    const validated = validateIdJag(reply, { ...target, issuer, now: clock.now() });
    return { ...validated, sessionId: subject.sessionId, reused: false };
  };

  const recover = async (
    error: unknown,
    target: IdJagTarget,
    refused: Subject,
    signal?: AbortSignal,
  ): Promise<IdJag> => {
    const required = stepUpIn(error);
    const stepUp = required && stepUps.require({ ...required, server: target.server });
    if (stepUp !== undefined) {
      blocked.set(blockKey(target, refused.sessionId), stepUp);
      throw stepUp;
    }
    // RFC 8693, section 2.2.2 specifies `invalid_request` for an invalid subject token; real servers send `invalid_grant`.
    const blamesSubject = ['invalid_grant', 'invalid_request'].includes(oauthErrorCode(error) ?? '');
    const other = blamesSubject ? await shared.replace(refused, target.server) : undefined;
    if (other === undefined) throw error;
    return request(target, other, signal);
  };

  const signInNow = async (signal: AbortSignal | undefined): Promise<void> => {
    await shared.begin(await signInInteractively(connection, options, stepUps.pending ?? {}, signal));
    cache.clear();
    blocked.clear();
    stepUps.complete();
  };

  const signIn = async (signal: AbortSignal | undefined): Promise<void> => {
    if (signal?.aborted === true) throw aborted(name);
    if (stepUps.pending === undefined && (await isSignedIn(shared, name))) return;
    const isOurs = running === undefined;
    running ??= signInNow(signal).finally(() => {
      running = undefined;
    });
    try {
      await abortable(running, signal, () => aborted(name));
    } catch (error) {
      // The caller that opened the page has aborted; this one has not.
      const isTheirs = !isOurs && error instanceof FittingsError && error.code === 'ABORTED';
      if (!isTheirs) throw error;
      await signIn(signal);
    }
  };

  return {
    issuer,
    sessionId: () => shared.id(),
    async signInVersion({ reload = false } = {}) {
      const before = await shared.version();
      const now = await shared.version({ reload });
      // A requirement of the identity provider may be satisfied now.
      if (now !== before) blocked.clear();
      return now;
    },
    async requestIdJag(target, signal) {
      const key = targetKey(target);
      const sessionId = await shared.id();
      const blockedBy = blocked.get(blockKey(target, sessionId));
      if (blockedBy !== undefined) throw blockedBy;
      const cached = cache.get(key, sessionId);
      if (cached !== undefined) return { ...cached, reused: true };
      try {
        const subject = await shared.subject(target.server);
        const idJag = await request(target, subject, signal).catch((error: unknown) =>
          recover(error, target, subject, signal),
        );
        if (!singleUse.has(target.audience)) cache.put(key, idJag);
        return idJag;
      } catch (error) {
        throw tokenExchangeError(error, target.server);
      }
    },
    discardIdJag(target, { reused }) {
      cache.drop(targetKey(target));
      if (reused) singleUse.add(target.audience);
    },
    requireStepUp: (stepUp) => stepUps.require(stepUp),
    signIn: ({ signal } = {}) => signIn(signal),
    async signOut() {
      const record = await shared.end();
      cache.clear();
      blocked.clear();
      stepUps.forget();
      if (record === undefined) return;
      const tokenRequest = connection.request();
      await revokeTokens({
        record: { ...record, clientId, accessToken: '' },
        network,
        server: name,
        clients: { find: async () => (await tokenRequest).client },
        discover: async () => ({ authorizationServer: (await tokenRequest).authorizationServer }),
        logger,
      });
    },
  };
}

/** Includes the sign-in, so that a requirement for one user does not block another one. */
function blockKey(target: IdJagTarget, sessionId: string | undefined): string {
  return JSON.stringify([sessionId ?? null, targetKey(target)]);
}

function aborted(name: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in at ${name} was aborted.`, { server: name });
}
