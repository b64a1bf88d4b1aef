import {
  AuthRequiredError,
  FittingsError,
  TransportError,
  type AuthChallenge,
  type AuthProvider,
  type Delivery,
} from '@mcp-fittings/client-core/transport';
import { checkHeaders } from '../connect/headers.js';
import type { Challenge, ReplyHead } from './challenge.js';
import { define, stampAuthError } from './sdk-members.js';

/** A request that was challenged. */
export interface ChallengedRequest {
  readonly challenge: Challenge;
  readonly method: string;
  /** How it was signed. */
  readonly signed: Readonly<Record<string, string>>;
  /** Makes the error for the caller, when nothing helps. */
  readonly refusal: () => FittingsError;
}

/** Signs the requests to one server with an `AuthProvider`, and takes challenges to it. */
export interface Credentials {
  /** There is a provider; without one `headers` has nothing to give. */
  readonly signs: boolean;
  /**
   * Headers that sign one request, with lower-case names; empty without a provider. `target` is where it goes, when that is
   * another address of the server: a DPoP proof names it.
   */
  headers(method: string, target?: URL): Promise<Readonly<Record<string, string>>>;
  /** For the head of every reply, good or bad: the provider is told what the next request has to contain. */
  observe(head: ReplyHead): void;
  /**
   * Settles when the request is worth sending again. Rejects with the very error of the provider, with an
   * `AuthRequiredError` when there is neither a provider nor a configured credential, else with the refusal.
   */
  recover(request: ChallengedRequest, budget: ChallengeBudget): Promise<void>;
}

export interface CredentialsOptions {
  /** Of the server, as `http:` or `https:`. */
  readonly url: URL;
  readonly provider: AuthProvider | undefined;
  /** The `Authorization` header that is configured: the refused one when the provider gives none. */
  readonly authorization?: string | undefined;
  /** Credentials are configured: a 401 means that they are wrong. Default: whether there is an `authorization`. */
  readonly configured?: boolean | undefined;
  /** Headers that a provider may not set, as in `checkHeaders`. */
  readonly reserved?: readonly string[] | undefined;
  readonly server?: string | undefined;
}

/**
 * How often one request may be challenged. A fresh token that is refused is no reason to fetch another one, and a nonce is
 * no new token: it may be wanted before the token is even looked at. Scopes may be widened step by step; with the first
 * sign-in that makes three requests to the authorization server, which is what a server has to bear.
 */
export class ChallengeBudget {
  readonly #left: Record<Challenge['kind'], number> = { credentials: 1, scope: 2, nonce: 1 };

  /** Counts a challenge. False: there were too many of this kind. */
  spend(kind: Challenge['kind']): boolean {
    return this.#left[kind]-- > 0;
  }
}

const NONE = {};

export function createCredentials(options: CredentialsOptions): Credentials {
  const {
    url,
    provider,
    authorization,
    configured = authorization !== undefined,
    reserved,
    server,
  } = options;

  return {
    signs: provider !== undefined,

    async headers(method, target = url) {
      if (provider === undefined) return NONE;
      try {
        return checkHeaders(await provider.headers({ url: target, method }), { server, reserved });
      } catch (cause) {
        throw asAuthError(cause, 'not-sent', server);
      }
    },

    observe(head) {
      if (provider?.onDpopNonce === undefined) return;
      const dpopNonce = head.header('dpop-nonce');
      // A redirect may have led to the origin of another server.
      if (dpopNonce === undefined || head.url.origin !== url.origin) return;
      try {
        provider.onDpopNonce({ url, dpopNonce });
      } catch {
        // The reply is as good as without it; what is wrong shows when the next request is signed.
      }
    },

    async recover({ challenge, method, signed, refusal }, budget) {
      const { kind, status, wwwAuthenticate, challenges, dpopNonce } = challenge;
      const refused = signed['authorization'] ?? authorization;
      const given: AuthChallenge = { url, status, wwwAuthenticate, challenges, dpopNonce, method, refused };
      if (provider === undefined) {
        const missing = kind !== 'scope' && !configured;
        throw asAuthError(missing ? noneConfigured(given, server) : refusal(), 'rejected', server);
      }
      if (!budget.spend(kind)) {
        // New credentials are refused as well: what is left is another sign-in, where there is one.
        const needsSignIn = kind !== 'scope' && provider.signIn !== undefined;
        throw asAuthError(
          needsSignIn ? refusedAgain(refusal(), given, server) : refusal(),
          'rejected',
          server,
        );
      }
      try {
        await provider.onChallenge(given);
      } catch (cause) {
        throw asAuthError(cause, 'rejected', server);
      }
    },
  };
}

function noneConfigured(challenge: AuthChallenge, server: string | undefined): AuthRequiredError {
  return new AuthRequiredError('The server requires credentials and none are configured.', {
    server,
    challenge,
    hint: 'Install a sign-in package for it, or configure `headers` or `apiKey`.',
    details: { status: challenge.status, url: challenge.url.origin },
  });
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
