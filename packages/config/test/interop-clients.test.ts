import { readFile, symlink } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import type { InteropClient } from '../src/interop/clients/all-clients.js';
import { exportServers } from '../src/interop/export-servers.js';
import { importServers, type ImportResult } from '../src/interop/import-servers.js';
import { hasLinks, scratch } from './support/scratch.js';

const fixture = (name: string): Promise<string> =>
  readFile(new URL(`fixtures/clients/${name}`, import.meta.url), 'utf8');
const entries = (result: ImportResult): Record<string, ServerConfig> =>
  Object.fromEntries(result.imported.map(({ name, entry }) => [name, entry]));
const notes = (result: ImportResult): Record<string, readonly string[]> =>
  Object.fromEntries(
    result.imported.filter((server) => server.notes.length > 0).map((server) => [server.name, server.notes]),
  );
const read = async (from: InteropClient, file: string): Promise<ImportResult> =>
  importServers({ from, text: await fixture(file), home: '/home/me', project: '/work/app' });

const PROGRAMS = [
  'claude-code',
  'vscode',
  'cursor',
  'windsurf',
  'gemini',
  'codex',
  'opencode',
  'zed',
  'claude-desktop',
  'mcporter',
] as const;

describe('import: the documented format of each client', () => {
  it('Claude Desktop: local servers; variables are literal text', async () => {
    const result = await read('claude-desktop', 'claude-desktop.json');
    expect(entries(result)).toEqual({
      filesystem: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/someone/Desktop'],
      },
      'brave-search': {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-brave-search'],
        env: { BRAVE_API_KEY: 'an-api-key' },
      },
      'remote-bridge': {
        type: 'stdio',
        command: 'npx',
        args: ['mcp-remote', 'https://remote.example/mcp', '--header', 'Authorization:$${AUTH_HEADER}'],
        env: { AUTH_HEADER: 'Bearer something' },
      },
    });
    expect(notes(result)).toEqual({
      'remote-bridge': ['The name "remote bridge" was changed to "remote-bridge".'],
    });
    expect(result.imported.map(({ line }) => line)).toEqual([3, 7, 12]);
  });

  it('Claude Code: the same variables; reports fields without an equivalent', async () => {
    const result = await read('claude-code', 'claude-code.json');
    expect(entries(result)).toEqual({
      'api-server': {
        type: 'http',
        url: '${API_BASE_URL:-https://api.example.com}/mcp',
        headers: { Authorization: 'Bearer ${API_KEY}' },
        oauth: { clientId: 'my-client', callbackPort: 8080 },
      },
      database: {
        type: 'stdio',
        command: 'db-server',
        args: ['--readonly'],
        env: { DSN: '${DSN}' },
        timeout: 60_000,
      },
      'with-helper': { type: 'http', url: 'https://internal.example/mcp' },
    });
    expect(notes(result)).toEqual({
      'with-helper': [
        '"headersHelper" has no equivalent here and was removed. Set the headers in "headers", with a variable for what changes.',
      ],
    });
  });

  it('VS Code: servers, inputs and the editor’s variables', async () => {
    const result = await read('vscode', 'vscode.json');
    expect(entries(result)).toEqual({
      perplexity: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'server-perplexity-ask', '/work/app/data'],
        env: { PERPLEXITY_API_KEY: '${PERPLEXITY_KEY}', HOME_COPY: '/home/me' },
      },
      github: {
        type: 'http',
        url: 'https://api.githubcopilot.com/mcp',
        headers: { 'X-Token': '${GH_TOKEN}' },
      },
      local: { type: 'http', url: 'unix:///run/user/1000/server.sock#/mcp' },
      piped: { type: 'http', url: 'pipe:///pipe/server' },
      legacy: { type: 'sse', url: 'https://legacy.example/sse' },
    });
    expect(notes(result)).toEqual({
      perplexity: [
        '"${workspaceFolder}" was replaced by "/work/app", so the entry works only for this folder.',
        'The input "perplexity-key" was replaced by the variable PERPLEXITY_KEY: set it before the server starts.',
        '"envFile" has no equivalent here and was removed. Set the variables in "env".',
        '"dev" has no equivalent here and was removed.',
      ],
    });
    expect(result.failed).toEqual([
      {
        name: 'uses-setting',
        reason: 'It uses "${config:some.setting}", which has no equivalent here.',
        file: 'VS Code configuration',
        line: 23,
      },
    ]);
  });

  it('Cursor: variables of the editor, static OAuth credentials', async () => {
    const result = await read('cursor', 'cursor.json');
    expect(entries(result)).toEqual({
      local: {
        type: 'stdio',
        command: '/home/me/bin/server',
        args: ['--root', '/work/app'],
        env: { API_KEY: '${API_KEY}' },
      },
      remote: {
        type: 'http',
        url: 'https://api.example.com/mcp',
        headers: { Authorization: 'Bearer ${MY_TOKEN}' },
      },
      oauth: {
        type: 'http',
        url: 'https://oauth.example.com/mcp',
        oauth: { clientId: '${CLIENT_ID}', clientSecret: '${CLIENT_SECRET}', scopes: ['read', 'write'] },
      },
    });
    expect(result.failed).toEqual([]);
    const without = await importServers({
      from: 'cursor',
      text: await fixture('cursor.json'),
      home: '/home/me',
    });
    expect(without.failed).toMatchObject([
      { name: 'local', reason: expect.stringContaining('${workspaceFolder}') as string },
    ]);
  });

  it('Windsurf: serverUrl, disabled tools', async () => {
    expect(entries(await read('windsurf', 'windsurf.json'))).toEqual({
      github: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' },
      },
      'remote-http-mcp': {
        type: 'http',
        url: 'https://remote.example/mcp',
        headers: { API_KEY: 'Bearer ${AUTH_TOKEN}' },
        disabled: true,
        deniedTools: ['delete_all'],
      },
    });
  });

  it('Gemini CLI: $NAME, both fields for a URL, and a filter that does not become a permission', async () => {
    const result = await read('gemini', 'gemini.json');
    expect(entries(result)).toEqual({
      pythonTools: {
        type: 'stdio',
        command: 'python',
        args: ['-m', 'my_mcp_server', '--port', '8080'],
        cwd: './mcp-servers/python',
        env: {
          DATABASE_URL: '${DB_CONNECTION_STRING}',
          API_KEY: '${EXTERNAL_API_KEY}',
          MODE: '${MODE:-fast}',
        },
        timeout: 15_000,
      },
      httpServer: { type: 'http', url: 'https://api.example.com/mcp', timeout: 5000, deniedTools: ['wipe'] },
      sseServer: { type: 'http', url: 'https://api.example.com/sse', enabledTools: ['safe_tool'] },
      cloudRun: {
        type: 'http',
        url: 'https://service-1234.a.run.app/mcp',
        authProviderType: 'service_account_impersonation',
        targetAudience: '1234-abc.apps.googleusercontent.com',
        targetServiceAccount: 'robot@project.iam.gserviceaccount.com',
      },
    });
    expect(Object.keys(notes(result))).toEqual(['pythonTools']);
  });

  it('Codex CLI: TOML, variables in fields of their own, seconds', async () => {
    const result = await read('codex', 'codex.toml');
    expect(entries(result)).toEqual({
      context7: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        env: { LOCAL_TOKEN: '${LOCAL_TOKEN}', MY_ENV_VAR: 'my value $${not a variable}' },
      },
      figma: {
        type: 'http',
        url: 'https://mcp.figma.com/mcp',
        headers: {
          Authorization: 'Bearer ${FIGMA_OAUTH_TOKEN}',
          'X-Figma-Region': 'us-east-1',
          'X-Team': '${FIGMA_TEAM}',
        },
      },
      chrome_devtools: {
        type: 'http',
        url: 'http://localhost:3000/mcp',
        disabled: true,
        timeout: 45_500,
        connectTimeout: 20_000,
        deniedTools: ['close'],
        enabledTools: ['open', 'screenshot'],
      },
    });
    expect(Object.keys(notes(result))).toEqual([]);
  });

  it('opencode, both versions: one list for the command, {env:NAME}', async () => {
    const result = await read('opencode', 'opencode.jsonc');
    expect(entries(result)).toEqual({
      everything: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-everything'],
        cwd: '.',
        env: { LOG_LEVEL: 'debug', KEY: '${MY_KEY}' },
        disabled: true,
      },
      remote: {
        type: 'http',
        url: 'https://mcp.example/mcp',
        headers: { Authorization: 'Bearer ${API_KEY}' },
        timeout: 5000,
      },
    });
    expect(result.failed).toMatchObject([
      { name: 'from-file', reason: expect.stringContaining('{file:~/.secrets/key}') as string, line: 19 },
    ]);
    expect(entries(await read('opencode', 'opencode-v1.json'))).toEqual({
      'local-server': {
        type: 'stdio',
        command: 'bun',
        args: ['x', 'my-mcp-command'],
        disabled: true,
        env: { A: '1' },
      },
      sentry: { type: 'http', url: 'https://mcp.sentry.example/mcp', oauth: {} },
    });
  });

  it('Zed: both forms of a command; extensions contain their own', async () => {
    const result = await read('zed', 'zed.json');
    expect(entries(result)).toEqual({
      'local-mcp-server': { type: 'stdio', command: 'some-command', args: ['arg-1', 'arg-2'], env: {} },
      'remote-mcp-server': {
        type: 'http',
        url: 'https://mcp.example/mcp',
        headers: { Authorization: 'Bearer <token>' },
      },
      older: { type: 'stdio', command: 'older-command', args: ['--flag'], env: { K: 'v' }, disabled: true },
    });
    expect(result.failed).toMatchObject([
      { name: 'mcp-server-extension', reason: expect.stringContaining('extension') as string },
    ]);
  });
});

