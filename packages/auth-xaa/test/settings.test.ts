import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identityProviderFromEntries, xaa } from '@mcp-fittings/auth-xaa';
import { createServerApprovals, defineLayout, loadConfig } from '@mcp-fittings/config';
import { memoryStore } from '@mcp-fittings/store-file';

const layout = defineLayout({
  name: 'tests',
  sources: [
    { scope: 'enterprise', base: 'system', path: 'defaults.json', servers: [['mcpServers']] },
    { scope: 'user', base: 'home', path: 'user.json', servers: [['mcpServers']] },
    { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers']] },
    { scope: 'managed', base: 'system', path: 'managed.json', servers: [['mcpServers']] },
  ],
  systemDirectory: { linux: 'SYSTEM', darwin: 'SYSTEM', win32: 'SYSTEM' },
});

const idp = (issuer: string, clientId = 'host') => ({ issuer, clientId });
const entry = (identityProvider?: object, name = 'notes') => ({
  [name]: {
    url: 'https://mcp.example/',
    oauth: { xaa: true, ...(identityProvider && { identityProvider }) },
  },
});

describe('which files may name the identity provider', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'xaa-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(files: Readonly<Record<string, object>>) {
    for (const [path, mcpServers] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify({ mcpServers }));
    }
    await mkdir(join(folder, 'project/.git'), { recursive: true });
    await mkdir(join(folder, 'home'), { recursive: true });
    const system = join(folder, 'system');
    return loadConfig({
      layout: { ...layout, systemDirectory: { linux: system, darwin: system, win32: system } },
      cwd: join(folder, 'project'),
      home: join(folder, 'home'),
      approvals: createServerApprovals({ approve: async () => 'once' }),
    });
  }

  it('ignores and reports a project that names one, even if its server is approved', async () => {
    const { entries, servers } = await load({
      'home/user.json': entry(idp('https://idp.company.example'), 'mine'),
      'project/.mcp.json': entry(idp('https://idp.evil.example'), 'theirs'),
    });
    expect(Object.keys(servers).toSorted()).toEqual(['mine', 'theirs']);
    const found = identityProviderFromEntries(entries);
    expect(found.settings).toEqual(idp('https://idp.company.example'));
    expect(found.ignored.map(({ name, scope }) => [name, scope])).toEqual([['theirs', 'project']]);
  });

  it('a managed entry takes precedence over the user, and the user over the default of the company', async () => {
    const user = { 'home/user.json': entry(idp('https://idp.user.example'), 'user') };
    const company = { 'system/defaults.json': entry(idp('https://idp.default.example'), 'default') };
    const managed = { 'system/managed.json': entry(idp('https://idp.managed.example'), 'managed') };
    const issuerOf = async (files: object) =>
      identityProviderFromEntries((await load({ ...files })).entries).settings;
    expect(await issuerOf(company)).toMatchObject({ issuer: 'https://idp.default.example' });
    expect(await issuerOf({ ...company, ...user })).toMatchObject({ issuer: 'https://idp.user.example' });
    expect(await issuerOf({ ...company, ...user, ...managed })).toMatchObject({
      issuer: 'https://idp.managed.example',
    });
  });

  it('reports mistakes', async () => {
    const one = await load({ 'home/user.json': entry({ issuer: 'https://idp.example' }) });
    expect(() => identityProviderFromEntries(one.entries)).toThrow('oauth.identityProvider.clientId');
    const two = await load({
      'home/user.json': { ...entry(idp('https://a.example'), 'a'), ...entry(idp('https://b.example'), 'b') },
    });
    expect(() => identityProviderFromEntries(two.entries)).toThrow('different identity providers');
  });

  it('an entry cannot redirect the sign-in or the authorization server', async () => {
    const plugin = xaa({ identityProvider: idp('https://idp.company.example'), store: memoryStore() });
    const [config] = Object.values(entry(idp('https://idp.evil.example')));
    expect(plugin.create({ name: 'notes', config: { ...config } }, {})).toBeDefined();
    expect(plugin.identityProvider.issuer).toBe('https://idp.company.example');
    for (const member of ['authorizationUrl', 'tokenUrl', 'authServerMetadataUrl']) {
      const oauth = { xaa: true, [member]: 'https://as.evil.example/' };
      const create = () =>
        plugin.create({ name: 'notes', config: { url: 'https://mcp.example/', oauth } }, {});
      expect(create).toThrow(`oauth.${member}`);
    }
  });
});
