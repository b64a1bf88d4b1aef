import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import type { InteropClient } from '../src/interop/clients/all-clients.js';
import { exportServers } from '../src/interop/export-servers.js';
import { importServers, type ImportedServer } from '../src/interop/import-servers.js';
import { moveSecretsToVariables } from '../src/entry/literal-secrets.js';
import { scratch } from './support/scratch.js';

const URL_OF = 'https://remote.example/mcp';

async function imported(
  from: InteropClient,
  entry: unknown,
  key = 'mcpServers',
): Promise<ImportedServer | undefined> {
  const text = JSON.stringify({ [key]: { s: entry } });
  const { imported: servers, failed } = await importServers({ from, text, home: '/home/me' });
  expect(failed).toEqual([]);
  return servers[0];
}

async function importRemote(
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  command = 'npx',
) {
  const entry = { command, args, ...(env && { env }) };
  return (await imported('claude-desktop', entry))?.remote;
}

describe('an mcp-remote command line becomes a remote entry', () => {
  it.each([
    ['npx', ['mcp-remote', URL_OF]],
    ['npx', ['-y', 'mcp-remote@0.1.37', URL_OF]],
    ['npx', ['--yes', 'mcp-remote@latest', URL_OF]],
    ['npx', ['-p', 'mcp-remote@latest', 'mcp-remote', URL_OF]],
    ['C:\\Program Files\\nodejs\\npx.cmd', ['-y', 'mcp-remote', URL_OF]],
    ['cmd', ['/c', 'npx', '-y', 'mcp-remote', URL_OF]],
    ['bunx', ['mcp-remote', URL_OF]],
    ['pnpm', ['dlx', 'mcp-remote', URL_OF]],
    ['/usr/local/bin/mcp-remote', [URL_OF]],
  ])('%s %j', async (command, args) => {
    const remote = await importRemote(args, undefined, command);
    expect(remote).toMatchObject({ entry: { type: 'http', url: URL_OF }, notes: [] });
    expect(remote?.summary).toContain(`url = "${URL_OF}"`);
  });

  it.each([
    ['npx', ['-y', 'some-server', '--upstream', 'mcp-remote']],
    ['npx', ['-y', '@modelcontextprotocol/server-filesystem', 'mcp-remote']],
    ['python', ['mcp-remote', URL_OF]],
    ['npx', ['-y', '@mcp-fittings/cli', 'bridge', URL_OF]],
    ['node', ['mcp-remote']],
  ])('%s %j is left as it is', async (command, args) => {
    expect(await importRemote(args, undefined, command)).toBeUndefined();
  });

  it('converts every option that an entry has a field for', async () => {
    const info = '{"client_id":"me","client_secret":"${SECRET}"}';
    const remote = await importRemote(
      [
        ['-y', 'mcp-remote@0.1.37', 'http://internal.example/sse', '3334'],
        ['--header', 'Authorization:${AUTH}', '--header', 'X-Org: acme', '--allow-http'],
        ['--transport', 'sse-only', '--host', '127.0.0.1', '--static-oauth-client-info', info],
        ['--static-oauth-client-metadata', '{"scope":"a b"}', '--ignore-tool', 'delete*', '--debug'],
      ].flat(),
    );
    expect(remote).toMatchObject({
      entry: {
        type: 'sse',
        url: 'http://internal.example/sse',
        headers: { Authorization: '${AUTH}', 'X-Org': 'acme' },
        oauth: {
          clientId: 'me',
          clientSecret: '$${SECRET}',
          scopes: ['a', 'b'],
          callbackPort: 3334,
          redirectUri: 'http://127.0.0.1:3334/oauth/callback',
        },
        deniedTools: ['delete*'],
      },
      notes: ['The connection is not encrypted.'],
    });
  });

  it.each([
    ['claude-desktop', 'mcpServers', '${AUTH}'],
    ['claude-code', 'mcpServers', '${AUTH}'],
    ['cursor', 'mcpServers', '${AUTH}'],
    ['cursor', 'mcpServers', '${env:AUTH}'],
    ['vscode', 'servers', '${AUTH}'],
    ['windsurf', 'mcpServers', '${AUTH}'],
    ['gemini', 'mcpServers', '$AUTH'],
    ['zed', 'context_servers', '${AUTH}'],
    ['mcporter', 'mcpServers', '${AUTH}'],
  ] as const)(
    '%s: a header with %s %s keeps the variable and does not write its value',
    async (from, key, text) => {
      const args = ['mcp-remote', URL_OF, '--header', `Authorization: Bearer ${text}`];
      const env = { AUTH: 'hunter2', OTHER: 'x' };
      const server = await imported(from, { command: 'npx', args, env }, key);
      expect(server?.remote).toMatchObject({
        entry: { headers: { Authorization: 'Bearer ${AUTH}' } },
        notes: [
          'Set AUTH in the environment: its value in "env" was not imported, because it may be a secret.',
          '"env.OTHER" has no meaning for a remote server and was removed.',
        ],
      });
      expect(JSON.stringify(server?.remote)).not.toContain('hunter2');
      // The local entry still passes the same values to mcp-remote.
      expect(server?.entry).toMatchObject({ command: 'npx', env: { AUTH: 'hunter2' } });
    },
  );

  it('resolves a variable that the entry sets from another one', async () => {
    const args = ['mcp-remote', URL_OF, '--header', 'Authorization:${AUTH}'];
    const server = await imported('claude-code', { command: 'npx', args, env: { AUTH: 'Bearer ${MINE}' } });
    expect(server?.remote).toMatchObject({
      entry: { headers: { Authorization: 'Bearer ${MINE}' } },
      notes: [],
    });
  });

  it.each([
    [['mcp-remote'], 'has no URL'],
    [['mcp-remote', URL_OF, '--static-oauth-client-info', '@/x.json'], 'is not a JSON object'],
    [['mcp-remote', URL_OF, 'port'], 'not a valid port'],
    [['mcp-remote', URL_OF, '--new-option'], 'is not supported'],
  ])('does not convert %j and says why', async (args, reason) => {
    const remote = await importRemote(args);
    expect(remote).toMatchObject({ entry: undefined, notes: [expect.stringContaining(reason)] });
  });
});

