import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { expect, it } from 'vitest';
import { storeForReading } from '../src/installed/credential-store.js';
import { everything, openConfigured, openWorkspace } from './support/workspace.js';

it('each server is signed in to as its entry says', async () => {
  await using workspace = await openWorkspace();
  const identityProvider = { issuer: 'https://idp.example', clientId: 'fittings' };
  const url = 'https://mcp.example/mcp';
  await workspace.writeOwn({
    plain: { url },
    shared: { url, oauth: { xaa: true, identityProvider } },
    cloud: { url, authProviderType: 'google_credentials' },
    keyed: { url, apiKey: 'a-key-of-mine' },
    off: { url, oauth: false },
  });
  await using session = await openConfigured(workspace.at);
  const schemeOf = async (name: string): Promise<string | undefined> => {
    const config = session.loaded.servers[name] ?? {};
    const schemes = await session.auth(config);
    return schemes.find((plugin) => plugin.create({ name, config }, {}) !== undefined)?.scheme;
  };
  expect(await schemeOf('plain')).toBe('oauth');
  expect(await schemeOf('shared')).toBe('xaa');
  expect(await schemeOf('keyed')).toBeUndefined();
  expect(await schemeOf('off')).toBeUndefined();
  // Google's credentials go to hosts that the host of the program named, and it named none of this one.
  await expect(schemeOf('cloud')).rejects.toThrow(FittingsError);
});

it('all transports tell the fields of their entries once they are imported', async () => {
  await using workspace = await openWorkspace();
  await using session = await openConfigured(workspace.at);
  const imported = await session.loadTransports();
  expect(imported.map(({ type }) => type)).toEqual(['sse', 'http', 'ws', 'stdio']);
  for (const { schema } of imported) expect(schema['~standard']).toHaveProperty('jsonSchema');
});

it('without an identity provider the servers that want one say so, and no other is harmed', async () => {
  await using workspace = await openWorkspace();
  await workspace.writeOwn({
    shared: { url: 'https://mcp.example/mcp', oauth: { xaa: true } },
    everything,
  });
  await using session = await openConfigured(workspace.at);
  expect(await session.host.connect(session.loaded.servers)).toMatchObject([
    { name: 'shared', state: { status: 'failed', error: { code: 'CONFIG_INVALID' } } },
    { name: 'everything', state: { status: 'connected' } },
  ]);
  // The file of a project does not move the sign-in of a company.
  const evil = { issuer: 'https://evil.example', clientId: 'x' };
  await workspace.writeProject({
    theirs: { url: 'https://mcp.example/mcp', oauth: { xaa: true, identityProvider: evil } },
  });
  await using again = await openConfigured(workspace.at);
  const { hash = '', project = again.loaded.project } =
    again.loaded.entries.find(({ name }) => name === 'theirs')?.approval ?? {};
  await again.approvals.remember({ name: 'theirs', hash, project: { ...project } }, 'always');
  await using approved = await openConfigured(workspace.at);
  const { theirs = {} } = approved.loaded.servers;
  expect(await approved.host.connect({ theirs })).toMatchObject([
    { state: { status: 'failed', error: { code: 'CONFIG_INVALID' } } },
  ]);
});

it('a mistake in the identity provider is told by the servers that want it', async () => {
  await using workspace = await openWorkspace();
  const url = 'https://mcp.example/mcp';
  await workspace.writeOwn({
    one: { url, oauth: { xaa: true, identityProvider: { issuer: 'https://a.example', clientId: 'x' } } },
    two: { url, oauth: { xaa: true, identityProvider: { issuer: 'https://b.example', clientId: 'x' } } },
  });
  await using session = await openConfigured(workspace.at);
  const { one = {} } = session.loaded.servers;
  expect(await session.host.connect({ one })).toMatchObject([
    { state: { error: { message: 'Two entries of the configuration name different identity providers.' } } },
  ]);
});

it('a server that needs no sign-in works while the store does not; writing fails all the same', async () => {
  const failure = new FittingsError('STORE_UNAVAILABLE', 'gone');
  const refuse = async (): Promise<never> => Promise.reject(failure);
  const broken: TokenStore = { get: refuse, set: refuse, delete: refuse, withLock: refuse };
  const told: FittingsError[] = [];
  const store = storeForReading(broken, (error) => told.push(error));
  expect(await store.get('a')).toBeUndefined();
  expect(await store.get('b')).toBeUndefined();
  expect(told).toEqual([failure]);
  await expect(store.set('a', { version: 1 })).rejects.toBe(failure);
  await expect(store.delete('a')).rejects.toBe(failure);
  await expect(store.withLock('a', async () => 1)).rejects.toBe(failure);
  const corrupt = new FittingsError('STORE_CORRUPT', 'tampered');
  const tampered = storeForReading({ ...broken, get: async () => Promise.reject(corrupt) }, () => undefined);
  await expect(tampered.get('a')).rejects.toBe(corrupt);
});
