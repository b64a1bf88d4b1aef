import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider, TokenStore } from '@mcp-fittings/client-core';
import { oauth } from '@mcp-fittings/auth-oauth';
import type { ConnectionState, Host } from '@mcp-fittings/host';
import { createEndingWorld, type EndingWorld } from './ending-world.js';
import { startFalseServer, type FalseServer } from './false-server.js';
import { scriptSignIn } from './scripted-sign-in.js';

/** A credential store. `open` opens it as another program does: another store with the same contents. */
export interface StorePlace extends AsyncDisposable {
  open(): TokenStore;
}

const EXPIRED = { obtainedAt: Date.now() - 7_200_000, expiresAt: Date.now() - 3_600_000 };

/** What holds for credentials in every store. */
export function storeCases(name: string, place: () => Promise<StorePlace>): void {
  let stores: StorePlace;
  beforeEach(async () => {
    stores = await place();
  });
  afterEach(() => stores[Symbol.asyncDispose]());

  describe(`a sign-in that has ended, in ${name}`, () => {
    let world: EndingWorld;
    beforeEach(async () => {
      world = await createEndingWorld('http', () => stores.open());
      const host = world.host();
      expect(await world.connect(host)).toBe('needs-auth');
      await host.signIn('notes');
      await host.close();
    });
    afterEach(() => world[Symbol.asyncDispose]());

    it.each<[string, Readonly<Record<string, unknown>>]>([
      ['expired, without a refresh token', { ...EXPIRED, refreshToken: undefined }],
      ['expired, with a revoked refresh token', { ...EXPIRED, refreshToken: 'revoked' }],
      ['refused, without a refresh token', { accessToken: 'forged', refreshToken: undefined }],
    ])('is needs-auth after a restart of the program: %s', async (_, change) => {
      await world.edit((record) => stored({ ...record, ...change }));
      const host = world.host();
      await world.connect(host);
      expect(host.server('notes').state).toMatchObject({
        status: 'needs-auth',
        error: { code: 'AUTH_REQUIRED' },
      });
    });

    it('uses a new sign-in of another process, with a call at once, and without one', async () => {
      await world.edit((record) => stored({ ...record, ...EXPIRED, refreshToken: undefined }));
      const [calling, idle, other] = [world.host(), world.host(), world.host()];
      for (const host of [calling, idle, other]) expect(await world.connect(host)).toBe('needs-auth');
      await other.signIn('notes');
      await expect(calling.callTool({ server: 'notes', tool: 'read' })).resolves.toMatchObject({
        content: [{ text: 'done' }],
      });
      await reaches(idle, 'connected');
    });
  });

  describe(`credentials of entries with one URL, in ${name}`, () => {
    let server: FalseServer;
    let other: FalseServer;
    beforeEach(async () => {
      server = await startFalseServer();
      other = await startFalseServer();
      server.describe();
      other.describe();
    });
    afterEach(async () => {
      await server[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    });

    interface Owner {
      readonly identity: string;
      readonly issuer: 'first' | 'second';
      readonly principal: string;
    }
    const owners = ['user', 'project /clone'].flatMap((identity) =>
      (['first', 'second'] as const).flatMap((issuer) =>
        ['ann', 'bob'].map((principal): Owner => ({ identity, issuer, principal })),
      ),
    );
    /** Each stands for a program of its own. */
    const provider = ({ identity, issuer, principal }: Owner): AuthProvider => {
      const { interaction } = scriptSignIn(server);
      const plugin = oauth({ clientName: 'tests', store: stores.open(), interaction, principal });
      const entry = {
        url: server.url,
        oauth: { issuer: issuer === 'first' ? server.origin : other.origin },
      };
      const made = plugin.create({ name: 'notes', config: entry, identity }, {});
      if (made === undefined) throw new Error('no provider');
      return made;
    };
    const moveTo = ({ issuer }: Owner): void =>
      server.describe({
        resource: { authorization_servers: [issuer === 'first' ? server.origin : other.origin] },
      });
    const authorization = async (owner: Owner): Promise<string | undefined> =>
      (await provider(owner).headers({ url: new URL(server.url), method: 'POST' }))['authorization'];
    const give = (token: string): void => {
      for (const each of [server, other])
        each.answers.set('/token', {
          body: { access_token: token, token_type: 'Bearer', refresh_token: `refresh-${token}` },
        });
    };

    it('two entries, two issuers and two persons never read the tokens of one another', async () => {
      for (const [index, owner] of owners.entries()) {
        expect(await authorization(owner)).toBeUndefined();
        expect(await provider(owner).identity?.()).toBeUndefined();
        moveTo(owner);
        give(`token-${index}`);
        await provider(owner).signIn?.({});
      }
      const all = await Promise.all(owners.map((owner) => authorization(owner)));
      expect(all).toEqual(owners.map((_, index) => `Bearer token-${index}`));
      const names = await Promise.all(owners.map(async (owner) => provider(owner).identity?.()));
      expect(new Set(names).size).toBe(owners.length);
      const [first, ...others] = owners;
      if (first === undefined) throw new Error('no owner');
      await provider(first).signOut?.();
      expect(await authorization(first)).toBeUndefined();
      const left = await Promise.all(others.map((owner) => authorization(owner)));
      expect(left).toEqual(others.map((_, index) => `Bearer token-${index + 1}`));
    });
  });
}

/** As JSON, which every store accepts. */
function stored(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

function reaches(host: Host, status: ConnectionState['status']): Promise<void> {
  return new Promise((resolve) => {
    if (host.server('notes').state.status === status) return resolve();
    const subscription = host.on('state', (event) => {
      if (event.state.status !== status) return;
      subscription[Symbol.dispose]();
      resolve();
    });
  });
}