describe('export to a client that does not support a transport', () => {
  const servers: Record<string, ServerConfig> = {
    web: {
      type: 'http',
      url: URL_OF,
      headers: { 'X-Key': '${KEY}', 'X-Org': 'acme' },
      oauth: { clientId: 'c', scopes: ['a', 'b'], account: '${TEAM}@work', callbackPort: 3334 },
    },
    old: { type: 'sse', url: 'https://old.example/sse' },
    socket: { type: 'ws', url: 'wss://x.example/mcp' },
    local: { type: 'http', url: 'unix:///run/a.sock#/mcp' },
    plain: { type: 'http', url: 'https://${HOST}/mcp' },
  };

  it('writes the options of the bridge, and variables as text that the bridge expands', () => {
    const { text, failed } = exportServers({ to: 'claude-desktop', servers });
    const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, { args: string[] }> };
    const written = Object.entries(mcpServers).map(([name, { args }]) => [name, args.slice(3).join(' ')]);
    expect(failed).toEqual([]);
    expect(Object.fromEntries(written)).toEqual({
      web: `${URL_OF} --header X-Key: \${KEY} --header X-Org: acme --client-id c --oauth-scope a --oauth-scope b --account \${TEAM}@work --port 3334`,
      old: 'https://old.example/sse --type sse',
      socket: 'wss://x.example/mcp --type ws',
      local: 'unix:///run/a.sock#/mcp',
      plain: 'https://${HOST}/mcp',
    });
  });

  it('writes no secrets, and names a field that a bridge has no option for', () => {
    const { text, exported } = exportServers({
      to: 'claude-desktop',
      servers: {
        api: {
          url: 'https://u:pa55word@x.example/mcp?api_key=qq11qq',
          apiKey: 'hunter2',
          headers: { Cookie: 'sid=hunter3', 'X-Plain': 'ghp_0123456789abcdefghij' },
          oauth: { clientId: 'c', clientSecret: 'hunter4' },
          proxy: 'http://proxy.example',
        },
      },
    });
    for (const secret of ['pa55word', 'qq11qq', 'hunter2', 'hunter3', 'hunter4', 'ghp_'])
      expect(text).not.toContain(secret);
    expect(text).toContain('Authorization: Bearer ${API_AUTHORIZATION}');
    const losses = exported[0]?.losses.join('\n');
    expect(losses).toContain('"proxy" was removed, because a bridge');
    expect(losses).toContain('"oauth.clientSecret" was removed, because');
    expect(losses).toContain('API_AUTHORIZATION');
  });

  it('Codex passes on the variables that the bridge needs', () => {
    const { text } = exportServers({
      to: 'codex',
      servers: { s: { type: 'sse', url: URL_OF, headers: { A: '${KEY}' } } },
    });
    expect(text).toContain('env_vars = [ "KEY" ]');
  });
});

