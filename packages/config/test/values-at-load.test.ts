import { describe, expect, it } from 'vitest';
import { createConfigEditor } from '../src/edit/config-editor.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { defineLayout } from '../src/layout/layout.js';
import type { LoadConfigOptions } from '../src/load/load-config.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { plugins } from './support/plugins.js';
import { answering, scratch, servers } from './support/scratch.js';

async function load(
  entry: Readonly<Record<string, unknown>>,
  options: Partial<LoadConfigOptions> = {},
): Promise<LoadedConfig> {
  const place = await scratch({ 'home/.claude.json': servers({ a: entry }) });
  return place.load({ layout: layouts.claude, plugins, ...options });
}

describe('a URL is judged when it is loaded, with the path of its field', () => {
  const url = 'https://x.example/mcp';
  it.each([
    [{ url: 'x.example/mcp' }, 'url'],
    [{ url: 'htp://x.example/mcp' }, 'url'],
    [{ type: 'ws', url: 'file:///x' }, 'url'],
    [{ url, oauth: { authorizationUrl: 'login' } }, 'oauth.authorizationUrl'],
    [{ url, oauth: { tokenUrl: '/token' } }, 'oauth.tokenUrl'],
    [{ url, oauth: { authServerMetadataUrl: 'file:///x' } }, 'oauth.authServerMetadataUrl'],
    [{ url, oauth: { issuer: 'x' } }, 'oauth.issuer'],
    [{ url, oauth: { redirectUri: 'x' } }, 'oauth.redirectUri'],
    [{ url, oauth: { identityProvider: { issuer: 'x' } } }, 'oauth.identityProvider.issuer'],
    [{ url, oauth: { allowedEndpointOrigins: [url, 'x'] } }, 'oauth.allowedEndpointOrigins[1]'],
    [{ url, oauth: { tokenUrl: '${T}' } }, 'oauth.tokenUrl'],
    [{ url, proxy: 'x' }, 'proxy'],
    [{ url, proxy: 'nonee' }, 'proxy'],
    [{ url, proxy: 'socks5://x.example' }, 'proxy'],
    [{ url, proxy: 'http://' }, 'proxy'],
  ])('%j', async (entry, path) => {
    const config = await load(entry, { env: { T: 'not a URL' } });
    expect(config.servers).toEqual({});
    expect(config.problems).toMatchObject([{ code: 'FIELD_INVALID', path, server: 'a' }]);
  });

  it.each([
    { url, proxy: 'env' },
    { url, proxy: 'none' },
    { url, proxy: 'http://proxy.example:3128' },
    { url, proxy: 'proxy.example:3128' },
    { url, proxy: 'localhost' },
    { url, proxy: '${P}' },
    { url, oauth: { authorizationUrl: 'http://127.0.0.1:9/a', tokenUrl: '${T}' } },
  ])('%j is valid', async (entry) => {
    const config = await load(entry, { env: { P: 'http://proxy.example', T: 'https://x.example/t' } });
    expect(config.problems).toEqual([]);
  });

  it('a WebSocket URL selects the transport of that protocol', async () => {
    expect((await load({ url: 'wss://x.example' })).servers['a']).toMatchObject({ type: 'ws' });
    expect((await load({ type: 'http', url: 'wss://x.example' })).servers['a']).toMatchObject({
      type: 'http',
    });
  });
});

describe('a variable in a name is refused, as names are not expanded', () => {
  it.each([
    [{ command: 'x', env: { '${N}': '1' } }, 'env["${N}"]'],
    [{ command: 'x', env: { 'A_${N:-b}': '1' } }, 'env["A_${N:-b}"]'],
    [{ command: 'x', env: { '${not a name}': '1' } }, 'env["${not a name}"]'],
    [{ url: 'https://x.example', headers: { 'X-${N}': '1' } }, 'headers["X-${N}"]'],
  ])('%j', async (entry, path) => {
    const config = await load(entry, { env: { N: 'n' } });
    expect(config.servers).toEqual({});
    expect(config.problems).toMatchObject([{ code: 'VARIABLE_REFUSED', path }]);
  });

  it('also where $NAME is one, and before the user is asked', async () => {
    const place = await scratch({
      'home/.gemini/settings.json': servers({ a: { command: 'x', env: { $N: '1' } } }),
      'project/.gemini/settings.json': servers({ b: { command: 'x', env: { '${N}': '1' } } }),
    });
    const approvals = answering('once');
    const config = await place.load({ layout: layouts.gemini, plugins, approvals });
    expect(config.problems.map(({ code }) => code)).toEqual(['VARIABLE_REFUSED', 'VARIABLE_REFUSED']);
    const plain = await load({ command: 'x', env: { $N: '1' } });
    expect(plain.servers['a']).toMatchObject({ env: { $N: '1' } });
  });
});

