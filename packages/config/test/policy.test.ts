import { describe, expect, it } from 'vitest';
import { layouts } from '../src/layout/built-in-layouts.js';
import { commandMatches } from '../src/policy/match-rules.js';
import { isUrlRule, urlMatches } from '../src/policy/match-rules.js';
import type { ServerPolicy } from '../src/policy/policy.js';
import { answering, scratch, servers } from './support/scratch.js';

describe('URL rules', () => {
  it.each([
    ['evil.com', 'https://evil.com/mcp', true],
    ['evil.com', 'https://EVIL.com./mcp', true],
    ['evil.com', 'https://evil.com:443/mcp', true],
    ['evil.com', 'https://evil.com:8443/mcp', true],
    ['evil.com', 'wss://evil.com/ws', true],
    ['evil.com', 'https://good.com@evil.com/', true],
    ['evil.com', 'https://evil.com@good.com/', false],
    ['evil.com', 'https://evil.com%2egood.com/', false],
    ['evil.com', 'https://good.com/evil.com', false],
    ['evil.com', 'https://good.com/?u=https://evil.com', false],
    ['evil.com', 'https://notevil.com/', false],
    ['evil.com', 'https://evil.com.x/', false],
    ['evil.com', 'https://sub.evil.com/', false],
    ['evil.com', 'https://еvil.com/', false], // Cyrillic: another host
    ['evil.com', 'https://ｅｖｉｌ．ｃｏｍ/', true], // full width: the same host
    ['evil.com', 'https:\\\\evil.com\\mcp', true],
    ['evil.com', ' https://e\tvil.com/', true],
    ['*.evil.com', 'https://a.b.evil.com/', true],
    ['*.evil.com', 'https://evil.com/', false],
    ['*.evil.com', 'https://notevil.com/', false],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['127.0.0.1', 'http://0x7f.1/', true],
    ['[::1]', 'http://[0:0:0:0:0:0:0:1]:3000/', true],
    ['https://evil.com', 'http://evil.com/', true],
    ['https://evil.com/', 'https://evil.com/any/path', true],
    ['https://evil.com/mcp', 'https://evil.com/mcp/below?x#y', true],
    ['https://evil.com/mcp', 'https://evil.com//MCP', true],
    ['https://evil.com/mcp', 'https://evil.com/%6dcp', true],
    ['https://evil.com/mcp', 'https://evil.com/x/../mcp', true],
    ['https://evil.com/mcp', 'https://evil.com/x%2f..%2fmcp', true],
    ['https://evil.com/mcp', 'https://evil.com/%zz', true],
    ['https://evil.com/mcp', 'https://evil.com/mcpx', false],
    ['evil.com:8443', 'https://evil.com/', false],
    ['evil.com:443', 'https://evil.com/', true],
    ['evil.com', 'not a url', true],
    ['unix:///run/evil.sock', 'unix:///run/evil.sock#/mcp', true],
    ['unix:///run/evil.sock', 'unix:/run/x/../%65vil.sock', true],
    ['unix:///run', 'unix:///run/evil.sock', true],
    ['unix:///run/evil.sock', 'unix:///run/good.sock', false],
    ['unix:///run/evil.sock', 'https://evil.com/run/evil.sock', false],
    ['pipe:///pipe/evil', 'pipe:///pipe/EVIL#/mcp', true],
    ['localhost', 'unix:///run/evil.sock', false],
    ['*', 'unix:///run/evil.sock', true],
  ])('deny %j on %j: %j', (rule, url, denied) => {
    expect(urlMatches(rule, url, 'deny')).toBe(denied);
  });

  it.each([
    ['https://good.com/*', 'https://good.com/mcp', true],
    ['https://good.com/*', 'https://GOOD.com.:443/mcp', true],
    ['https://good.com/*', 'http://good.com/mcp', false],
    ['https://good.com/*', 'https://good.com:8443/mcp', false],
    ['https://good.com:*/*', 'https://good.com:8443/mcp', true],
    ['https://good.com:8443', 'https://good.com:8443/mcp', true],
    ['https://good.com/*', 'https://good.com.evil.com/mcp', false],
    ['https://good.com/*', 'https://good.com@evil.com/mcp', false],
    ['https://good.com/*', 'https://evil.com/https://good.com/', false],
    ['good.com', 'wss://good.com/mcp', true],
    ['*://good.com', 'wss://good.com/mcp', true],
    ['https://*.good.com/*', 'https://a.good.com/x', true],
    ['https://*.good.com/*', 'https://good.com/x', false],
    ['https://api-*.good.com/*', 'https://api-eu.good.com/x', true],
    ['https://api-*.good.com/*', 'https://api-eu.evil.com/.good.com/x', false],
    ['https://api-*.good.com/*', 'https://api-x.evil.good.com/x', false],
    ['https://good.com/mcp', 'https://good.com/mcp', true],
    ['https://good.com/mcp', 'https://good.com/mcp/x', false],
    ['https://good.com/mcp/*', 'https://good.com/mcp/../admin', false],
    ['https://good.com/mcp/*', 'https://good.com/mcp/..%2fadmin', false],
    ['https://good.com/mcp/*', 'https://good.com/mcp/%5c..%5cadmin', false],
    ['https://good.com/*', 'nonsense', false],
    ['unix:///run/mcp/*', 'unix:///run/mcp/good.sock#/mcp', true],
    ['unix:///run/mcp/*', 'unix:///run/mcp/%2e%2e/x.sock', false],
    ['unix:///run/mcp/*', 'unix:///run/other.sock', false],
    ['unix:///pipe/good', 'pipe:///pipe/good', false],
    ['http://localhost/*', 'unix:///run/good.sock#/mcp', false],
    ['*', 'https://any.example/', true],
  ])('allow %j on %j: %j', (rule, url, allowed) => {
    expect(urlMatches(rule, url, 'allow')).toBe(allowed);
  });

  it.each([
    '',
    'https://',
    'a b',
    'https://user@x.example',
    'https://x.example/?q',
    '*ü.example',
    'x:y:z',
    'https://[::1',
    'unix://',
    'unix:///run/a.sock#/mcp',
    'unix:///run/a.sock?q',
  ])('rejects the rule %j', (rule) => {
    expect(isUrlRule(rule)).toBe(false);
  });
});

