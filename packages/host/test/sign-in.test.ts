import { describe, expect, it } from 'vitest';
import {
  AuthRequiredError,
  type AuthChallenge,
  type AuthPlugin,
  type AuthProvider,
} from '@mcp-fittings/client-core';
import { createHost } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk';
import { calculator, identity } from './support/calculator.js';
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
    async signIn({ challenge: asked }) {
      log.push(`sign in ${asked?.status}`);
      await new Promise<void>((resolve) => {
        finish = resolve;
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

describe('O5 sign-in', () => {
  it('waits in needs-auth, asks nobody by itself, and connects after the sign-in', async () => {
    const { auth, servers, log, finish } = guardedServer();
    const host = createHost({ engine: sdk(identity), transports: [servers.plugin], auth: [auth] });
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
    await host.close();
  });

  it('goes to needs-auth when the sign-in expires while connected', async () => {
    const { auth, servers, finish, expire } = guardedServer();
    const host = createHost({
      engine: sdk(identity),
      transports: [servers.plugin],
      auth: [auth],
      random: () => 0,
    });
    await host.connect({ calc: { type: 'test', reconnect: { delayMs: 1 } } });
    const signing = host.signIn('calc');
    await new Promise((resolve) => setImmediate(resolve));
    finish();
    await signing;
    expire();
    await servers.drop();
    await reaches(host, 'calc', 'needs-auth');
    expect(servers.open).toBe(0);
    await host.close();
  });

  it('says that nothing can sign in where no plugin serves the entry', async () => {
    const { auth, servers } = guardedServer();
    const host = createHost({ engine: sdk(identity), transports: [servers.plugin], auth: [auth] });
    await host.connect({ other: { type: 'test' } });
    await expect(host.signIn('other')).rejects.toMatchObject({ code: 'AUTH_FAILED', server: 'other' });
    await host.close();
  });

  it('keeps the refused credentials out of what is printed', async () => {
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