describe('what only a shell or another program understands', () => {
  it.each([
    [{ command: '~/bin/x' }, 'command'],
    [{ command: 'x', cwd: '~' }, 'cwd'],
  ])('%j is refused', async (entry, path) => {
    expect((await load(entry)).problems).toMatchObject([
      { code: 'FIELD_INVALID', path, hint: expect.stringContaining('${HOME}') as string },
    ]);
  });

  it('and is not written by an editor', async () => {
    const place = await scratch();
    const options = { layout: layouts.claude, cwd: place.project, home: place.home, confirm: () => true };
    const adding = createConfigEditor(options).addServer({
      name: 'a',
      scope: 'user',
      entry: { command: '~/x' },
    });
    await expect(adding).rejects.toMatchObject({ code: 'CONFIG_INVALID', details: { path: 'command' } });
  });

  it.each(['node /x/y.mjs', 'npx -y @scope/server', 'python3.12  ./x.py'])(
    'a command line in "command" is a warning: %s',
    async (command) => {
      const config = await load({ command });
      expect(config.problems).toMatchObject([
        { code: 'FIELD_SUSPICIOUS', path: 'command', hint: expect.stringContaining('"args"') as string },
      ]);
      expect(config.entries).toMatchObject([{ status: 'ready' }]);
    },
  );

  it.each(['/opt/my tools/x', './my tools/x', 'node', 'C:\\Program Files\\x.exe'])(
    '%s is a path',
    async (command) => {
      expect((await load({ command })).problems).toEqual([]);
    },
  );

  it.each([
    ['${workspaceRoot}/x', /editor/, /\$\{workspaceFolder\}/],
    ['${userHome}/x', /editor/, /\$\{HOME\}/],
    ['${env:TOKEN}', /not a variable name/, /another program/],
    ['${config:key}', /not a variable name/, /another program/],
  ])('%s is not called an environment variable', async (text, message, hint) => {
    const [found] = (await load({ command: 'x', args: [text] })).problems;
    expect(found).toMatchObject({ severity: 'error', path: 'args[0]' });
    expect(found?.message).toMatch(message);
    expect(found?.message).not.toContain('environment variable');
    expect(found?.hint).toMatch(hint);
  });

  it('an environment variable of that name is used', async () => {
    const config = await load({ command: 'x', args: ['${userHome}'] }, { env: { userHome: '/w' } });
    expect(config.servers['a']).toMatchObject({ args: ['/w'] });
  });
});

describe('a variable that is not set', () => {
  const entry = { command: 'x', args: ['--token=${TOKEN}', '${OTHER:-o}'] };

  it('is kept as it is written, with a warning, if the host asks for that', async () => {
    const config = await load(entry, { missingVariables: 'keep' });
    expect(config.servers['a']).toMatchObject({ args: ['--token=${TOKEN}', 'o'] });
    expect(config.problems).toMatchObject([
      { code: 'VARIABLE_MISSING', severity: 'warning', path: 'args[0]' },
    ]);
  });

  it('another value of the option is refused', async () => {
    const options = JSON.parse('{"missingVariables":"kept"}') as object;
    await expect(load(entry, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const variables = JSON.parse('{"missing":"kept"}') as object;
    const layout = { name: 'x', sources: [], variables };
    expect(() => defineLayout(layout)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('fields of the host', () => {
  const fields = { connectTimeout: 5000, discoveryTimeout: 5000, idleMs: 0, lazy: true, delivery: 'retry' };

  it('are known, and passed on', async () => {
    const config = await load({ command: 'x', ...fields });
    expect(config).toMatchObject({ servers: { a: fields }, problems: [] });
  });

  it('do not change the identity', async () => {
    const { identities } = await load({ command: 'x', ...fields });
    expect(identities).toEqual((await load({ command: 'x' })).identities);
  });

  it.each([
    { connectTimeout: 0 },
    { discoveryTimeout: '5s' },
    { idleMs: -1 },
    { lazy: 'yes' },
    { delivery: 'always' },
  ])('%j is invalid', async (field) => {
    const config = await load({ command: 'x', ...field });
    expect(config.problems).toMatchObject([{ code: 'FIELD_INVALID', path: Object.keys(field)[0] }]);
  });
});

describe('words for the sign-in of Google', () => {
  it.each([
    ['google', 'google_credentials'],
    ['sa-impersonation', 'service_account_impersonation'],
    ['google_credentials', 'google_credentials'],
    ['dynamic_discovery', 'dynamic_discovery'],
  ])('%s is %s', async (authProviderType, expected) => {
    const config = await load({ url: 'https://x.example', authProviderType });
    expect(config).toMatchObject({ servers: { a: { authProviderType: expected } }, problems: [] });
  });
});
