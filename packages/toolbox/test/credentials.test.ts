import {
  type AuthChallenge,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
  TransportError,
} from '@mcp-fittings/client-core';
import {
  ChallengeBudget,
  type ChallengedRequest,
  Credentials,
  readChallenge,
  type ReplyHead,
} from '@mcp-fittings/toolbox/refusal';
import { describe, expect, it } from 'vitest';

const url = new URL('https://example.com/mcp');
const AUTH_SEAM = Symbol.for('mcp.authSeamEscape');

const head = (status: number, challenge?: string): ReplyHead => ({
  status,
  url,
  header: (name) => (name === 'www-authenticate' ? challenge : undefined),
});

const challenged = (answer: ReplyHead): ChallengedRequest => {
  const challenge = readChallenge(answer);
  if (challenge === undefined) throw new Error('not a challenge');
  const refusal = (): TransportError => new TransportError('AUTH_REJECTED', 'refused');
  return { challenge, method: 'POST', signed: { authorization: 'Bearer old' }, refusal };
};

const SCOPE = 'Bearer error="insufficient_scope"';

const NONCE: Readonly<Record<string, string>> = {
  'www-authenticate': 'DPoP error="use_dpop_nonce"',
  'dpop-nonce': 'n-1',
};

const none = (): ChallengeBudget => new ChallengeBudget();

/** A provider without headers that records its challenges and asks to retry each of them. */
function recordingProvider(): { readonly provider: AuthProvider; readonly challenges: AuthChallenge[] } {
  const challenges: AuthChallenge[] = [];
  const onChallenge = (challenge: AuthChallenge): Promise<'retry'> => {
    challenges.push(challenge);
    return Promise.resolve('retry');
  };
  return { provider: { headers: () => Promise.resolve({}), onChallenge }, challenges };
}

