import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { authorizedFetch } from '@mcp-fittings/auth-oauth';
import { createHttpClient } from '@mcp-fittings/http-client';
import type { ConnectionState, Host } from '@mcp-fittings/host';
import { createEndingWorld, type EndingWorld } from './support/ending-world.js';
import { createWorld } from './support/world.js';

const EXPIRED = { obtainedAt: Date.now() - 7_200_000, expiresAt: Date.now() - 3_600_000 };

describe.each(['http', 'sse', 'ws'] as const)('a sign-in that has ended, over %s', (kind) => {
  let world: EndingWorld;
  let host: Host;
  beforeEach(async () => {
    world = await createEndingWorld(kind);
    host = world.host();
    expect(await world.connect(host)).toBe('needs-auth');
    await host.signIn('notes');
    expect(host.server('notes').state.status).toBe('connected');
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const call = (): Promise<unknown> => host.callTool({ server: 'notes', tool: 'read' });
  const restarted = async (): Promise<Host> => {
    await host.close();
    const next = world.host();
    await world.connect(next);
    return next;
  };

  const ENDS = [
    ['expired, and there is no refresh token', { ...EXPIRED, refreshToken: undefined }],
    ['expired, and the refresh token was revoked', { ...EXPIRED, refreshToken: 'revoked' }],
    [
      'expired, without a word on when it was obtained',
      { expiresAt: 1, obtainedAt: 0, refreshToken: undefined },
    ],
    ['refused, and there is no refresh token', { accessToken: 'forged', refreshToken: undefined }],
    ['refused, and the refresh token was revoked', { accessToken: 'forged', refreshToken: 'revoked' }],
  ] as const;
  // Over the other wires, one that is noticed here and one that the server notices.
  it.each(kind === 'http' ? ENDS : [ENDS[0], ENDS[3]])(
    'is needs-auth after a restart of the program: %s',
    async (_, change) => {
      await world.edit((record) => ({ ...record, ...change }));
      const next = await restarted();
      const { state } = next.server('notes');
      expect(state).toMatchObject({ status: 'needs-auth', error: { code: 'AUTH_REQUIRED' } });
      await next.signIn('notes');
      expect(next.server('notes').state.status).toBe('connected');
    },
  );

  it('is needs-auth when the server refuses a valid token that cannot be renewed', async () => {
    await world.edit((record) => ({ ...record, refreshToken: undefined }));
    await world.refuseHeld();
    if (kind !== 'ws') await expect(call()).rejects.toBeInstanceOf(AuthRequiredError);
    expect(await reaches(host, 'needs-auth')).toMatchObject({ error: { code: 'AUTH_REQUIRED' } });
    await expect(call()).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('is needs-auth when the server refuses the renewed token as well', async () => {
    await world.refuseAll();
    if (kind !== 'ws') await expect(call()).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await reaches(host, 'needs-auth');
    const next = await restarted();
    expect(next.server('notes').state.status).toBe('needs-auth');
  });

  it('a sign-in in another process brings a waiting host back, with and without a call', async () => {
    await world.edit((record) => ({ ...record, ...EXPIRED, refreshToken: undefined }));
    host = await restarted();
    const idle = world.host();
    expect(await world.connect(idle)).toBe('needs-auth');
    const other = world.host();
    expect(await world.connect(other)).toBe('needs-auth');
    await other.signIn('notes');
    await expect(call()).resolves.toMatchObject({ content: [{ text: 'done' }] });
    await reaches(idle, 'connected');
  });
});

describe.each(['http', 'sse', 'ws'] as const)(
  'a server that answers a request without credentials with 403, over %s',
  (kind) => {
    it('is needs-auth, and connected after the sign-in', async () => {
      await using world = await createEndingWorld(kind, 403);
      const host = world.host();
      expect(await world.connect(host)).toBe('needs-auth');
      await host.signIn('notes');
      await expect(host.callTool({ server: 'notes', tool: 'read' })).resolves.toMatchObject({
        content: [{ text: 'done' }],
      });
    });
  },
);

describe('a refresh whose answer is lost', () => {
  it('ends the sign-in when the authorization server says that the refresh token was used', async () => {
    await using world = await createWorld({ accessTokenTtl: 3600 });
    let passed = 0;
    const clock = { ...systemClock, now: () => Date.now() + passed };
    await world.use(world.provider({ clock }));
    await using inner = createHttpClient({ url: world.resource.url, server: 'test' });
    let lost = 0;
    const fetch: typeof inner.fetch = async (url, init) => {
      const response = await inner.fetch(url, init);
      if (!String(url).endsWith('/token') || lost++ > 0) return response;
      throw new FittingsError('CONNECTION_LOST', 'The answer is lost.', { delivery: 'unknown' });
    };
    const provider = world.provider({ clock, network: { fetch } });
    const send = authorizedFetch(provider, { url: world.resource.url });
    passed = 7_200_000;
    const request = (): Promise<Response> => send(world.resource.url, { method: 'POST', body: '{}' });
    // A temporary failure: an unreachable network does not ask for a sign-in. And the call itself was not sent (C12).
    await expect(request()).rejects.toMatchObject({ code: 'CONNECTION_LOST', delivery: 'not-sent' });
    passed += 60_000;
    await expect(request()).rejects.toBeInstanceOf(AuthRequiredError);
    const restarted = authorizedFetch(world.provider({ clock }), { url: world.resource.url });
    await expect(restarted(world.resource.url, { method: 'POST' })).rejects.toBeInstanceOf(AuthRequiredError);
  });

  it('a sign-in elsewhere counts at once, also while a failure is remembered', async () => {
    await using world = await createWorld({ accessTokenTtl: 3600 });
    let passed = 0;
    const clock = { ...systemClock, now: () => Date.now() + passed };
    await world.use(world.provider({ clock }));
    const network = { fetch: () => Promise.reject(new FittingsError('CONNECT_FAILED', 'away')) };
    const provider = world.provider({ clock, network });
    passed = 7_200_000;
    const headers = () => provider.headers({ url: new URL(world.resource.url), method: 'POST' });
    await expect(headers()).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    await world.provider({ clock }).signIn?.({});
    expect(await headers()).toHaveProperty('authorization');
  });
});

function reaches(host: Host, status: ConnectionState['status']): Promise<ConnectionState> {
  return new Promise((resolve) => {
    const { state } = host.server('notes');
    if (state.status === status) return resolve(state);
    const subscription = host.on('state', (event) => {
      if (event.state.status !== status) return;
      subscription[Symbol.dispose]();
      resolve(event.state);
    });
  });
}
