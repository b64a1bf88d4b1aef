import { inspect } from 'node:util';
import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import { describe, expect, it } from 'vitest';
import { createSseTransport, type SseTransportOptions } from '../src/index.js';
import { failureOf, listen, notification, request } from './support/session.js';
import { echoing, startSseServer, type Seen, type SseBehavior } from './support/sse-server.js';

/** Signs with `token-1`, and with the next number after each challenge. */
function provider(): AuthProvider & { readonly challenges: AuthChallenge[]; readonly asked: string[] } {
  const challenges: AuthChallenge[] = [];
  const asked: string[] = [];
  return {
    challenges,
    asked,
    headers({ method, url }) {
      asked.push(`${method} ${url.pathname}`);
      return Promise.resolve({ Authorization: `Bearer token-${challenges.length + 1}`, 'X-Extra': 'yes' });
    },
    onChallenge(challenge) {
      challenges.push(challenge);
      return Promise.resolve('retry');
    },
  };
}

/** Wants `token` from a certain verb; refuses the rest as told. */
const guarded = (
  verb: 'GET' | 'POST',
  accepts: (token: string | undefined) => boolean,
  refusal = UNAUTHORIZED,
): SseBehavior => {
  const refuse = (seen: Seen, response: Parameters<NonNullable<SseBehavior['onGet']>>[1]): boolean => {
    if (seen.method !== verb || accepts(seen.headers.authorization)) return false;
    response
      .writeHead(refusal.status, { 'www-authenticate': refusal.header })
      .end(`no: ${seen.headers.authorization ?? ''}`);
    return true;
  };
  return {
    onGet: refuse,
    onPost(seen, response, stream) {
      if (!refuse(seen, response)) echoing.onPost(seen, response, stream);
    },
  };
};

const UNAUTHORIZED = { status: 401, header: 'Bearer resource_metadata="https://example.com/prm"' };
const SCOPE = { status: 403, header: 'Bearer error="insufficient_scope", scope="more"' };

