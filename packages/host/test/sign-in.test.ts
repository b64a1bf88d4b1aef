import { describe, expect, it } from 'vitest';
import {
  type AuthChallenge,
  type AuthPlugin,
  type AuthProvider,
  AuthRequiredError,
  FittingsError,
} from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { reaches } from './support/recorder.js';

/** A server that demands a sign-in, and a provider whose person takes a while. */
function guardedServer() {
  const challenge: AuthChallenge = { url: new URL('https://example.com/mcp'), status: 401 };
  const log: string[] = [];
  let signedIn = false;
  let finish: (() => void) | undefined;
  const provider: AuthProvider = {
    headers: async () => ({}),
    onChallenge: async () => 'retry',
    async signIn({ challenge: asked, signal }) {
      log.push(`sign in ${asked?.status}`);
      await new Promise<void>((resolve, reject) => {
        finish = resolve;
        signal?.addEventListener('abort', () => {
          log.push('aborted');
          reject(new Error('The user gave up.'));
        });
      });
      signedIn = true;
    },
    async signOut() {
      log.push('sign out');
      signedIn = false;
    },
  };
  const auth: AuthPlugin = {
    specVersion: 1,
    scheme: 'fake',
    create: ({ name }) => (name === 'calc' ? provider : undefined),
  };
  const servers = testServers(() => {
    if (!signedIn) throw new AuthRequiredError('Please sign in.', { challenge, server: 'calc' });
    return calculator();
  });
  return { auth, servers, log, finish: () => finish?.(), expire: () => (signedIn = false) };
}