describe('command rules', () => {
  it.each([
    [['npx', '-y', 'evil'], ['npx', '-y', 'evil'], 'deny', true],
    [['npx', '-y', 'evil'], ['/usr/bin/npx', '-y', 'evil', '--more'], 'deny', true],
    [['npx', '-y', 'evil'], ['NPX.cmd', '-y', 'evil'], 'deny', true],
    [['npx', '-y', 'evil*'], ['npx', '-y', 'evil@1.0'], 'deny', true],
    [['npx', '-y', 'evil'], ['npx', 'evil'], 'deny', false],
    [['bash'], ['/bin/bash', '-c', 'x'], 'deny', true],
    [['bash'], ['rebash'], 'deny', false],
    [['npx', '-y', 'good'], ['npx', '-y', 'good'], 'allow', true],
    [['npx', '-y', 'good'], ['npx', '-y', 'good', '-c', 'evil'], 'allow', false],
    [['npx', '-y', 'good'], ['./npx', '-y', 'good'], 'allow', false],
    [['npx', '-y', 'good'], ['npx', '-y'], 'allow', false],
    [['npx', '-y', 'good', '**'], ['npx', '-y', 'good', '/data'], 'allow', true],
    [['npx', '-y', '@corp/*'], ['npx', '-y', '@corp/tool'], 'allow', true],
    [['npx', '-y', '@corp/*'], ['npx', '-y', '@evil/tool'], 'allow', false],
  ] as const)('%j on %j, %s: %j', (rule, command, list, result) => {
    expect(commandMatches(rule, command, list)).toBe(result);
  });
});