async function start(behavior: SseBehavior, options: Partial<SseTransportOptions>) {
  const server = await startSseServer(behavior);
  const transport = createSseTransport({ url: server.url, server: 'one', ...options });
  const session = listen(transport);
  return {
    server,
    transport,
    session,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('RFC 9449 8.2 the nonce for the next proof', () => {
  it('is told to the provider when it comes with the stream and when it comes with a message', async () => {
    const nonces: SseBehavior = {
      onGet(_seen, response) {
        response.setHeader('DPoP-Nonce', 'n-get');
        return false;
      },
      onPost(seen, response, stream) {
        response.setHeader('DPoP-Nonce', 'n-post');
        echoing.onPost(seen, response, stream);
      },
    };
    const told: string[] = [];
    const auth: AuthProvider = {
      ...provider(),
      onDpopNonce: ({ dpopNonce }) => void told.push(dpopNonce),
    };
    await using peer = await start(nonces, { auth });
    await peer.transport.start();
    await peer.transport.send(request(1));
    expect(told).toEqual(['n-get', 'n-post']);
  });

  it('does not answer a bad token: each has its own attempt', async () => {
    const refusals = ['DPoP error="use_dpop_nonce"', 'DPoP error="invalid_token"'];
    const refuse: SseBehavior['onGet'] = (_seen, response) => {
      const header = refusals.shift();
      if (header === undefined) return false;
      response.writeHead(401, { 'www-authenticate': header, 'dpop-nonce': 'n' }).end();
      return true;
    };
    const auth = provider();
    await using peer = await start({ ...echoing, onGet: refuse }, { auth });
    await peer.transport.start();
    expect(auth.challenges.map(({ wwwAuthenticate }) => wwwAuthenticate)).toEqual([
      'DPoP error="use_dpop_nonce"',
      'DPoP error="invalid_token"',
    ]);
  });
});

describe('headers', () => {
  it('are the same on the stream and on every message', async () => {
    const headers = { 'X-Key': 'secret-1', Authorization: 'Basic abc' };
    await using peer = await start(echoing, { headers });
    await peer.transport.start();
    await peer.transport.send(request(1));
    await peer.transport.send(notification('notifications/x'));
    expect(peer.server.seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
    for (const seen of peer.server.seen) {
      expect(seen.headers).toMatchObject({ 'x-key': 'secret-1', authorization: 'Basic abc' });
    }
    expect(peer.server.seen[0]?.headers.accept).toBe('text/event-stream');
    expect(peer.server.seen[1]?.headers['content-type']).toBe('application/json');
  });

  it('apiKey is short for a Bearer header', async () => {
    await using peer = await start(echoing, { apiKey: 'key-1' });
    await peer.transport.start();
    await peer.transport.send(request(1));
    expect(peer.server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-1',
      'Bearer key-1',
    ]);
  });

  it('of a provider are asked for each time, and override the configured ones', async () => {
    const auth = provider();
    await using peer = await start(echoing, { auth, headers: { authorization: 'Basic abc', 'x-key': '1' } });
    await peer.transport.start();
    await peer.transport.send(request(1));
    // A DPoP proof names the address that the request goes to.
    expect(auth.asked).toEqual(['GET /sse', 'POST /messages']);
    for (const { headers } of peer.server.seen) {
      expect(headers).toMatchObject({ authorization: 'Bearer token-1', 'x-extra': 'yes', 'x-key': '1' });
    }
  });

  it('of a provider that cannot be sent fail that message, and are not shown', async () => {
    const auth = {
      headers: () => Promise.resolve({ authorization: 'Bearer canary\r\nx: 1' }),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    await using peer = await start(echoing, { auth });
    const failure = await failureOf(peer.transport.start());
    expect(failure).toMatchObject({ code: 'HEADER_INVALID' });
    expect(inspect(failure)).not.toContain('canary');
    expect(peer.server.seen).toEqual([]);
  });
});

describe.each(['GET', 'POST'] as const)('a refusal of %s', (verb) => {
  const attempt = async (peer: Awaited<ReturnType<typeof start>>): Promise<unknown> => {
    await peer.transport.start();
    return peer.transport.send(request(1));
  };
  const tries = (peer: Awaited<ReturnType<typeof start>>): number =>
    peer.server.seen.filter(({ method }) => method === verb).length;

  it('401 goes to the provider, and the request goes again with what it has then', async () => {
    const auth = provider();
    await using peer = await start(
      guarded(verb, (token) => token === 'Bearer token-2'),
      { auth },
    );
    await attempt(peer);
    expect(auth.challenges).toEqual([
      {
        url: new URL(peer.server.url),
        status: 401,
        wwwAuthenticate: UNAUTHORIZED.header,
        challenges: parseChallenges(UNAUTHORIZED.header),
        method: verb,
        refused: 'Bearer token-1',
      },
    ]);
    expect(tries(peer)).toBe(2);
    expect(peer.session.messages).toHaveLength(1);
  });

  it('fails after a second 401', async () => {
    const auth = provider();
    await using peer = await start(
      guarded(verb, () => false),
      { auth },
    );
    const failure = await failureOf(attempt(peer));
    expect(failure).toMatchObject({
      code: 'AUTH_REJECTED',
      kind: 'auth',
      server: 'one',
      delivery: 'rejected',
      details: { status: 401 },
    });
    expect(auth.challenges).toHaveLength(1);
    expect(tries(peer)).toBe(2);
  });

  it('403 with insufficient_scope goes to the provider, twice at most', async () => {
    const auth = provider();
    await using peer = await start(
      guarded(verb, () => false, SCOPE),
      { auth },
    );
    expect(await failureOf(attempt(peer))).toMatchObject({ details: { status: 403 } });
    expect(auth.challenges.map(({ status, wwwAuthenticate }) => [status, wwwAuthenticate])).toEqual([
      [403, SCOPE.header],
      [403, SCOPE.header],
    ]);
    expect(tries(peer)).toBe(3);
  });

  it.each(['', 'Bearer realm="error=insufficient_scope"', 'Basic realm="x"'])(
    '403 with %j is not about credentials',
    async (header) => {
      const auth = provider();
      await using peer = await start(
        guarded(verb, () => false, { status: 403, header }),
        { auth },
      );
      expect(await failureOf(attempt(peer))).toMatchObject({ code: 'HTTP_STATUS', details: { status: 403 } });
      expect(auth.challenges).toEqual([]);
      expect(tries(peer)).toBe(1);
    },
  );

  it('is the very error of the provider when that needs a person', async () => {
    const needed = new AuthRequiredError('Sign in.');
    const auth = { headers: () => Promise.resolve({}), onChallenge: () => Promise.reject(needed) };
    await using peer = await start(
      guarded(verb, () => false),
      { auth },
    );
    expect(await failureOf(attempt(peer))).toBe(needed);
    // Only a refused stream is the end of the connection.
    if (verb === 'POST') {
      expect(peer.session.closes).toBe(0);
      expect(needed.delivery).toBe('rejected');
    }
  });

  it('is AUTH_REQUIRED without any credentials, and AUTH_REJECTED with configured ones', async () => {
    await using nothing = await start(
      guarded(verb, () => false),
      {},
    );
    expect(await failureOf(attempt(nothing))).toMatchObject({
      code: 'AUTH_REQUIRED',
      challenge: { status: 401 },
    });
    await using wrong = await start(
      guarded(verb, () => false),
      { apiKey: 'wrong-key' },
    );
    expect(await failureOf(attempt(wrong))).toMatchObject({ code: 'AUTH_REJECTED' });
  });

  it('shows no credential, though the server repeats it', async () => {
    const auth = {
      headers: () => Promise.resolve({ authorization: 'Bearer canary-token' }),
      onChallenge: () => Promise.resolve('retry' as const),
    };
    for (const options of [
      { auth },
      { apiKey: 'canary-token' },
      { headers: { authorization: 'Bearer canary-token' } },
    ]) {
      await using peer = await start(
        guarded(verb, () => false),
        options,
      );
      const failure = await failureOf(attempt(peer));
      expect(inspect([failure, peer.transport, peer.transport.describe?.()], { depth: 9 })).not.toContain(
        'canary',
      );
    }
  });

  it('a provider that throws something of its own becomes AUTH_FAILED', async () => {
    const auth = { headers: () => Promise.resolve({}), onChallenge: () => Promise.reject(new Error('boom')) };
    await using peer = await start(
      guarded(verb, () => false),
      { auth },
    );
    expect(await failureOf(attempt(peer))).toMatchObject({ code: 'AUTH_FAILED', cause: { message: 'boom' } });
  });
});

describe('a message that is refused for another reason', () => {
  it.each([
    [400, {}, { code: 'HTTP_STATUS', delivery: 'rejected' }],
    [404, {}, { code: 'HTTP_STATUS', delivery: 'rejected' }],
    [
      429,
      { 'retry-after': '7' },
      { code: 'RATE_LIMITED', delivery: 'rejected', details: { retryAfterMs: 7000 } },
    ],
    [503, { 'retry-after': '1e12' }, { code: 'SERVER_ERROR', delivery: 'unknown' }],
    [500, {}, { code: 'SERVER_ERROR', delivery: 'unknown' }],
    [303, { location: '/elsewhere' }, { code: 'REDIRECT_REFUSED', delivery: 'unknown' }],
    [307, { location: 'http://evil.example/' }, { code: 'REDIRECT_REFUSED', delivery: 'rejected' }],
  ])('HTTP %i fails, and no other does', async (status, headers, expected) => {
    let refusing = true;
    await using peer = await start(
      {
        onPost(seen, response, stream) {
          if (refusing) response.writeHead(status, headers as Record<string, string>).end('<b>no</b>');
          else echoing.onPost(seen, response, stream);
        },
      },
      { retryLater: { maxAttempts: 0 } },
    );
    await peer.transport.start();
    expect(await failureOf(peer.transport.send(request(1)))).toMatchObject(expected);
    expect(await failureOf(peer.transport.send(notification('notifications/x')))).toMatchObject(expected);
    refusing = false;
    await peer.transport.send(request(2));
    expect(peer.session.closes).toBe(0);
  });

  it('is answered when the refusal holds the answer', async () => {
    const error = { code: -32602, message: 'Bad params' };
    await using peer = await start(
      {
        onPost(seen, response) {
          const { id } = JSON.parse(seen.body) as { id: number };
          response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        },
      },
      {},
    );
    await peer.transport.start();
    await peer.transport.send(request(1));
    expect(peer.session.messages).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
  });
});
