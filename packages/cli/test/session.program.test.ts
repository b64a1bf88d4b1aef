import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { storeForReading } from '../src/session/credential-store.js';
import { createConfiguredHost } from '../src/index.js';
import { everything, openWorkspace, type Workspace } from './support/workspace.js';

const at = ({ project: cwd, home }: Workspace) => ({ cwd, home, store: 'memory' as const });

async function writeOwn({ home }: Workspace, servers: unknown): Promise<void> {
  await mkdir(join(home, '.config/mcp-fittings'), { recursive: true });
  await writeFile(join(home, '.config/mcp-fittings/servers.json'), JSON.stringify({ mcpServers: servers }));
}

it('a session is all packages put together: connects, calls, and ends', async () => {
  await using workspace = await openWorkspace();
  await writeOwn(workspace, { everything });
  await using session = await createConfiguredHost(at(workspace));
  expect(await session.connect()).toMatchObject([{ name: 'everything', state: { status: 'connected' } }]);
  const { content } = await session.host.callTool({ server: 'everything', tool: 'echo' }, { message: 'hi' });
  expect(content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
  await expect(session.connect(['unknown'])).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
});

it('each server is signed in to as its entry says', async () => {
  await using workspace = await openWorkspace();
  const identityProvider = { issuer: 'https://idp.example', clientId: 'fittings' };
  const url = 'https://mcp.example/mcp';
  await writeOwn(workspace, {
    plain: { url },
    shared: { url, oauth: { xaa: true, identityProvider } },
    cloud: { url, authProviderType: 'google_credentials' },
    keyed: { url, apiKey: 'a-key-of-mine' },
    off: { url, oauth: false },
  });
  await using session = await createConfiguredHost(at(workspace));
  const schemeOf = (name: string): string | undefined => {
    const config = session.loaded.servers[name] ?? {};
    return session.auth.find((plugin) => plugin.create({ name, config }, {}) !== undefined)?.scheme;
  };
  expect(['plain', 'shared', 'keyed', 'off'].map(schemeOf)).toEqual(['oauth', 'xaa', undefined, undefined]);
  // Google's credentials go to hosts that the host of the program named, and it named none of this one.
  expect(() => schemeOf('cloud')).toThrow(FittingsError);
});

it('without an identity provider the servers that want one say so, and no other is harmed', async () => {
  await using workspace = await openWorkspace();
  await writeOwn(workspace, {
    shared: { url: 'https://mcp.example/mcp', oauth: { xaa: true } },
    everything,
  });
  await using session = await createConfiguredHost(at(workspace));
  expect(await session.connect()).toMatchObject([
    { name: 'shared', state: { status: 'failed', error: { code: 'CONFIG_INVALID' } } },
    { name: 'everything', state: { status: 'connected' } },
  ]);
  // The file of a project does not move the sign-in of a company.
  const evil = { issuer: 'https://evil.example', clientId: 'x' };
  await workspace.write('.mcp.json', {
    mcpServers: { theirs: { url: 'https://mcp.example/mcp', oauth: { xaa: true, identityProvider: evil } } },
  });
  await using again = await createConfiguredHost(at(workspace));
  const { hash = '', project = again.loaded.project } =
    again.loaded.entries.find(({ name }) => name === 'theirs')?.approval ?? {};
  await again.approvals.remember({ name: 'theirs', hash, project: { ...project } }, 'always');
  await using approved = await createConfiguredHost(at(workspace));
  expect(await approved.connect(['theirs'])).toMatchObject([
    { state: { status: 'failed', error: { code: 'CONFIG_INVALID' } } },
  ]);
});

it('a mistake in the identity provider is told by the servers that want it', async () => {
  await using workspace = await openWorkspace();
  const url = 'https://mcp.example/mcp';
  await writeOwn(workspace, {
    one: { url, oauth: { xaa: true, identityProvider: { issuer: 'https://a.example', clientId: 'x' } } },
    two: { url, oauth: { xaa: true, identityProvider: { issuer: 'https://b.example', clientId: 'x' } } },
  });
  await using session = await createConfiguredHost(at(workspace));
  expect(await session.connect(['one'])).toMatchObject([
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

it('an address that answers with something else is a failure of that server alone', async () => {
  await using workspace = await openWorkspace();
  const http = createServer((_, response) => response.writeHead(500).end('no'));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    const { port } = http.address() as AddressInfo;
    await writeOwn(workspace, {
      wrong: { url: `http://127.0.0.1:${port}/mcp`, reconnect: { maxAttempts: 1 } },
      everything,
    });
    await using session = await createConfiguredHost(at(workspace));
    const [wrong, right] = await session.connect();
    expect(wrong?.state.status).not.toBe('connected');
    expect(right?.state.status).toBe('connected');
  } finally {
    http.close();
  }
});
