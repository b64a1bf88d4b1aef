import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { connect, startCaller } from './support/caller.js';
import { scriptedServer, type Exchange, type Script } from './support/scripted-server.js';
import { when } from './support/turns.js';

interface Recorded extends AuthProvider {
  readonly challenges: AuthChallenge[];
  token: string;
}

/** Hands out `token`, and on a challenge does as told; by default it gets the token `fresh`. */
function provider(onChallenge?: (this: Recorded, challenge: AuthChallenge) => void): Recorded {
  return {
    challenges: [],
    token: 'stale-token-0123456789',
    headers() {
      return Promise.resolve({ authorization: `Bearer ${this.token}` });
    },
    async onChallenge(challenge) {
      this.challenges.push(challenge);
      if (onChallenge === undefined) this.token = 'fresh-token-0123456789';
      else onChallenge.call(this, challenge);
      return 'retry';
    },
  };
}

const fresh = (exchange: Exchange): boolean =>
  exchange.headers.authorization === 'Bearer fresh-token-0123456789';
const CHALLENGE = 'Bearer realm="x", resource_metadata="https://as.example/prm"';

const guarded =
  (script: Script): Script =>
  (exchange) =>
    fresh(exchange) ? script(exchange) : exchange.plain(401, '', { 'www-authenticate': CHALLENGE });

const insufficient = (exchange: Exchange, scope: string): void =>
  exchange.plain(403, '', { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` });

describe('sign-in', () => {
  it('signs every request, and passes a 401 to the provider with what the server said', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': guarded((exchange) => exchange.result({ ok: true })) },
    });
    const auth = provider();
    await using caller = await connect(createHttpTransport({ url: server.url, auth }));
    expect(await caller.request('tools/list')).toEqual({ ok: true });
    expect(auth.challenges).toEqual([
      {
        url: new URL(server.url),
        status: 401,
        wwwAuthenticate: CHALLENGE,
        challenges: parseChallenges(CHALLENGE),
        method: 'POST',
        refused: 'Bearer stale-token-0123456789',
        signed: { authorization: 'Bearer stale-token-0123456789' },
      },
    ]);
    expect(server.of('initialize')[0]?.headers.authorization).toBe('Bearer stale-token-0123456789');
    expect(server.of('tools/list')).toHaveLength(2);
  });

  it('RFC 9449 8.2 tells the provider of the nonce for the next proof that came with a good reply', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': (exchange) => exchange.result({}, { 'DPoP-Nonce': 'n-1' }) },
    });
    const told: unknown[] = [];
    const auth = { ...provider(), onDpopNonce: (nonce: unknown): void => void told.push(nonce) };
    await using caller = await connect(createHttpTransport({ url: server.url, auth }));
    expect(told).toEqual([]);
    await caller.request('tools/list');
    expect(told).toEqual([{ url: new URL(server.url), dpopNonce: 'n-1' }]);
  });

  it('lets twenty refused requests recover side by side', async () => {
    await using server = await scriptedServer({
      on: { 'tools/list': guarded((exchange) => exchange.result({ ok: true })) },
    });
    await using caller = await connect(createHttpTransport({ url: server.url, auth: provider() }));
    const results = await Promise.all(Array.from({ length: 20 }, () => caller.request('tools/list')));
    expect(results).toHaveLength(20);
  });

  it('hands the AuthRequiredError of the provider to the caller unchanged, as rejected', async () => {
    await using server = await scriptedServer({ on: { 'tools/list': (exchange) => exchange.plain(401) } });
    const thrown = new AuthRequiredError('please sign in');
    const auth = provider(() => {
      throw thrown;
    });
    await using caller = await connect(createHttpTransport({ url: server.url, auth }));
    const error: unknown = await caller.request('tools/list').catch((reason: unknown) => reason);
    expect(error).toBe(thrown);
    expect(thrown.delivery).toBe('rejected');
    expect(Reflect.get(thrown, Symbol.for('mcp.authSeamEscape'))).toBe(true);
    expect(caller.closes).toBe(0);
  });

  it('asks for a person when there is no provider', async () => {
    await using server = await scriptedServer({
      on: { initialize: (exchange) => exchange.plain(401, '', { 'www-authenticate': CHALLENGE }) },
    });
    await using caller = await startCaller(createHttpTransport({ url: server.url, server: 'docs' }));
    const error: unknown = await caller.request('initialize').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthRequiredError);
    expect(error).toMatchObject({ code: 'AUTH_REQUIRED', delivery: 'rejected', server: 'docs' });
    expect((error as AuthRequiredError).challenge?.wwwAuthenticate).toBe(CHALLENGE);
  });

  it('lets the provider override configured headers', async () => {
    await using server = await scriptedServer();
    const options = {
      url: server.url,
      headers: { Authorization: 'Basic old', 'X-Own': 'kept' },
      auth: provider(),
    };
    await using caller = await startCaller(createHttpTransport(options));
    await caller.request('tools/list');
    expect(server.received[0]?.headers).toMatchObject({
      authorization: 'Bearer stale-token-0123456789',
      'x-own': 'kept',
    });
  });
});

describe('step-up', () => {
  it('passes a 403 insufficient_scope to the provider', async () => {
    await using server = await scriptedServer({
      on: {
        'tools/call': (exchange) =>
          fresh(exchange) ? exchange.result({ ok: true }) : insufficient(exchange, 'files:write'),
      },
    });
    const auth = provider();
    await using caller = await connect(createHttpTransport({ url: server.url, auth }));
    expect(await caller.request('tools/call')).toEqual({ ok: true });
    expect(auth.challenges).toMatchObject([{ status: 403 }]);
  });
});

describe('the event stream of the server', () => {
  it('is signed, keeps configured headers, and is bounded when its 401 never ends', async () => {
    await using server = await scriptedServer({ on: { GET: (exchange) => exchange.plain(401) } });
    const auth = provider();
    const transport = createHttpTransport({ url: server.url, auth, headers: { 'x-own': 'kept' } });
    await using caller = await connect(transport);
    const error = await caller.until(() => caller.errors[0]);
    expect(error).toMatchObject({ code: 'RECONNECT_EXHAUSTED', cause: { code: 'AUTH_REJECTED' } });
    expect(server.of('GET').map(({ headers }) => headers['x-own'])).toEqual(['kept', 'kept']);
    expect(auth.challenges).toHaveLength(1);
  });

  it('keeps its cursor over a refresh', async () => {
    let opened = 0;
    await using server = await scriptedServer({
      on: {
        GET: (exchange) => {
          if (++opened === 1)
            exchange
              .sse()
              .event({ id: 'e1', retry: 1, data: { jsonrpc: '2.0', method: 'n/x' } })
              .end();
          else if (opened === 2) exchange.plain(401);
          else exchange.sse();
        },
      },
    });
    const auth = provider();
    await using _ = await connect(createHttpTransport({ url: server.url, auth }));
    await when(() => server.of('GET').length === 3);
    expect(server.of('GET').map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1', 'e1']);
    expect(auth.challenges).toHaveLength(1);
  });
});