describe('sign-in', () => {
  it('waits in needs-auth, does not ask the user by itself, and connects after the sign-in', async () => {
    const { auth, servers, log, finish } = guardedServer();
    await using host = testHost([servers.plugin], { auth: [auth] });
    const [snapshot] = await host.connect({ calc: { type: 'test' } });
    expect(snapshot?.state).toMatchObject({ status: 'needs-auth', error: { code: 'AUTH_REQUIRED' } });
    await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
    });
    expect(log).toEqual([]);

    const both = Promise.all([host.signIn('calc'), host.signIn('calc')]);
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await both;
    expect(log).toEqual(['sign in 401']);
    expect(host.server('calc').state.status).toBe('connected');

    await host.signOut('calc');
    expect(log).toEqual(['sign in 401', 'sign out']);
    expect(host.server('calc').state).toEqual({ status: 'disconnected', reason: 'stopped' });
    await expect(host.start('calc')).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('of several callers ends when the last of them aborts it, and each rejects with its own abort', async () => {
    const { auth, servers, log, finish } = guardedServer();
    await using host = testHost([servers.plugin], { auth: [auth] });
    await host.connect({ calc: { type: 'test' } });
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const aborted = { code: 'ABORTED', server: 'calc' };
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    const first = expect(host.signIn('calc', one)).rejects.toMatchObject(aborted);
    const second = expect(host.signIn('calc', two)).rejects.toMatchObject(aborted);
    await turn();
    one.abort();
    await first;
    expect(log).toEqual(['sign in 401']);
    two.abort();
    await second;
    expect(log).toEqual(['sign in 401', 'aborted']);

    const third = expect(host.signIn('calc', three)).rejects.toMatchObject(aborted);
    const fourth = host.signIn('calc');
    await turn();
    three.abort();
    await third;
    finish();
    await fourth;
    expect(log).toEqual(['sign in 401', 'aborted', 'sign in 401']);
    expect(host.server('calc').state.status).toBe('connected');
    await expect(host.signIn('calc', { signal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    expect(log).toHaveLength(3);
  });

  it('goes to needs-auth when the sign-in expires while connected', async () => {
    const { auth, servers, finish, expire } = guardedServer();
    await using host = testHost([servers.plugin], { auth: [auth], random: () => 0 });
    await host.connect({ calc: { type: 'test', reconnect: { delayMs: 1 } } });
    const signing = host.signIn('calc');
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await signing;
    expire();
    await servers.drop();
    await reaches(host, 'calc', 'needs-auth');
    expect(servers.open).toBe(0);
  });

  it.each(['none', 'reconnect', 'retry'] as const)(
    'a call says AUTH_REQUIRED while a sign-in is waited for, with delivery %s',
    async (delivery) => {
      const { auth, servers } = guardedServer();
      await using host = testHost([servers.plugin], { auth: [auth], delivery });
      await host.connect({ calc: { type: 'test' } });
      const { created } = servers;
      await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toBeInstanceOf(AuthRequiredError);
      // A provider that cannot tell of a new sign-in is not tried out.
      expect(servers.created).toBe(created);
    },
  );

  it('looks for a sign-in of another process every second, less often after one that was refused', async () => {
    const challenge: AuthChallenge = { url: new URL('https://example.com/mcp'), status: 401 };
    const clock = createManualClock();
    let looks = 0;
    let signedIn = false;
    let accepted = false;
    const provider: AuthProvider = {
      headers: async () => ({}),
      onChallenge: async () => 'retry',
      async hasNewSignIn(about) {
        expect(about).toBe(challenge);
        looks++;
        return signedIn;
      },
    };
    const servers = testServers(() => {
      if (!accepted) throw new AuthRequiredError('Please sign in.', { challenge, server: 'calc' });
      return calculator();
    });
    await using host = testHost([servers.plugin], {
      auth: [{ specVersion: 1, scheme: 'fake', create: () => provider }],
      clock,
    });
    await host.connect({ calc: { type: 'test' } });
    await clock.advance(1000);
    await clock.advance(1000);
    expect(looks).toBe(2);
    signedIn = true;
    const again = reaches(host, 'calc', 'connecting');
    await clock.advance(1000);
    await again;
    await reaches(host, 'calc', 'needs-auth');
    expect(servers.created).toBe(2);
    await clock.advance(1999);
    expect(looks).toBe(3);
    accepted = true;
    const connected = reaches(host, 'calc', 'connected');
    await clock.advance(1);
    await connected;
  });

  it('reads a store that fails less often, and a call still rejects with AUTH_REQUIRED', async () => {
    const clock = createManualClock();
    let looks = 0;
    const provider: AuthProvider = {
      headers: async () => ({}),
      onChallenge: async () => 'retry',
      async hasNewSignIn() {
        looks++;
        throw new FittingsError('STORE_LOCKED', 'The keychain is locked.');
      },
    };
    const servers = testServers(() => {
      throw new AuthRequiredError('Please sign in.', { server: 'calc' });
    });
    await using host = testHost([servers.plugin], {
      auth: [{ specVersion: 1, scheme: 'fake', create: () => provider }],
      clock,
    });
    await host.connect({ calc: { type: 'test' } });
    for (const ms of [1000, 2000, 4000, 8000]) await clock.advance(ms);
    expect(looks).toBe(4);
    await clock.advance(15_000);
    expect(looks).toBe(4);
    await expect(host.callTool({ server: 'calc', tool: 'add' })).rejects.toBeInstanceOf(AuthRequiredError);
  });

  it('reports that no plugin can sign in', async () => {
    const { auth, servers } = guardedServer();
    await using host = testHost([servers.plugin], { auth: [auth] });
    await host.connect({ other: { type: 'test' } });
    await expect(host.signIn('other')).rejects.toMatchObject({ code: 'AUTH_FAILED', server: 'other' });
  });

  it('does not print the refused credentials', async () => {
    const { inspect } = await import('node:util');
    const challenge: AuthChallenge = {
      url: new URL('https://example.com'),
      status: 401,
      refused: 'Bearer canary',
    };
    const error = new AuthRequiredError('Please sign in.', { challenge });
    expect(error.challenge?.refused).toBe('Bearer canary');
    expect(inspect(error, { depth: 5 }) + JSON.stringify(error)).not.toContain('canary');
  });
});
