import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
} from '@mcp-fittings/client-core';
import type { AuthProviderFixture } from '@mcp-fittings/testkit/auth-provider';

/** What may be wrong with the reference provider; each one breaks one rule of the contract. */
export type ProviderFlaw =
  | 'signs for everybody'
  | 'shows its token'
  | 'bad header'
  | 'wrong token'
  | 'renews for each'
  | 'renews for stale ones'
  | 'does not renew'
  | 'asks by itself'
  | 'plain error'
  | 'leaks in its error'
  | 'renews always'
  | 'ignores abort'
  | 'keeps after sign-out'
  | 'keeps the old one'
  | 'makes one up'
  | 'throws at a nonce'
  | 'throws before the sign-in';

/** A provider with a person and renewal, right in everything but the flaw, and the server that it signs for. */
export function createReference(flaw?: ProviderFlaw): AuthProviderFixture {
  const url = new URL('https://reference.example/mcp');
  const good = new Set<string>();
  let closed = false;
  let issued = 0;
  let renewals = 0;
  let interactions = 0;
  let renewing: Promise<void> | undefined;
  // Hidden, except for the flaw that shows it.
  const held: { token?: string } = {};

  const issue = (): string => {
    const token = `token-canary-${++issued}`;
    good.add(token);
    return token;
  };
  const renew = async (): Promise<void> => {
    renewals++;
    await new Promise((resolve) => setImmediate(resolve));
    held.token = issue();
  };
  const person = (): void => {
    interactions++;
    if (flaw === 'makes one up' && held.token !== undefined) held.token = 'unknown';
    else if (flaw !== 'keeps the old one' || held.token === undefined) held.token = issue();
  };

  const onChallenge = async (challenge: AuthChallenge): Promise<'retry'> => {
    if (held.token === undefined && flaw === 'asks by itself') {
      person();
      return 'retry';
    }
    if (held.token === undefined) {
      if (flaw === 'plain error') throw new Error('sign in');
      throw new AuthRequiredError('Please sign in.', { challenge });
    }
    const isStale = challenge.refused !== undefined && challenge.refused !== `Bearer ${held.token}`;
    if (isStale && flaw !== 'renews for stale ones' && flaw !== 'renews for each') return 'retry';
    if (flaw === 'does not renew' || flaw === 'makes one up' || closed) {
      if (flaw === 'leaks in its error') throw new FittingsError('AUTH_REJECTED', `Refused: ${held.token}`);
      throw new FittingsError('AUTH_REJECTED', 'Refused.');
    }
    if (flaw === 'renews for each') await renew();
    else await (renewing ??= renew().finally(() => (renewing = undefined)));
    return 'retry';
  };

  const provider: AuthProvider & { token?: unknown } = {
    async headers(request) {
      if (held.token === undefined && flaw === 'throws before the sign-in') throw new Error('no token');
      if (held.token === undefined) return {};
      if (request.url.origin !== url.origin && flaw !== 'signs for everybody') return {};
      if (flaw === 'renews always') await renew();
      if (flaw === 'bad header') return { Authorization: `Bearer ${held.token}` };
      return { authorization: flaw === 'wrong token' ? 'Bearer wrong' : `Bearer ${held.token}` };
    },
    onChallenge,
    onDpopNonce({ dpopNonce }) {
      if (flaw === 'throws at a nonce') throw new Error(`odd nonce ${dpopNonce}`);
    },
    async signIn({ signal }) {
      if (signal?.aborted === true && flaw !== 'ignores abort') {
        throw new FittingsError('ABORTED', 'Given up.');
      }
      person();
    },
    async signOut() {
      if (flaw !== 'keeps after sign-out') delete held.token;
    },
    ...(flaw === 'shows its token' && { token: held }),
  };

  return {
    provider,
    url,
    async send(headers) {
      const value = headers['authorization'] ?? headers['Authorization'] ?? '';
      const status = !closed && good.has(value.slice('Bearer '.length)) ? 200 : 401;
      return { status, wwwAuthenticate: 'Bearer' };
    },
    revoke: async () => good.clear(),
    async refuseAll() {
      closed = true;
    },
    renewals: () => renewals,
    interactions: () => interactions,
    teardown: async () => undefined,
  };
}
