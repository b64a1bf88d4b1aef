import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider, TokenStore } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { oauth } from '@mcp-fittings/auth-oauth';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import { scriptSignIn } from './support/scripted-sign-in.js';

let server: FalseServer;
let store: TokenStore;
beforeEach(async () => {
  server = await startFalseServer();
  store = memoryStore();
});
afterEach(() => server[Symbol.asyncDispose]());

/** A program of its own, with the shared store. */
function program(principal?: string): AuthProvider {
  const { interaction } = scriptSignIn(server);
  const plugin = oauth({ clientName: 'tests', store, interaction, principal });
  const provider = plugin.create({ name: 'notes', config: { url: server.url }, identity: 'user' }, {});
  if (provider === undefined) throw new Error('no provider');
  return provider;
}

function give(token: string): void {
  server.answers.set('/token', {
    body: { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}`, expires_in: 3600 },
  });
}

const nameOf = async (provider: AuthProvider): Promise<string | undefined> => provider.identity?.();

describe('identity() of oauth()', () => {
  it('is undefined without a sign-in, before and after', async () => {
    const provider = program();
    expect(await nameOf(provider)).toBeUndefined();
    await provider.signIn?.({});
    expect(await nameOf(provider)).toMatch(/./);
    await provider.signOut?.();
    expect(await nameOf(provider)).toBeUndefined();
    expect(await nameOf(program())).toBeUndefined();
  });

  it('is the same in every process, through a refresh, and is not made of a token', async () => {
    give('canary-one');
    await program().signIn?.({});
    const provider = program();
    const name = await nameOf(provider);
    expect(name).toMatch(/./);
    give('canary-two');
    await provider.onChallenge({ url: new URL(server.url), status: 401, refused: 'Bearer canary-one' });
    expect(await provider.headers({ url: new URL(server.url), method: 'POST' })).toEqual({
      authorization: 'Bearer canary-two',
    });
    expect(await nameOf(provider)).toBe(name);
    expect(await nameOf(program())).toBe(name);
    expect(name).not.toMatch(/canary|Bearer/);
  });

  it('changes with every sign-in, even with the same token', async () => {
    const names = new Set<string | undefined>();
    for (let n = 0; n < 3; n++) {
      give('canary');
      await program().signIn?.({});
      names.add(await nameOf(program()));
    }
    expect(names.size).toBe(3);
  });

  it('a record of an earlier version, without a sign-in id, is identified by when it was obtained', async () => {
    await program().signIn?.({});
    const kept = store;
    const watched = new Set<string>();
    store = {
      ...kept,
      async get(key) {
        const value = await kept.get(key);
        if (value?.['accessToken'] !== undefined) watched.add(key);
        const { signIn: _, ...rest } = value ?? {};
        return value && rest;
      },
    };
    const name = await nameOf(program());
    expect(watched.size).toBe(1);
    expect(name).toContain(server.origin);
    expect(name).not.toContain('good');
  });
});
