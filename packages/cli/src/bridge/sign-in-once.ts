import {
  AuthRequiredError,
  FittingsError,
  type AuthChallenge,
  type AuthProvider,
  type TokenStore,
} from '@mcp-fittings/client-core';

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
      throw new FittingsError('AUTH_FAILED', 'The sign-in scheme of this server has no interactive sign-in.');
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
