import {
  AuthRequiredError,
  FittingsError,
  TransportError,
  type AuthChallenge,
  type AuthProvider,
  type Delivery,
} from '@mcp-fittings/client-core';
import { checkHeaders, namesError } from '@mcp-fittings/net-policy';
import type { ResponseHead } from '../network.js';
import { define, stampAuthError } from './sdk-shape.js';

/** `credentials`: they are missing or bad. `scope`: they are good and do not reach far enough. */
export type ChallengeKind = 'credentials' | 'scope';

/** What a refusal asks of a provider; undefined when the credentials are not what is wrong. */
export function challengeKind(head: ResponseHead): ChallengeKind | undefined {
  if (head.status === 401) return 'credentials';
  return head.status === 403 && says(head, 'insufficient_scope') ? 'scope' : undefined;
}

function says(head: ResponseHead, error: string): boolean {
  return namesError(head.header('www-authenticate'), error);
}

/** How often one request was challenged; make one for each request. */
export interface ChallengeCount {
  credentials: number;
  scope: number;
  /** Of the challenges for credentials, those that only want a nonce in a DPoP proof. */
  nonce: number;
}

/** A request that was challenged. */
export interface ChallengedRequest {
  readonly kind: ChallengeKind;
  readonly head: ResponseHead;
  readonly method: string;
  /** Its `Authorization`. */
  readonly authorization: string | undefined;
  /** The error for the caller, when nothing helps. */
  readonly refusal: () => FittingsError;
}

/** Signs the requests to one server with an `AuthProvider`, and takes challenges to it. */
export interface Credentials {
  /**
   * Headers that sign one request, with lower-case names; empty without a provider. `target` is where it goes, when that is
   * another address of the server: a DPoP proof names it.
   */
  headers(method: string, target?: URL): Promise<Readonly<Record<string, string>>>;
  /** For the head of every reply, good or bad: the provider is told what the next request has to contain. */
  observe(head: ResponseHead): void;
  /**
   * Settles when it is worth to send the request again. Rejects with the very error of the provider, with an
   * `AuthRequiredError` when there is neither a provider nor a configured credential, else with the refusal.
   */
  recover(request: ChallengedRequest, count: ChallengeCount): Promise<void>;
}

export interface CredentialsOptions {
  readonly url: URL;
  readonly provider: AuthProvider | undefined;
  /** An `Authorization` header is configured: a 401 means that it is wrong. */
  readonly configured: boolean;
  readonly server?: string | undefined;
}

/**
 * A fresh token that is refused is no reason to fetch another one, and a nonce is no new token: it may be wanted before
 * the token is even looked at. Scopes may be widened step by step; with the first sign-in that makes three requests to the
 * authorization server, which is what a server has to bear.
 */
const LIMITS = { credentials: 1, scope: 2, nonce: 1 } as const;
const NONE = {};

export function createCredentials(options: CredentialsOptions): Credentials {
  const { url, provider, configured, server } = options;

  return {
    async headers(method, target = url) {
      if (provider === undefined) return NONE;
      try {
        return checkHeaders(await provider.headers({ url: target, method }), { server });
      } catch (cause) {
        throw asAuthError(cause, 'not-sent', server);
      }
    },

    observe(head) {
      if (provider?.onDpopNonce === undefined) return;
      const dpopNonce = head.header('dpop-nonce');
      // A redirect may have led to somebody else's origin.
      if (dpopNonce === undefined || head.url.origin !== url.origin) return;
      try {
        provider.onDpopNonce({ url, dpopNonce });
      } catch {
        // The reply is as good as without it; what is wrong shows when the next request is signed.
      }
    },

    async recover({ kind, head, method, authorization, refusal }, count) {
      const challenge = {
        url,
        status: kind === 'scope' ? 403 : 401,
        wwwAuthenticate: head.header('www-authenticate'),
        dpopNonce: head.header('dpop-nonce'),
        method,
        refused: authorization,
      } as const;
      if (provider === undefined && kind === 'credentials' && !configured) {
        const missing = new AuthRequiredError('The server wants credentials and none are configured.', {
          server,
          challenge,
          hint: 'Install a sign-in package for it, or configure `headers` or `apiKey`.',
          details: { status: head.status, url: url.origin },
        });
        throw asAuthError(missing, 'rejected', server);
      }
      if (provider === undefined) throw asAuthError(refusal(), 'rejected', server);
      if (!mayAsk(kind, head, count)) {
        // New credentials are refused as well: what is left is another sign-in, where there is one.
        const isEnded = kind === 'credentials' && provider.signIn !== undefined;
        const cause = refusal();
        throw asAuthError(isEnded ? refusedAgain(cause, challenge, server) : cause, 'rejected', server);
      }
      try {
        await provider.onChallenge(challenge);
      } catch (cause) {
        throw asAuthError(cause, 'rejected', server);
      }
    },
  };
}

function refusedAgain(
  cause: FittingsError,
  challenge: AuthChallenge,
  server: string | undefined,
): AuthRequiredError {
  return new AuthRequiredError('The server refuses the credentials, also after they were renewed.', {
    server,
    challenge,
    cause,
    hint: 'Sign in again, with host.signIn() or signIn() of the provider.',
    details: { status: challenge.status, url: challenge.url.origin },
  });
}

/** Counts the challenge. */
function mayAsk(kind: ChallengeKind, head: ResponseHead, count: ChallengeCount): boolean {
  const counted = kind === 'credentials' && says(head, 'use_dpop_nonce') ? 'nonce' : kind;
  return count[counted]++ < LIMITS[counted];
}

/**
 * The very error of a provider, with what only the transport knows: how far the request got. What the error says of that
 * itself is about a request of the provider's own, as to a token endpoint; then it becomes the cause of one that tells.
 */
function asAuthError(cause: unknown, delivery: Delivery, server: string | undefined): FittingsError {
  const error =
    cause instanceof FittingsError
      ? about(cause, delivery)
      : new TransportError('AUTH_FAILED', 'The provider of credentials failed.', { server, cause, delivery });
  if (error.delivery === undefined) define(error, 'delivery', delivery);
  stampAuthError(error);
  return error;
}

function about(error: FittingsError, delivery: Delivery): FittingsError {
  if (error.delivery === undefined || error.delivery === delivery) return error;
  const { message, code, kind, retryable, hint, server, details } = error;
  const options = { cause: error, kind, retryable, hint, server, details, delivery };
  if (error instanceof AuthRequiredError) {
    return new AuthRequiredError(message, { ...options, challenge: error.challenge });
  }
  return new FittingsError(code, message, options);
}
