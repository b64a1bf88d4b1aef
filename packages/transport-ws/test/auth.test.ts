import { inspect } from 'node:util';
import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { ws } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client } from './support/clients.js';
import { startDecidingServer, type HttpAnswer } from './support/refusing-server.js';

interface FakeProvider extends AuthProvider {
  token: string | undefined;
  readonly asked: { readonly url: string; readonly method: string }[];
  readonly challenges: AuthChallenge[];
}

/** A provider with one token; `recover` is what a challenge does. */
function provider(
  recover: (challenge: AuthChallenge, self: FakeProvider) => void = () => undefined,
): FakeProvider {
  const self: FakeProvider = {
    token: 'old-token',
    asked: [],
    challenges: [],
    async headers({ url, method }) {
      self.asked.push({ url: url.href, method });
      return self.token === undefined ? {} : { Authorization: `Bearer ${self.token}` };
    },
    async onChallenge(challenge) {
      self.challenges.push(challenge);
      recover(challenge, self);
      return 'retry';
    },
  };
  return self;
}

const unauthorized = (wwwAuthenticate?: string | readonly string[]): HttpAnswer => ({
  status: 401,
  ...(wwwAuthenticate !== undefined && { headers: { 'WWW-Authenticate': wwwAuthenticate } }),
});

describe('sign-in on the upgrade request', () => {
  it('signs it, and asks for the headers anew for every connection', async () => {
    await using server = await startDecidingServer(() => undefined);
    const auth = provider();
    for (const token of ['first', 'second']) {
      auth.token = token;
      const { transport } = client(server.url, { auth, headers: { authorization: 'Bearer configured' } });
      await transport.start();
      await transport.close();
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
    expect(auth.asked).toEqual([
      { url: `http://127.0.0.1:${server.port}/mcp`, method: 'GET' },
      { url: `http://127.0.0.1:${server.port}/mcp`, method: 'GET' },
    ]);
  });

  it('a 401 goes to the provider with all that it needs, and the upgrade is tried again', async () => {
    await using server = await startDecidingServer(({ headers }) =>
      headers.authorization === 'Bearer new-token'
        ? undefined
        : unauthorized(['Bearer realm="x"', 'Basic realm="y"']),
    );
    const auth = provider((_, self) => (self.token = 'new-token'));
    const { transport } = client(server.url, { auth });
    await transport.start();
    await transport.close();
    expect(server.requests).toHaveLength(2);
    expect(auth.challenges).toMatchObject([
      {
        status: 401,
        method: 'GET',
        wwwAuthenticate: 'Bearer realm="x", Basic realm="y"',
        refused: 'Bearer old-token',
      },
    ]);
    expect(auth.challenges[0]?.url.href).toBe(`http://127.0.0.1:${server.port}/mcp`);
  });

  it('RFC 9449 8.2 tells the provider of the nonce for the next proof, also when the upgrade succeeds', async () => {
    await using server = await startDecidingServer(
      (_, count) =>
        count === 1
          ? {
              status: 401,
              headers: { 'WWW-Authenticate': 'DPoP error="use_dpop_nonce"', 'DPoP-Nonce': 'n-1' },
            }
          : count === 2
            ? { status: 401, headers: { 'WWW-Authenticate': 'DPoP error="invalid_token"' } }
            : undefined,
      (count) => [`DPoP-Nonce: n-${count}`],
    );
    const told: unknown[] = [];
    const auth = { ...provider(), onDpopNonce: (nonce: unknown): void => void told.push(nonce) };
    const { transport } = client(server.url, { auth });
    await transport.start();
    await transport.close();
    const url = new URL(`http://127.0.0.1:${server.port}/mcp`);
    expect(told).toEqual(['n-1', 'n-3'].map((dpopNonce) => ({ url, dpopNonce })));
    // The nonce does not answer a bad token, for which the provider is asked separately.
    expect(auth.challenges.map(({ dpopNonce }) => dpopNonce)).toEqual(['n-1', undefined]);
    auth.onDpopNonce = () => {
      throw new Error('boom');
    };
    const again = client(server.url, { auth }).transport;
    await again.start();
    await again.close();
  });

  it('a 401 to the token of an IDE says that the token is wrong', async () => {
    await using server = await startDecidingServer(() => unauthorized('Bearer realm="x"'));
    const ide = ws().create(
      { type: 'ws-ide', url: server.url, authToken: 'token-123456' },
      { server: 'ide' },
    );
    expect(await failureOf(ide.start())).toMatchObject({ code: 'AUTH_REJECTED', server: 'ide' });
  });

  it('an AuthRequiredError comes through as it is', async () => {
    await using server = await startDecidingServer(() =>
      unauthorized('Bearer resource_metadata="https://x/y"'),
    );
    const needed = new AuthRequiredError('Sign in.');
    const auth = provider(() => {
      throw needed;
    });
    const recorder = client(server.url, { auth });
    expect(await failureOf(recorder.transport.start())).toBe(needed);
    expect(recorder.closes).toEqual([]);
    const early = new AuthRequiredError('Sign in.');
    const silent: AuthProvider = { ...auth, headers: () => Promise.reject(early) };
    expect(await failureOf(client(server.url, { auth: silent }).transport.start())).toBe(early);
    expect([needed.delivery, early.delivery]).toEqual(['rejected', 'not-sent']);
    expect(server.requests).toHaveLength(1);
  });

  it('a provider that never answers does not hold back close()', async () => {
    const never = new Promise<never>(() => undefined);
    const auth: AuthProvider = { headers: () => never, onChallenge: () => never };
    const { transport } = client('ws://127.0.0.1:1/', { auth });
    const failed = failureOf(transport.start());
    await transport.close();
    expect(await failed).toMatchObject({ code: 'TRANSPORT_CLOSED' });
  });

  it('a huge challenge stays out of the error, and so does the token', async () => {
    await using server = await startDecidingServer(() =>
      unauthorized(`Bearer realm="${'x'.repeat(12_000)}"`),
    );
    const auth = provider();
    auth.token = 'canary-token';
    const error = await failureOf(client(server.url, { auth }).transport.start());
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
    expect(error.message.length).toBeLessThan(200);
    expect(auth.challenges).toHaveLength(1);
  });
});