describe('import: files', () => {
  // What the other systems' paths are is told by the end of each, which Windows writes in its own way.
  it.runIf(process.platform !== 'win32').each([
    ['linux', '.config/Claude/claude_desktop_config.json'],
    ['darwin', 'Library/Application Support/Claude/claude_desktop_config.json'],
  ] as const)('finds Claude Desktop on %s', async (platform, path) => {
    const place = await scratch({ [`home/${path}`]: await fixture('claude-desktop.json') });
    const result = await importServers({ from: 'claude-desktop', home: place.home, platform });
    expect(result.files).toEqual([place.path(`home/${path}`)]);
    expect(result.imported).toHaveLength(3);
  });

  it('reads files of the project only if asked to, and never together with the user’s', async () => {
    const place = await scratch({
      'project/.cursor/mcp.json': '{"mcpServers":{"a":{"command":"project"}}}',
      'home/.cursor/mcp.json': '{"mcpServers":{"a":{"command":"home"},"b":{"command":"home"}}}',
    });
    const options = { from: 'cursor', home: place.home, project: place.project } as const;
    const own = await importServers(options);
    expect(entries(own)).toMatchObject({ a: { command: 'home' }, b: { command: 'home' } });
    expect(own.files).toEqual([place.path('home/.cursor/mcp.json')]);
    expect(own.imported.map(({ origin }) => origin)).toEqual(['user', 'user']);
    const brought = await importServers({ ...options, projectFiles: true });
    expect(entries(brought)).toEqual({ a: { type: 'stdio', command: 'project' } });
    expect(brought.imported.map(({ origin }) => origin)).toEqual(['project']);
    const none = await importServers({ from: 'cursor', home: place.home, projectFiles: true });
    expect(none.files).toEqual([]);
  });

  it.each([
    ['claude-code', '.mcp.json', '{"mcpServers":{"a":{"command":"evil"}}}'],
    ['codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "evil"\n'],
    ['cursor', '.cursor/mcp.json', '{"mcpServers":{"a":{"command":"evil"}}}'],
    ['gemini', '.gemini/settings.json', '{"mcpServers":{"a":{"command":"evil"}}}'],
    ['opencode', 'opencode.json', '{"mcp":{"a":{"type":"local","command":["evil"]}}}'],
    ['vscode', '.vscode/mcp.json', '{"servers":{"a":{"command":"evil"}}}'],
    ['zed', '.zed/settings.json', '{"context_servers":{"a":{"command":"evil"}}}'],
  ] as const)(
    '%s: the %s of a clone has the origin project, even if it is named',
    async (from, file, text) => {
      const place = await scratch({ [`project/${file}`]: text });
      const options = { from, home: place.home, project: place.project };
      expect(await importServers(options)).toMatchObject({ imported: [], failed: [], files: [] });
      expect((await importServers({ ...options, projectFiles: true })).imported).toMatchObject([
        { name: 'a', origin: 'project', file: place.path(`project/${file}`) },
      ]);
      const named = await importServers({ ...options, file: place.path(`project/${file}`) });
      expect(named.imported).toMatchObject([{ name: 'a', origin: 'project' }]);
      if (!hasLinks) return;
      await symlink(place.path(`project/${file}`), place.path('home/link'));
      const linked = await importServers({ ...options, file: place.path('home/link') });
      expect(linked.imported).toMatchObject([{ origin: 'project' }]);
    },
  );

  it.runIf(hasLinks)('refuses a project file that is a link out of the project', async () => {
    const place = await scratch({ 'home/secret.json': '{"mcpServers":{"a":{"command":"x"}}}' });
    await symlink(place.path('home/secret.json'), place.path('project/.mcp.json'));
    const result = await importServers({
      from: 'claude-code',
      home: place.home,
      project: place.project,
      projectFiles: true,
    });
    expect(result).toMatchObject({ imported: [], problems: [{ code: 'FILE_SYMLINK' }] });
  });

  it('ignores a home directory that a variable puts into the project', async () => {
    const place = await scratch({
      'project/.cursor/mcp.json': '{"mcpServers":{"evil":{"command":"evil"}}}',
    });
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', place.project);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { files } = await importServers({ from: 'cursor', project: place.project });
    expect(files).not.toContain(place.path('project/.cursor/mcp.json'));
  });

  it('does not expand the project folder in a file of the user', async () => {
    const place = await scratch({
      'home/.cursor/mcp.json': '{"mcpServers":{"a":{"command":"${workspaceFolder}/tool"}}}',
    });
    const result = await importServers({ from: 'cursor', home: place.home, project: place.project });
    expect(result.imported).toEqual([]);
    expect(result.failed).toMatchObject([
      { name: 'a', reason: expect.stringContaining('workspaceFolder') as string },
    ]);
  });

  it('removes and reports grants, whatever the client calls them', async () => {
    const grants = {
      trust: true,
      allowedTools: ['*'],
      autoApprove: ['*'],
      alwaysAllow: ['run'],
      readPermission: 'allow',
      permissions: { allow: ['*'] },
    };
    const text = JSON.stringify({ mcpServers: { a: { command: 'x', ...grants } } });
    for (const from of ['gemini', 'cursor', 'claude-code', 'windsurf', 'claude-desktop'] as const) {
      const { imported } = await importServers({ from, text });
      expect(imported[0]?.entry, from).toEqual({ type: 'stdio', command: 'x' });
      const told = imported[0]?.notes.join('\n') ?? '';
      for (const field of Object.keys(grants)) expect(told, from).toContain(`"${field}"`);
    }
  });

  it('shows the whole definition and its source, escaped and untruncated', async () => {
    const args = [
      '-y',
      'tool',
      '\u001b[2K\u009d hidden \u202e',
      'x'.repeat(12_000),
      '--config=https://evil.example',
    ];
    const place = await scratch({
      'home/.cursor/mcp.json': JSON.stringify({
        mcpServers: { a: { command: './npx', args, env: { LD_PRELOAD: '/x.so' } } },
      }),
    });
    const { imported } = await importServers({ from: 'cursor', home: place.home });
    const [server] = imported;
    expect(server?.definition).toEqual({ command: './npx', args, env: { LD_PRELOAD: '/x.so' } });
    expect(server?.summary).toMatch(/^[\x20-\x7e\n]*$/);
    for (const part of [
      place.path('home/.cursor/mcp.json'),
      String.raw`"\u{1b}[2K\u{9d} hidden \u{202e}"`,
      'x'.repeat(12_000),
      'evil.example',
      'env.LD_PRELOAD = "/x.so"',
      'Careful: It sets "LD_PRELOAD"',
    ]) {
      expect(server?.summary).toContain(part);
    }
    expect(server?.notes.join()).toContain('"command" is a relative path');
  });

  it('on Windows searches %APPDATA%, wherever it is, before the home directory', async () => {
    const place = await scratch();
    const { clientFilePaths } = await import('../src/interop/client-files.js');
    const { clientFormats } = await import('../src/interop/clients/all-clients.js');
    const at = async (appData: string | undefined, project?: string): Promise<readonly string[]> =>
      (
        await clientFilePaths(
          clientFormats['claude-desktop'],
          { home: 'C:\\Users\\me', project },
          { appData, platform: 'win32' },
        )
      ).map(({ path }) => path);
    const inHome = 'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json';
    expect(await at('D:\\profiles\\me')).toEqual([
      'D:\\profiles\\me\\Claude\\claude_desktop_config.json',
      inHome,
    ]);
    expect(await at('C:\\Users\\me\\AppData\\Roaming')).toEqual([inHome]);
    expect(await at('relative')).toEqual([inHome]);
    expect(await at(place.path('project/evil'), place.project)).toEqual([inHome]);
    vi.stubEnv('APPDATA', 'E:\\roaming');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await at(undefined))[0]).toBe('E:\\roaming\\Claude\\claude_desktop_config.json');
  });

  it('an unreadable file is a problem with its position, and nothing is thrown', async () => {
    const place = await scratch({
      'home/bad.json': '{ "mcpServers": { x } }',
      'home/bad.toml': 'a = 1\nb = \n',
    });
    const from = async (program: InteropClient, name: string) =>
      (await importServers({ from: program, file: place.path(name) })).problems;
    expect(await from('cursor', 'home/bad.json')).toMatchObject([{ code: 'JSON_SYNTAX', line: 1 }]);
    expect(await from('codex', 'home/bad.toml')).toMatchObject([{ code: 'JSON_SYNTAX', line: 2 }]);
    expect(await from('cursor', 'home/none.json')).toMatchObject([{ code: 'FILE_MISSING' }]);
    expect(await from('cursor', 'home')).toMatchObject([{ code: 'FILE_NOT_REGULAR' }]);
    expect((await importServers({ from: 'cursor', text: '{"mcpServers":[]}' })).problems).toMatchObject([
      { code: 'SHAPE_INVALID' },
    ]);
    expect((await importServers({ from: 'cursor', home: place.home })).problems).toEqual([]);
  });

  it('an invalid entry fails with its reason, and the others are imported', async () => {
    const text = String.raw`{"mcpServers":{"ok":{"command":"x"},"none":{},"list":[],"type":{"command":7},"twice":{"command":"a","command":"b"},"日本":{"command":"x"},"o k":{"command":"x"},"o/k":{"command":"x"},"__proto__":{"command":"x"}}}`;
    const result = await importServers({ from: 'cursor', text });
    expect(Object.keys(entries(result))).toEqual(['ok', 'o-k', 'proto']);
    expect(result.failed.map(({ name }) => name)).toEqual(['none', 'list', 'type', 'twice', '日本', 'o/k']);
    expect(result.failed.every(({ reason }) => reason.length > 10)).toBe(true);
    expect(({} as { command?: unknown }).command).toBeUndefined();
  });
});