describe('a policy of the host', () => {
  const files = {
    'home/.claude.json': servers({
      tool: { command: 'npx', args: ['-y', 'tool'] },
      web: { url: 'https://good.com/mcp' },
      bad: { url: '${TARGET}' },
    }),
    'project/.mcp.json': servers({ brought: { command: 'npx', args: ['-y', 'tool'] } }),
  };
  const names = async (
    policy: unknown,
    env = { TARGET: 'https://EVIL.com./x' },
  ): Promise<readonly string[]> => {
    const place = await scratch(files);
    const config = await place.load({
      layout: layouts.claude,
      policy: policy as ServerPolicy,
      env,
      approvals: answering('once'),
    });
    return Object.keys(config.servers);
  };

  it('permits everything without a policy', async () => {
    expect(await names(undefined)).toEqual(['tool', 'web', 'bad', 'brought']);
    expect(await names({})).toEqual(['tool', 'web', 'bad', 'brought']);
  });

  it('checks the deny list after variables are expanded', async () => {
    expect(await names({ deny: [{ serverUrl: 'evil.com' }] })).toEqual(['tool', 'web', 'brought']);
    expect(await names({ deny: [{ serverName: 'tool' }, { serverCommand: ['npx', '-y', 'tool'] }] })).toEqual(
      ['web', 'bad'],
    );
  });

  it('an allow list permits nothing else, and names do not match once there is a rule of the kind', async () => {
    expect(await names({ allow: [] })).toEqual([]);
    expect(await names({ allow: [{ serverName: 'tool' }, { serverName: 'bad' }] })).toEqual(['tool', 'bad']);
    expect(
      await names({
        allow: [{ serverName: 'tool' }, { serverCommand: ['npx', '-y', 'other'] }, { serverName: 'web' }],
      }),
    ).toEqual(['web']);
    expect(await names({ allow: [{ serverName: 'bad' }, { serverUrl: 'https://good.com/*' }] })).toEqual([
      'web',
    ]);
    expect(
      await names({ allow: [{ serverCommand: ['npx', '-y', 'tool'] }], deny: [{ serverName: 'tool' }] }),
    ).toEqual(['brought']);
  });

  it('a rule for the URL does not permit the program, or the reverse', async () => {
    const both = { type: 'stdio', command: 'evil', url: 'https://good.com/mcp' };
    const place = await scratch({
      'home/.claude.json': servers({ both, named: { type: 'sdk', name: 'x' } }),
    });
    const allowed = async (...allow: NonNullable<ServerPolicy['allow']>): Promise<readonly string[]> =>
      Object.keys((await place.load({ layout: layouts.claude, policy: { allow } })).servers);
    expect(await allowed({ serverUrl: 'https://good.com/*' })).toEqual([]);
    expect(await allowed({ serverCommand: ['evil'] })).toEqual([]);
    expect(await allowed({ serverCommand: ['evil'] }, { serverUrl: 'https://good.com/*' })).toEqual(['both']);
    expect(await allowed({ serverName: 'both' }, { serverName: 'named' })).toEqual(['both', 'named']);
    expect(await allowed({ serverName: 'both' }, { serverUrl: 'https://other.com' })).toEqual([]);
  });

  it('`exclusive` permits only servers of the administrator', async () => {
    expect(await names({ exclusive: true })).toEqual([]);
  });

  it.each([
    ['an unknown key', { denied: [] }],
    ['a rule with two kinds', { deny: [{ serverName: 'a', serverUrl: 'b' }] }],
    ['a rule of an unknown kind', { allow: [{ name: 'x' }] }],
    ['an invalid URL', { deny: [{ serverUrl: 'https://' }] }],
    ['a list that is not an array', { deny: { serverName: 'x' } }],
    ['a string', 'allow everything'],
  ])('fails closed on %s', async (_, policy) => {
    const place = await scratch(files);
    const config = await place.load({
      layout: layouts.claude,
      policy: policy as ServerPolicy,
      approvals: answering('once'),
    });
    expect(config.servers).toEqual({});
    expect(config.problems[0]).toMatchObject({ code: 'POLICY_INVALID' });
    expect(config.entries.every(({ status }) => status === 'denied')).toBe(true);
  });

  it('does not ask about a denied server', async () => {
    const place = await scratch(files);
    const approvals = answering('once', { approve: () => expect.fail('no question is asked') });
    const config = await place.load({
      layout: layouts.claude,
      policy: { deny: [{ serverName: 'brought' }] },
      approvals,
      env: { TARGET: 'https://x.example' },
    });
    expect(config.entries.find(({ name }) => name === 'brought')?.status).toBe('denied');
  });
});

