import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { createSseTransport, type SseTransportOptions } from '../src/index.js';
import { listen, notification, request } from './support/session.js';
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

/** Wants a token that is accepted from a certain verb, and refuses the rest. */
const guarded = (verb: 'GET' | 'POST', accepts: (token: string | undefined) => boolean): SseBehavior => {
  const refuse = (seen: Seen, response: Parameters<NonNullable<SseBehavior['onGet']>>[1]): boolean => {
    if (seen.method !== verb || accepts(seen.headers.authorization)) return false;
    response.writeHead(401, { 'www-authenticate': CHALLENGE }).end();
    return true;
  };
  return {
    onGet: refuse,
    onPost(seen, response, stream) {
      if (!refuse(seen, response)) echoing.onPost(seen, response, stream);
    },
  };
};

const CHALLENGE = 'Bearer resource_metadata="https://example.com/prm"';

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
        wwwAuthenticate: CHALLENGE,
        challenges: parseChallenges(CHALLENGE),
        method: verb,
        refused: 'Bearer token-1',
        signed: { authorization: 'Bearer token-1', 'x-extra': 'yes' },
      },
    ]);
    expect(tries(peer)).toBe(2);
    expect(peer.session.messages).toHaveLength(1);
  });

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
});

describe('a message that is redirected', () => {
  it.each([
    [303, '/elsewhere', 'unknown'],
    [307, 'http://evil.example/', 'rejected'],
  ])('HTTP %i fails, and no other does', async (status, location, delivery) => {
    let refusing = true;
    await using peer = await start(
      {
        onPost(seen, response, stream) {
          if (refusing) response.writeHead(status, { location }).end();
          else echoing.onPost(seen, response, stream);
        },
      },
      {},
    );
    await peer.transport.start();
    const expected = { code: 'REDIRECT_REFUSED', delivery };
    expect(await failureOf(peer.transport.send(request(1)))).toMatchObject(expected);
    expect(await failureOf(peer.transport.send(notification('notifications/x')))).toMatchObject(expected);
    refusing = false;
    await peer.transport.send(request(2));
    expect(peer.session.closes).toBe(0);
  });
});