describe('a challenge', () => {
  it.each<[number, string | undefined, string | undefined]>([
    [401, undefined, 'credentials'],
    [401, 'Bearer', 'credentials'],
    [403, 'Bearer error="insufficient_scope"', 'scope'],
    [403, 'Basic realm="x", Bearer scope="a", error=insufficient_scope', 'scope'],
    [403, 'Bearer realm="error=insufficient_scope"', undefined],
    [403, 'Bearer error="invalid_token"', undefined],
    [403, undefined, undefined],
    [407, 'Bearer error="insufficient_scope"', undefined],
    [200, 'Bearer error="insufficient_scope"', undefined],
  ])('HTTP %i with %j asks for %s', (status, header, kind) => {
    expect(readChallenge(head(status, header))?.kind).toBe(kind);
  });

  it.each<[number, string | undefined, string | undefined]>([
    [403, 'Bearer', 'credentials'],
    [403, 'bearer realm="x", resource_metadata="https://example.com/prm"', 'credentials'],
    [403, 'Basic realm="x", Bearer', 'credentials'],
    [403, 'DPoP algs="ES256"', 'credentials'],
    [403, 'Bearer error="invalid_token"', 'credentials'],
    [403, 'Bearer error="insufficient_scope", scope="a"', 'credentials'],
    [403, 'Basic realm="Bearer"', undefined],
    [403, undefined, undefined],
    [404, 'Bearer', undefined],
  ])('HTTP %i with %j to a request without credentials asks for %s', (status, header, kind) => {
    const challenge = readChallenge(head(status, header), { unsigned: true });
    expect(challenge?.kind).toBe(kind);
    if (challenge !== undefined) expect(challenge.status).toBe(401);
  });

  it('goes to the provider, with all that it needs to know', async () => {
    const { provider, challenges } = recordingProvider();
    const credentials = new Credentials({ url, provider, configured: false });
    await credentials.recover(challenged(head(401, 'Bearer x="y"')), none());
    expect(challenges).toEqual([
      {
        url,
        status: 401,
        wwwAuthenticate: 'Bearer x="y"',
        challenges: [{ scheme: 'bearer', params: new Map([['x', 'y']]) }],
        method: 'POST',
        refused: 'Bearer old',
        signed: { authorization: 'Bearer old' },
      },
    ]);
  });

  it('is read with the nonce that the proof has to contain', () => {
    const wanted = readChallenge({ ...head(401), header: (name) => NONCE[name] });
    expect(wanted).toMatchObject({ kind: 'nonce', status: 401, dpopNonce: 'n-1' });
  });

  it('hands the nonce that the server wants to see in proofs on to the provider', async () => {
    const { provider, challenges } = recordingProvider();
    const refused = challenged({
      ...head(401, 'DPoP error="use_dpop_nonce"'),
      header: (name) => (name === 'dpop-nonce' ? 'n-1' : undefined),
    });
    await new Credentials({ url, provider, configured: false }).recover(refused, none());
    expect(challenges.map(({ dpopNonce }) => dpopNonce)).toEqual(['n-1']);
  });

  it('is retried once for credentials and twice for scopes, each counted separately', async () => {
    const provider = {
      headers: () => Promise.resolve({}),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    const credentials = new Credentials({ url, provider, configured: false });
    const count = none();
    await credentials.recover(challenged(head(401)), count);
    await credentials.recover(challenged(head(403, SCOPE)), count);
    await credentials.recover(challenged(head(403, SCOPE)), count);
    for (const answer of [head(401), head(403, SCOPE)]) {
      await expect(credentials.recover(challenged(answer), count)).rejects.toMatchObject({
        code: 'AUTH_REJECTED',
        delivery: 'rejected',
        [AUTH_SEAM]: true,
      });
    }
  });

  it('counts a nonce for a DPoP proof separately, and passes it on once', async () => {
    const { provider, challenges } = recordingProvider();
    const credentials = new Credentials({ url, provider, configured: false });
    const wanted = { ...head(401), header: (name: string) => NONCE[name] };
    const count = none();
    await credentials.recover(challenged(wanted), count);
    await credentials.recover(challenged(head(401, 'DPoP error="invalid_token"')), count);
    expect(challenges.map(({ dpopNonce }) => dpopNonce)).toEqual(['n-1', undefined]);
    await expect(credentials.recover(challenged(wanted), count)).rejects.toMatchObject({
      code: 'AUTH_REJECTED',
    });
  });

  it('needs a person when there is nothing to sign with', async () => {
    const credentials = new Credentials({ url, provider: undefined, configured: false, server: 'one' });
    const failed = credentials.recover(challenged(head(401, 'Bearer')), none());
    await expect(failed).rejects.toBeInstanceOf(AuthRequiredError);
    await expect(failed).rejects.toMatchObject({
      server: 'one',
      challenge: { status: 401, wwwAuthenticate: 'Bearer' },
      [AUTH_SEAM]: true,
    });
    const configured = new Credentials({ url, provider: undefined, configured: true });
    await expect(configured.recover(challenged(head(401)), none())).rejects.toMatchObject({
      code: 'AUTH_REJECTED',
    });
  });
});

describe('RFC 9449 8.2 the nonce of a reply', () => {
  const withNonce = (status: number, origin = url): ReplyHead => ({
    ...head(status),
    url: origin,
    header: (name) => (name === 'dpop-nonce' ? 'n-2' : undefined),
  });
  const provider = {
    headers: () => Promise.resolve({}),
    onChallenge: () => Promise.resolve('retry' as const),
  };

  it('is told to the provider whatever the reply is, but not when it comes from elsewhere', () => {
    const told: unknown[] = [];
    const onDpopNonce = (nonce: unknown): void => void told.push(nonce);
    const credentials = new Credentials({ url, provider: { ...provider, onDpopNonce }, configured: false });
    for (const status of [200, 202, 401, 500]) credentials.observe(withNonce(status));
    expect(told).toEqual(Array.from({ length: 4 }, () => ({ url, dpopNonce: 'n-2' })));
    credentials.observe(withNonce(200, new URL('https://elsewhere.example/')));
    credentials.observe(head(200));
    expect(told).toHaveLength(4);
  });

  it('is nothing to a provider that does not ask for it, and no failure of one that fails', () => {
    const read: string[] = [];
    const curious = { ...head(200), header: (name: string) => (read.push(name), 'n-2') };
    new Credentials({ url, provider, configured: false }).observe(curious);
    new Credentials({ url, provider: undefined, configured: false }).observe(curious);
    expect(read).toEqual([]);
    const onDpopNonce = (): void => {
      throw new Error('boom');
    };
    const failing = new Credentials({ url, provider: { ...provider, onDpopNonce }, configured: false });
    expect(() => failing.observe(withNonce(200))).not.toThrow();
  });
});

describe('the headers of a provider', () => {
  it('get lower-case names, and are empty without a provider', async () => {
    const provider = {
      headers: () => Promise.resolve({ Authorization: 'Bearer x' }),
      onChallenge: () => Promise.reject(new Error()),
    };
    expect(await new Credentials({ url, provider, configured: false }).headers('GET')).toEqual({
      authorization: 'Bearer x',
    });
    expect(await new Credentials({ url, provider: undefined, configured: false }).headers('GET')).toEqual({});
  });

  it('that cannot be obtained or sent mean that nothing was sent', async () => {
    const own = new AuthRequiredError('Sign in.');
    const refused = { headers: () => Promise.reject(own), onChallenge: () => Promise.reject(own) };
    const failed = new Credentials({ url, provider: refused, configured: false }).headers('GET');
    await expect(failed).rejects.toBe(own);
    expect(own.delivery).toBe('not-sent');
    const broken = { ...refused, headers: () => Promise.reject(new Error('boom')) };
    await expect(
      new Credentials({ url, provider: broken, configured: false }).headers('GET'),
    ).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      delivery: 'not-sent',
      cause: { message: 'boom' },
    });
    const invalid = { ...refused, headers: () => Promise.resolve({ authorization: 'a\r\nb' }) };
    await expect(
      new Credentials({ url, provider: invalid, configured: false }).headers('GET'),
    ).rejects.toMatchObject({
      code: 'HEADER_INVALID',
      delivery: 'not-sent',
    });
  });
});

