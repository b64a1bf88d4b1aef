/**
 * Two persons on one host program: the same servers under the same names, one store of tokens and one cache. The
 * servers log whose token came with which call. This is not in `packages/host`, which must not depend on sign-in.
 */
import { KeyObject, sign } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oauth, type Interaction } from '@mcp-fittings/auth-oauth';
import { xaa } from '@mcp-fittings/auth-xaa';
import type { AuthPlugin, ServerConfig, TokenStore } from '@mcp-fittings/client-core';
import { createHost, type Host } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import {
  scriptedPerson,
  startAuthorizationServer,
} from '../../../packages/auth-oauth/test/support/authorization-server.mjs';
import {
  startAuthorizationServer as startCompanyServer,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../../packages/auth-xaa/test/support/company.mjs';
import {
  startPersonalServers,
  type PersonalServers,
} from '../../../packages/auth-oauth/test/support/personal-servers.js';
import { inFiles, inMemory, type Shelf } from './support/many-people.js';

type Person = 'ann' | 'bob';
const PERSONS = ['ann', 'bob'] as const;
const NAMES = ['one', 'two'] as const;

/** Ends what was used, the last one first; Node.js 20 has no `AsyncDisposableStack`. */
function endsInOrder() {
  const all: (() => PromiseLike<void>)[] = [];
  return {
    use<T extends AsyncDisposable>(value: T): T {
      all.unshift(() => value[Symbol.asyncDispose]());
      return value;
    },
    defer: (end: () => Promise<void>) => void all.unshift(end),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const end of all) await end();
    },
  };
}