describe('export reports what the client’s format cannot express', () => {
  const servers: Record<string, ServerConfig> = {
    local: {
      command: 'npx',
      args: ['-y', 'x'],
      env: { KEY: '${KEY}', MODE: 'a' },
      cwd: '/w',
      timeout: 1500,
      disabled: true,
    },
    remote: {
      url: 'https://x.example/${PART:-mcp}',
      apiKey: '${TOKEN}',
      oauth: { clientId: 'c', scopes: ['s'] },
    },
    plain: { command: 'y', deniedTools: ['z'] },
    socket: { type: 'ws', url: 'wss://x.example' },
    broken: { args: [] },
  };
  // A transport that the client does not support is reached through a bridge.
  const socket = {
    command: 'npx',
    args: ['-y', '@mcp-fittings/cli', 'bridge', 'wss://x.example', '--type', 'ws'],
  };
  const written = (to: InteropClient) => {
    const { text, exported, failed } = exportServers({ to, servers });
    const losses = Object.fromEntries(
      exported.map(({ name, losses: lost }) => [
        name,
        lost.map(
          (loss) => /"(\w+)"|variable/.exec(loss)?.[1] ?? (loss.includes('bridge') ? 'bridge' : 'default'),
        ),
      ]),
    );
    return {
      content: (to === 'codex' ? parse(text) : JSON.parse(text)) as unknown,
      losses,
      failed: failed.map(({ name }) => name),
    };
  };

  it('claude-desktop', () => {
    expect(written('claude-desktop')).toEqual({
      content: {
        mcpServers: {
          remote: {
            command: 'npx',
            args: [
              ['-y', '@mcp-fittings/cli', 'bridge', 'https://x.example/${PART:-mcp}'],
              ['--header', 'Authorization: Bearer ${TOKEN}', '--client-id', 'c', '--oauth-scope', 's'],
            ].flat(),
          },
          socket,
        },
      },
      losses: { remote: ['bridge', 'env'], socket: ['bridge'] },
      failed: ['local', 'plain', 'broken'],
    });
  });

  it('claude-code', () => {
    expect(written('claude-code')).toEqual({
      content: {
        mcpServers: {
          remote: {
            type: 'http',
            url: 'https://x.example/${PART:-mcp}',
            headers: { Authorization: 'Bearer ${TOKEN}' },
            oauth: { clientId: 'c', scopes: ['s'] },
          },
          socket: { type: 'ws', url: 'wss://x.example' },
        },
      },
      losses: { remote: [], socket: [] },
      failed: ['local', 'plain', 'broken'],
    });
  });

  it('a Unix socket, which VS Code connects to and others reach through a bridge', () => {
    const local = { local: { type: 'http', url: 'unix:///run/a.sock#/mcp' } };
    const { text } = exportServers({ to: 'vscode', servers: local });
    expect(JSON.parse(text)).toEqual({ servers: local });
    expect(JSON.parse(exportServers({ to: 'cursor', servers: local }).text)).toEqual({
      mcpServers: {
        local: { command: 'npx', args: ['-y', '@mcp-fittings/cli', 'bridge', 'unix:///run/a.sock#/mcp'] },
      },
    });
  });

  it('vscode', () => {
    expect(written('vscode')).toEqual({
      content: {
        servers: {
          remote: {
            type: 'http',
            url: 'https://x.example/${env:PART}',
            headers: { Authorization: 'Bearer ${env:TOKEN}' },
          },
          socket: { type: 'stdio', ...socket },
        },
      },
      losses: { remote: ['oauth', 'default'], socket: ['bridge'] },
      failed: ['local', 'plain', 'broken'],
    });
  });

  it('cursor', () => {
    expect(written('cursor').content).toEqual({
      mcpServers: {
        remote: {
          url: 'https://x.example/${env:PART}',
          headers: { Authorization: 'Bearer ${env:TOKEN}' },
          auth: { CLIENT_ID: 'c', scopes: ['s'] },
        },
        socket,
      },
    });
  });

  it('windsurf', () => {
    expect(written('windsurf').content).toEqual({
      mcpServers: {
        local: { command: 'npx', args: ['-y', 'x'], env: { KEY: '${env:KEY}', MODE: 'a' }, disabled: true },
        remote: {
          serverUrl: 'https://x.example/${env:PART}',
          headers: { Authorization: 'Bearer ${env:TOKEN}' },
        },
        plain: { command: 'y', disabledTools: ['z'] },
        socket,
      },
    });
  });

  it('gemini', () => {
    expect(written('gemini')).toMatchObject({
      content: {
        mcpServers: {
          remote: { httpUrl: 'https://x.example/${PART:-mcp}', oauth: { clientId: 'c' } },
          plain: { command: 'y', excludeTools: ['z'] },
        },
      },
      losses: { remote: [], plain: [], socket: ['bridge'] },
      failed: ['local', 'broken'],
    });
  });

  it('codex', () => {
    const { content, failed, losses } = written('codex');
    expect(content).toEqual({
      mcp_servers: {
        local: {
          command: 'npx',
          args: ['-y', 'x'],
          env: { MODE: 'a' },
          env_vars: ['KEY'],
          cwd: '/w',
          tool_timeout_sec: 1.5,
          enabled: false,
        },
        plain: { command: 'y', disabled_tools: ['z'] },
        socket,
      },
    });
    expect(failed).toEqual(['remote', 'broken']);
    expect(losses).toEqual({ local: [], plain: [], socket: ['bridge'] });
    const bearer = exportServers({
      to: 'codex',
      servers: { r: { url: 'https://x.example', apiKey: '${TOKEN}', headers: { a: '${A}', b: 'c' } } },
    });
    expect(parse(bearer.text)).toEqual({
      mcp_servers: {
        r: {
          url: 'https://x.example',
          bearer_token_env_var: 'TOKEN',
          env_http_headers: { a: 'A' },
          http_headers: { b: 'c' },
        },
      },
    });
  });

  it('opencode', () => {
    expect(written('opencode').content).toEqual({
      mcp: {
        servers: {
          local: {
            type: 'local',
            command: ['npx', '-y', 'x'],
            environment: { KEY: '{env:KEY}', MODE: 'a' },
            cwd: '/w',
            timeout: 1500,
            disabled: true,
          },
          remote: {
            type: 'remote',
            url: 'https://x.example/{env:PART}',
            headers: { Authorization: 'Bearer {env:TOKEN}' },
            oauth: { clientId: 'c', scopes: ['s'] },
          },
          socket: { type: 'local', command: [socket.command, ...socket.args] },
        },
      },
    });
  });

  it('zed', () => {
    expect(written('zed')).toEqual({
      content: { context_servers: { socket } },
      losses: { socket: ['bridge'] },
      failed: ['local', 'remote', 'plain', 'broken'],
    });
  });

  it.each([
    ['vscode', '${workspaceFolder}/x', 0],
    ['cursor', '${workspaceFolder}/x', 0],
    ['claude-code', '${PWD}/x', 1],
    ['gemini', '${PWD}/x', 1],
  ] as const)('writes the root of the project as %s does', (to, arg, losses) => {
    const server = { type: 'stdio', command: 'x', args: ['${workspaceFolder}/x'] };
    const { text, exported } = exportServers({ to, servers: { s: server } });
    expect(text).toContain(JSON.stringify(arg));
    expect(exported[0]?.losses).toHaveLength(losses);
  });

  it('keeps a literal brace if the client has no variables, and reports a loss if it has', () => {
    const literal = { s: { command: 'x', args: ['$${A}'] } };
    const desktop = exportServers({ to: 'claude-desktop', servers: literal });
    expect(desktop).toMatchObject({
      exported: [{ losses: [] }],
      text: expect.stringContaining('"${A}"') as string,
    });
    expect(exportServers({ to: 'claude-code', servers: literal }).exported[0]?.losses).toHaveLength(1);
  });

  it.each(PROGRAMS)('%s: writes no server with an input', (to) => {
    const inputs = {
      remote: { url: 'https://x.example', headers: { Authorization: 'Bearer ${input:key}' } },
      socket: { url: 'wss://x.example', headers: { Authorization: 'Bearer ${input:key}' } },
      local: { command: 'x', env: { KEY: '${input:key}' } },
    };
    const { text, exported, failed } = exportServers({ to, servers: inputs });
    expect(exported).toEqual([]);
    expect(failed.map(({ name }) => name)).toEqual(['remote', 'socket', 'local']);
    expect(failed[0]?.reason).toContain('"headers.Authorization" asks for the input "key"');
    expect(text).not.toContain('input');
  });

  it('keeps everything else in an existing file', () => {
    const into =
      '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "old": { "command": "o" }\n  }\n}\n';
    const { text } = exportServers({ to: 'gemini', servers: { n: { command: 'x' } }, into });
    expect(text).toBe(into.replace('"o" }', '"o" },\n    "n": {\n      "command": "x"\n    }'));
    const toml = '# mine\n[mcp_servers.old]\ncommand = "o"\n';
    const codex = exportServers({ to: 'codex', servers: { n: { command: 'x' } }, into: toml });
    expect(codex.text.startsWith(toml)).toBe(true);
    expect(parse(codex.text)).toEqual({ mcp_servers: { old: { command: 'o' }, n: { command: 'x' } } });
    for (const bad of [
      { to: 'codex', into: toml, servers: { old: { command: 'x' } } },
      { to: 'codex', into: 'a = ', servers: {} },
      { to: 'codex', into: 'mcp_servers = { a = { command = "a" } }\n', servers: { n: { command: 'x' } } },
      { to: 'gemini', into: '{', servers: { n: { command: 'x' } } },
      { to: 'gemini', into: '{"mcpServers":[]}', servers: { n: { command: 'x' } } },
    ] as const) {
      expect(() => exportServers(bad)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });

  it.each(PROGRAMS)('%s: importing what was exported without loss restores it', async (program) => {
    const all: Record<string, ServerConfig> = {
      tool: { type: 'stdio', command: 'npx', args: ['-y', 'x', 'a b', '"quoted"'], env: { A: '1', B: 'ü' } },
      web: { type: 'http', url: 'https://x.example/mcp', headers: { 'X-Key': 'v' } },
      secret: { type: 'http', url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      own: { type: 'stdio', command: 'x', env: { TOKEN: '${TOKEN}' } },
    };
    const { text, exported } = exportServers({ to: program, servers: all });
    const back = entries(await importServers({ from: program, text }));
    const whole = exported.filter(({ losses }) => losses.length === 0).map(({ name }) => name);
    expect(whole).toContain('tool');
    // If the client does not distinguish http from sse, the import uses the one that we try first.
    for (const name of whole) expect(back[name]).toEqual(all[name]);
  });
});