describe('mcporter', () => {
  it('reads baseUrl, both forms of a variable, and a command line', async () => {
    const text = await readFile(new URL('fixtures/clients/mcporter.json', import.meta.url), 'utf8');
    const { imported: servers, failed } = await importServers({ from: 'mcporter', text, home: '/home/me' });
    expect(Object.fromEntries(servers.map(({ name, entry }) => [name, entry]))).toEqual({
      linear: {
        type: 'http',
        url: 'https://mcp.linear.app/mcp',
        headers: { Authorization: 'Bearer ${LINEAR_API_KEY}', 'X-Team': '${LINEAR_TEAM}' },
        description: 'Linear issues',
      },
      'one-line': {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'chrome devtools', '--flag=a b'],
        cwd: '/home/me/work',
      },
      list: {
        type: 'stdio',
        command: 'uvx',
        args: ['server'],
        env: { LEVEL: '${LEVEL:-info}', RAW: 'cost $env:X' },
      },
      snake: {
        type: 'http',
        url: 'https://snake.example/mcp',
        headers: { Authorization: '${SNAKE_TOKEN}' },
        oauth: { clientId: 'me', clientSecret: '${SECRET}', scopes: ['read', 'write'] },
        deniedTools: ['drop'],
        enabledTools: ['x'],
      },
    });
    expect(servers.flatMap(({ notes }) => notes)).toEqual([
      '"lifecycle" has no equivalent here and was removed.',
    ]);
    expect(failed).toMatchObject([{ name: 'empty' }]);
  });

  it.each([
    [String.raw`run "a b" 'c "d'`, ['run', 'a b', 'c "d']],
    [String.raw`run a\ b \"c`, ['run', 'a b', '"c']],
    ['run end\\', ['run', 'end\\']],
  ])('splits the command line %s', async (line, [command, ...args]) => {
    const text = JSON.stringify({ mcpServers: { one: { command: line } } });
    const { imported } = await importServers({ from: 'mcporter', text, home: '/home/me' });
    expect(imported).toMatchObject([{ entry: { command, args } }]);
  });

  it('reads its files in the home directory, and in a project if asked to', async () => {
    const place = await scratch({
      'home/.mcporter/mcporter.json': { mcpServers: { mine: { baseUrl: URL_OF } } },
      'project/config/mcporter.json': { mcpServers: { theirs: { command: 'x y' } } },
    });
    const where = { from: 'mcporter', home: place.home, project: place.project } as const;
    expect((await importServers(where)).imported).toMatchObject([{ name: 'mine', origin: 'user' }]);
    expect((await importServers({ ...where, projectFiles: true })).imported).toMatchObject([
      { name: 'theirs', origin: 'project', entry: { command: 'x', args: ['y'] } },
    ]);
  });

  it('writes entries in mcporter’s format', () => {
    const { text } = exportServers({
      to: 'mcporter',
      servers: {
        web: {
          url: URL_OF,
          headers: { A: '${B}' },
          oauth: { clientId: 'c', scopes: ['a', 'b'] },
          deniedTools: ['x'],
        },
      },
    });
    expect(JSON.parse(text)).toEqual({
      mcpServers: {
        web: {
          baseUrl: URL_OF,
          headers: { A: '${B}' },
          auth: 'oauth',
          oauthClientId: 'c',
          oauthScope: 'a b',
          blockedTools: ['x'],
        },
      },
    });
  });
});

describe('literal secrets of an entry', () => {
  it.each([
    [
      { env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_x' } },
      { env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${GITHUB_PERSONAL_ACCESS_TOKEN}' } },
    ],
    [{ env: { PLAIN: 'sk-0123456789abcdef01' } }, { env: { PLAIN: '${PLAIN}' } }],
    [{ env: { DSN: 'postgres://me:pw@db/x' } }, { env: { DSN: 'postgres://me:${DSN_PASSWORD}@db/x' } }],
    [
      { headers: { Authorization: 'Bearer abc' } },
      { headers: { Authorization: 'Bearer ${S_AUTHORIZATION}' } },
    ],
    [{ headers: { 'X-Api-Key': 'abc' } }, { headers: { 'X-Api-Key': '${S_X_API_KEY}' } }],
    [
      { args: ['--api-key', 'abc', '--token=def'] },
      { args: ['--api-key', '${S_API_KEY}', '--token=${S_TOKEN}'] },
    ],
    [
      { args: ['--header', 'Authorization: Bearer abc'] },
      { args: ['--header', 'Authorization: Bearer ${S_AUTHORIZATION}'] },
    ],
    [{ url: 'https://x.example/mcp?token=abc&a=b' }, { url: 'https://x.example/mcp?token=${S_TOKEN}&a=b' }],
    [{ apiKey: 'abc' }, { apiKey: '${S_API_KEY}' }],
    [{ oauth: { clientSecret: 'abc' } }, { oauth: { clientSecret: '${S_CLIENT_SECRET}' } }],
  ])('%j', (entry: ServerConfig, expected) => {
    const { entry: without, variables } = moveSecretsToVariables('s', entry);
    expect(without).toEqual(expected);
    expect(variables.length).toBeGreaterThan(0);
    expect(moveSecretsToVariables('server', without).variables).toEqual([]);
  });

  it.each([
    [{ env: { TOKEN: '${TOKEN}', AUTHOR: 'me', MAX_TOKENS: '100', KEY_FILE: '/x', TOKEN_URL: 'https://x' } }],
    [{ args: ['--header', 'Authorization: ${X}', '$${AUTH}', '--flag', 'value'] }],
    [{ headers: { 'X-Org': 'acme' }, url: 'https://x.example/mcp?page=2' }],
  ])('finds nothing in %j', (entry: ServerConfig) => {
    expect(moveSecretsToVariables('server', entry).variables).toEqual([]);
  });
});