describe('policies of an administrator', () => {
  it('lower scopes cannot widen them', async () => {
    const place = await scratch({
      'system/managed-settings.json': {
        allowedMcpServers: [{ serverUrl: 'https://*.corp.example/*' }],
        deniedMcpServers: [{ serverName: 'old' }],
      },
      'home/.claude.json': {
        allowedMcpServers: [{ serverUrl: '*' }],
        ...servers({ in: { url: 'https://a.corp.example/x' }, out: { url: 'https://x.example' } }),
      },
      'project/.mcp.json': {
        allowedMcpServers: [{ serverUrl: '*' }],
        ...servers({ out2: { url: 'https://x.example' } }),
      },
    });
    const options = {
      layout: layouts.claude,
      approvals: answering('once'),
      policy: { allow: [{ serverUrl: '*' }] },
    };
    const config = await place.load({
      ...options,
      dynamic: { old: { url: 'https://a.corp.example/x' }, out3: { url: 'https://y.example' } },
    });
    expect(Object.keys(config.servers)).toEqual(['in']);
    const both = await place.load({ ...options, policy: { deny: [{ serverName: 'in' }] } });
    expect(both.servers).toEqual({});
  });

  it('supports lists of names, as in Gemini CLI', async () => {
    const place = await scratch({
      'system/settings.json': { mcp: { allowed: ['a', 'b'], excluded: ['b'] } },
      'home/.gemini/settings.json': {
        mcp: { allowed: ['c'] },
        ...servers({ a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x' } }),
      },
    });
    expect(Object.keys((await place.load({ layout: layouts.gemini })).servers)).toEqual(['a']);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t\n'],
    ['a comment', '// nothing yet'],
    ['a comment of several lines', '/* {"allowedMcpServers": []} */\n'],
    ['null', 'null'],
    ['NUL characters', '\0\0\0\0'],
    ['a byte order mark', '\ufeff'],
    ['broken JSON', '{ "allowedMcpServers": ['],
    ['a list that is not an array', '{ "deniedMcpServers": "all", "mcp": { "excluded": "all" } }'],
    ['a duplicate list', '{ "deniedMcpServers": [{"serverName":"s"}], "deniedMcpServers": [] }'],
    ['an array', '[]'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ])('a file with %s fails closed', async (_, content) => {
    for (const [layout, name] of [
      ['claude', 'managed-settings.json'],
      ['gemini', 'settings.json'],
    ] as const) {
      const place = await scratch({
        [`system/${name}`]: content,
        'home/.claude.json': servers({ s: { command: 'x' } }),
        'home/.gemini/settings.json': servers({ s: { command: 'x' } }),
      });
      const config = await place.load({ layout: layouts[layout] });
      expect(config.servers).toEqual({});
      const file = place.path(`system/${name}`);
      expect(config.problems[0]).toMatchObject({ code: 'POLICY_INVALID', file });
    }
  });

  it('a directory in place of the file fails closed, and an absent file does not', async () => {
    const place = await scratch({
      'system/managed-settings.json/x': '',
      'home/.claude.json': servers({ s: { command: 'x' } }),
    });
    expect((await place.load({ layout: layouts.claude })).servers).toEqual({});
    const absent = await scratch({ 'home/.claude.json': servers({ s: { command: 'x' } }) });
    expect(Object.keys((await absent.load({ layout: layouts.claude })).servers)).toEqual(['s']);
  });
});

describe('a misspelled key in an administrator’s file permits nothing', () => {
  const rule = [{ serverName: 'allowed' }];
  it.each([
    { AllowedMcpServers: rule },
    { allowed_mcp_servers: rule },
    { allowedMCPServers: rule },
    { allowedMcpServer: rule },
    { allowMcpServers: rule },
    { deniedMCPServers: rule },
    { denyMcpServers: rule },
    { blockedMcpServers: rule },
    { allowedMcpServers: rule, DeniedMcpServers: rule },
  ])('claude: %j', async (settings) => {
    const place = await scratch({
      'home/.claude.json': servers({ allowed: { command: 'x' }, other: { command: 'x' } }),
      'system/managed-settings.json': settings,
    });
    const { servers: found, problems } = await place.load({ layout: layouts.claude });
    expect(found).toEqual({});
    const key = Object.keys(settings).at(-1) ?? '';
    expect(problems[0]).toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringContaining(key) as string,
    });
  });

  it.each([
    { MCP: { allowed: ['a'] } },
    { mcp: { Allowed: ['a'] } },
    { mcp: { allow: ['a'] } },
    { mcp: { exclude: ['a'] } },
    { mcp: { blocked: ['a'] } },
  ])('gemini: %j', async (settings) => {
    const place = await scratch({
      'home/.gemini/settings.json': servers({ a: { command: 'x' } }),
      'system/settings.json': settings,
    });
    expect((await place.load({ layout: layouts.gemini })).servers).toEqual({});
  });

  it('and other settings do not', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'x' } }),
      'system/managed-settings.json': {
        allowManagedMcpServersOnly: true,
        permissions: { deny: ['Read'] },
        disableAllHooks: true,
        enabledMcpjsonServers: ['x'],
      },
    });
    expect(Object.keys((await place.load({ layout: layouts.claude })).servers)).toEqual(['a']);
  });
});
