import { type InteractionChooser, deviceCode, loopback, detectEnvironment } from '@mcp-fittings/auth-oauth';
import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  type TokenStore,
} from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { CommandDeps } from '../command-deps.js';
import { CommandError } from '../output/hints.js';

export interface SignInOnceOptions {
  readonly provider: AuthProvider;
  readonly store: TokenStore;
  /** URL of the server. All bridges to the same URL wait for one sign-in. */
  readonly url: string;
  readonly signal: AbortSignal;
}

/**
 * Signs the user in, unless the challenge can be met without a new sign-in. Without a challenge it always asks the user.
 */
export type SignInOnce = (challenge: AuthChallenge | undefined) => Promise<void>;

/**
 * Creates a sign-in that is shared by all bridges to one server with one store, in this process and in others. The
 * second bridge waits for the first and uses its credentials, so that only one page is opened.
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
  /** A sign-in takes longer than the store waits for a lock. */
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
 * Chooses how the user signs in while stdin and stdout carry messages: in a browser, whose address is printed to stderr
 * too, or with a code if there is no browser. Returns undefined if no user is present.
 */
export function bridgeInteraction({ env, output, clock }: CommandDeps): InteractionChooser | undefined {
  const place = detectEnvironment(env);
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
