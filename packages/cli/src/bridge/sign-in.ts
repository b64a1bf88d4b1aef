import { type SurfaceChooser, deviceCode, loopback, placeOf } from '@mcp-fittings/auth-oauth';
import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  type TokenStore,
  sanitizeText,
} from '@mcp-fittings/client-core';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';

export interface SignInOnceOptions {
  readonly provider: AuthProvider;
  readonly store: TokenStore;
  /** Of the server that is signed in to: whoever bridges to the same one waits for the same person. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/** Gets credentials with a person's help; without a challenge it asks the person in any case. */
export type SignInOnce = (challenge: AuthChallenge | undefined) => Promise<void>;

/**
 * One sign-in for all bridges to one server that share a store, in this process and in others: whoever comes second
 * waits, finds the new credentials, and no second page is opened.
 */
export function createSignInOnce({ provider, store, url, signal }: SignInOnceOptions): SignInOnce {
  const key = `bridge-sign-in\n${url}`;
  let running: Promise<void> | undefined;

  const signIn = async (challenge: AuthChallenge | undefined): Promise<void> => {
    if (challenge !== undefined && (await isCured(challenge))) return;
    if (provider.signIn === undefined) {
      throw new CommandError('AUTH_FAILED', 'The sign-in scheme of this server has no interactive sign-in.');
    }
    await provider.signIn({ challenge, signal });
  };
  const isCured = async (challenge: AuthChallenge): Promise<boolean> => {
    try {
      await provider.onChallenge(challenge);
      return true;
    } catch (error) {
      if (error instanceof AuthRequiredError) return false;
      throw error;
    }
  };
  /** A person takes longer than a lock is waited for. */
  const inTurn = async (challenge: AuthChallenge | undefined): Promise<void> => {
    for (;;) {
      try {
        return await store.withLock(key, () => signIn(challenge));
      } catch (error) {
        const isBusy = error instanceof FittingsError && error.code === 'STORE_BUSY';
        if (!isBusy || signal.aborted) throw error;
      }
    }
  };

  return (challenge) => {
    running ??= inTurn(challenge).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * How a person can sign in while stdin and stdout carry messages: in a browser, whose address is on stderr as well, or with
 * a code where there is no browser. Undefined where nobody is.
 */
export function bridgeInteraction({ env, output, clock }: CommandDeps): SurfaceChooser | undefined {
  const place = placeOf(env);
  if (place === 'unattended') return undefined;
  const onUrl = ({ server, url }: { readonly server: string; readonly url: URL }): void =>
    output.note(`Sign in to "${sanitizeText(server)}" in your browser: ${url.href}`);
  return ({ deviceGrant }) =>
    deviceGrant && place === 'remote'
      ? deviceCode({
          show: ({ server, verificationUri, userCode }) =>
            output.note(
              `Sign in to "${sanitizeText(server)}": open ${verificationUri} and enter ${userCode}`,
            ),
        })
      : loopback({ onUrl, clock });
}