/** Signs in at the page as this person; the answer goes straight back. */
const browserOf = (person: Person): Interaction => ({
  async begin() {
    return {
      redirectUri: 'http://127.0.0.1:33418/callback',
      async authorize({ url }) {
        const { location = '' } = await scriptedPerson(url, person);
        return new URL(location).searchParams;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
});

interface Scheme extends AsyncDisposable {
  readonly servers: PersonalServers;
  entries(): Readonly<Record<string, ServerConfig>>;
  plugin(person: Person, store: TokenStore): AuthPlugin;
}

async function oauthScheme(): Promise<Scheme> {
  const ends = endsInOrder();
  const servers: PersonalServers = ends.use(await startPersonalServers(() => as));
  const as = ends.use(await startAuthorizationServer({ resource: () => servers.origin }));
  return {
    servers,
    entries: () => ({ one: { url: servers.one }, two: { url: servers.two } }),
    plugin: (person, store) =>
      oauth({ clientName: 'tests', store, interaction: browserOf(person), principal: person }),
    [Symbol.asyncDispose]: () => ends[Symbol.asyncDispose](),
  };
}

const idTokens = new WeakMap<TestIdentityProvider, Map<Person, string>>();

/** The ID token of the company for this person. A host has one until it expires. */
function idToken(idp: TestIdentityProvider, person: Person): string {
  const kept = idTokens.get(idp) ?? new Map<Person, string>();
  idTokens.set(idp, kept);
  const token = kept.get(person) ?? signedIdToken(idp, person);
  kept.set(person, token);
  return token;
}

function signedIdToken({ origin, privateKey }: TestIdentityProvider, person: Person): string {
  const now = Math.floor(Date.now() / 1000);
  const text = [
    { alg: 'RS256', kid: 'key-1' },
    { iss: origin, aud: 'host', sub: person, iat: now, exp: now + 3600 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('sha256', Buffer.from(text), KeyObject.from(privateKey)).toString('base64url')}`;
}

const xaaScheme = (vouched: boolean) => async (): Promise<Scheme> => {
  const ends = endsInOrder();
  const idp = ends.use(await startIdentityProvider({ clients: [{ client_id: 'host' }] }));
  const clients = [{ client_id: 'mcp-client', client_secret: 'canary-client-secret' }];
  const as = ends.use(await startCompanyServer({ idp, clients }));
  const servers = ends.use(await startPersonalServers(() => as));
  const managed = { xaa: true, clientId: 'mcp-client', clientSecret: 'canary-client-secret' };
  return {
    servers,
    entries: () => ({ one: { url: servers.one, oauth: managed }, two: { url: servers.two, oauth: managed } }),
    plugin: (person, store) =>
      xaa({
        identityProvider: { issuer: idp.origin, clientId: 'host' },
        store,
        ...(vouched
          ? { subjectToken: () => ({ type: 'id_token', token: idToken(idp, person) }) }
          : { interaction: browserOf(person), principal: person }),
      }),
    [Symbol.asyncDispose]: () => ends[Symbol.asyncDispose](),
  };
};

const schemes: readonly (readonly [string, () => Promise<Scheme>, boolean])[] = [
  ['oauth', oauthScheme, false],
  ['xaa, signed in here', xaaScheme(false), false],
  ['xaa, vouched for by the host', xaaScheme(true), true],
];

const shelves: readonly (readonly [string, (folder: string) => Shelf])[] = [
  ['memory', inMemory],
  ['files', inFiles],
];

/** Both shelves with OAuth, and one of them with each form of XAA. */
const cases = schemes.flatMap(([scheme, start, vouched], index) =>
  shelves
    .filter((_, place) => index === 0 || place === index % 2)
    .map(([shelf, shelve]) => ({ name: `${scheme}, ${shelf}`, start, shelve, vouched })),
);

describe.each(cases)('two persons on one host program: $name', ({ start, shelve, vouched }) => {
  const toolsOf = (host: Host): readonly string[] =>
    [...new Set(host.tools().map(({ name }) => name))].toSorted();
  const expected = (person: Person): readonly string[] => [`tool_of_${person}`, 'whoami'];
  const whoami = async (host: Host, person: Person, server: string): Promise<string> =>
    JSON.stringify(await host.callTool({ server, tool: 'whoami' }, { as: person }));
  const signIn = async (host: Host): Promise<void> => {
    for (const name of NAMES) await host.signIn(name);
  };

  it('one after the other: each sees and uses their own, and a sign-out ends their own', async () => {
    await using ends = endsInOrder();
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'two-persons-')));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const scheme = ends.use(await start());
    const { servers } = scheme;
    // Both persons share a store and a cache.
    const { store, cache } = shelve(folder);
    const hostOf = (person: Person, lazy = false): Host =>
      ends.use(
        createHost({
          name: 'tests',
          version: '1',
          transports: [http()],
          auth: [scheme.plugin(person, store)],
          cache,
          principal: person,
          lazy,
        }),
      );
    const connect = async (host: Host) =>
      (await host.connect(scheme.entries())).map(({ state }) => state.status);
    const ann = hostOf('ann');
    // A person whom the host vouches for is signed in without being asked.
    expect(await connect(ann)).toEqual(vouched ? ['connected', 'connected'] : ['needs-auth', 'needs-auth']);
    await signIn(ann);
    expect(toolsOf(ann)).toEqual(expected('ann'));

    // The second person begins with nothing of the first one, also before the host connects.
    const before = servers.seen.length;
    const bob = hostOf('bob', true);
    await connect(bob);
    expect(toolsOf(bob)).toEqual([]);
    await signIn(bob);
    expect(await whoami(bob, 'bob', 'one')).toContain('you are bob');
    expect(toolsOf(bob)).toEqual(expected('bob'));
    expect(toolsOf(ann)).toEqual(expected('ann'));
    expect(new Set(servers.seen.slice(before).map(({ account }) => account))).not.toContain('ann');
    for (const server of NAMES) {
      expect(await whoami(ann, 'ann', server)).toContain('you are ann');
      expect(await whoami(bob, 'bob', server)).toContain('you are bob');
    }

    for (const name of NAMES) await ann.signOut(name);
    for (const server of NAMES) expect(await whoami(bob, 'bob', server)).toContain('you are bob');
    expect(toolsOf(ann)).toEqual([]);
    // New processes: what is stored is bob's.
    const [annAgain, bobAgain] = [hostOf('ann', true), hostOf('bob')];
    await connect(annAgain);
    expect(toolsOf(annAgain)).not.toContain('tool_of_bob');
    expect(await connect(bobAgain)).toEqual(['connected', 'connected']);
    expect(await whoami(bobAgain, 'bob', 'one')).toContain('you are bob');
    await signIn(annAgain);
    expect(await whoami(annAgain, 'ann', 'two')).toContain('you are ann');
    expect(toolsOf(bobAgain)).toEqual(expected('bob'));

    // Each call came with a token of the person who made it, and each token is of one person.
    const calls = servers.seen.filter(({ calledAs }) => calledAs !== undefined);
    expect(calls.length).toBeGreaterThan(0);
    for (const { calledAs, account } of calls) expect([calledAs, undefined]).toContain(account);
    const [anns, bobs] = PERSONS.map(
      (person) => new Set(servers.seen.flatMap(({ account, token }) => (account === person ? [token] : []))),
    );
    expect([...(anns ?? [])].filter((token) => bobs?.has(token))).toEqual([]);
  });
});

it('one host with xaa() asks for the token of the person whom each call names', async () => {
  await using ends = endsInOrder();
  const idp = ends.use(await startIdentityProvider({ clients: [{ client_id: 'host' }] }));
  const clients = [{ client_id: 'mcp-client', client_secret: 'canary-client-secret' }];
  const as = ends.use(await startCompanyServer({ idp, clients }));
  const servers = ends.use(await startPersonalServers(() => as));
  const company = xaa({
    identityProvider: { issuer: idp.origin, clientId: 'host' },
    store: memoryStore(),
    subjectToken: ({ principal }) =>
      principal === 'ann' || principal === 'bob'
        ? { type: 'id_token', token: idToken(idp, principal) }
        : undefined,
  });
  const host = ends.use(
    createHost({
      name: 'tests',
      version: '1',
      transports: [http()],
      auth: [company],
      lazy: true,
    }),
  );
  const managed = { xaa: true, clientId: 'mcp-client', clientSecret: 'canary-client-secret' };
  await host.connect({ one: { url: servers.one, oauth: managed } });
  await Promise.all(
    [...PERSONS, ...PERSONS].map(async (principal) => {
      const answer = await host.callTool({ server: 'one', tool: 'whoami' }, { as: principal }, { principal });
      expect(JSON.stringify(answer)).toContain(`you are ${principal}`);
    }),
  );
  const calls = servers.seen.filter(({ calledAs }) => calledAs !== undefined);
  expect(calls).toHaveLength(4);
  for (const { calledAs, account } of calls) expect(account).toBe(calledAs);
});
