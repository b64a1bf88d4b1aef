import { FittingsError, type AuthChallenge, type AuthProvider } from '@mcp-fittings/client-core';

/** Signing in to one server: one sign-in at a time, a second caller joins the first. */
export interface SignIn {
  signIn(options: {
    readonly signal?: AbortSignal | undefined;
    readonly challenge?: AuthChallenge | undefined;
  }): Promise<void>;
  signOut(): Promise<void>;
  /**
   * Whether another process has signed in since this challenge; false where the provider cannot tell. Rejects where its store
   * cannot be read.
   */
  elsewhere(challenge: AuthChallenge | undefined): Promise<boolean>;
}

export function createSignIn(server: string, provider: () => AuthProvider | undefined): SignIn {
  let running: Promise<void> | undefined;
  return {
    async signIn(options) {
      const auth = provider();
      if (auth?.signIn === undefined) {
        throw new FittingsError('AUTH_FAILED', `Nothing is installed that could sign in to "${server}".`, {
          server,
          hint: 'Pass an auth plugin that serves this entry to createHost({ auth }).',
        });
      }
      running ??= auth.signIn(options).finally(() => {
        running = undefined;
      });
      await running;
    },
    async elsewhere(challenge) {
      // The sign-in here connects when it is done.
      if (running !== undefined) return false;
      return (await provider()?.hasNewSignIn?.(challenge)) === true;
    },
    async signOut() {
      await provider()?.signOut?.();
    },
  };
}