describe('how far a request got, when the provider fails', () => {
  const own = new FittingsError('CONNECTION_LOST', 'of the token endpoint', { delivery: 'unknown' });
  const failing = {
    headers: () => Promise.reject(own),
    onChallenge: () => Promise.reject(own),
  };

  it('a call whose signing failed was not sent, whatever the refresh says of its own request', async () => {
    const credentials = new Credentials({ url, provider: failing, configured: false });
    const error = await credentials.headers('POST').catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'not-sent',
      cause: own,
      retryable: true,
    });
    // The error may be remembered, and given to others.
    expect(own.delivery).toBe('unknown');
  });

  it('a call that was refused and not signed anew was rejected', async () => {
    const credentials = new Credentials({ url, provider: failing, configured: false });
    await expect(credentials.recover(challenged(head(401, 'Bearer')), none())).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      delivery: 'rejected',
    });
  });

  it('one AuthRequiredError that two calls get says of each how far it got', async () => {
    const required = new AuthRequiredError('sign in', { challenge: { url, status: 401 } });
    const provider = { headers: () => Promise.reject(required), onChallenge: () => Promise.reject(required) };
    const credentials = new Credentials({ url, provider, configured: false });
    const first = await credentials.headers('POST').catch((cause: unknown) => cause);
    const second = await credentials
      .recover(challenged(head(401, 'Bearer')), none())
      .catch((cause: unknown) => cause);
    expect(first).toMatchObject({ delivery: 'not-sent' });
    expect(second).toBeInstanceOf(AuthRequiredError);
    expect(second).toMatchObject({ delivery: 'rejected', challenge: { status: 401 } });
  });

  it('a server that refuses new credentials too requires another sign-in, if the provider has one', async () => {
    const provider = {
      headers: () => Promise.resolve({}),
      onChallenge: () => Promise.resolve('retry' as const),
      signIn: () => Promise.resolve(),
    };
    const credentials = new Credentials({ url, provider, configured: false });
    const count = none();
    await credentials.recover(challenged(head(401, 'Bearer')), count);
    const again = credentials.recover(challenged(head(401, 'Bearer')), count);
    await expect(again).rejects.toMatchObject({ code: 'AUTH_REQUIRED', challenge: { status: 401 } });
  });
});
