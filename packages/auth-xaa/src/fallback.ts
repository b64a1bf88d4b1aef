import type { AuthProvider } from '@mcp-fittings/client-core';
import { isUnsupported } from './failures.js';

/**
 * Uses `managed` until it turns out that the server's authorization server takes no assertions, and `interactive` from then
 * on. A refusal is no such thing: what the company forbids is not asked for elsewhere.
 */
export function withFallback(managed: AuthProvider, interactive: AuthProvider): AuthProvider {
  let chosen = managed;
  const orElse = async <T>(work: (provider: AuthProvider) => Promise<T>): Promise<T> => {
    try {
      return await work(chosen);
    } catch (error) {
      if (chosen === interactive || !isUnsupported(error)) throw error;
      chosen = interactive;
      return work(interactive);
    }
  };
  return {
    headers: (request) => orElse((provider) => provider.headers(request)),
    onChallenge: (challenge) => orElse((provider) => provider.onChallenge(challenge)),
    onDpopNonce: (reply) => chosen.onDpopNonce?.(reply),
    signIn: (request) => orElse(async (provider) => provider.signIn?.(request)),
    hasNewSignIn: async (challenge) => (await chosen.hasNewSignIn?.(challenge)) === true,
    identity: async () => chosen.identity?.(),
    async signOut() {
      await managed.signOut?.();
      await interactive.signOut?.();
    },
  };
}
