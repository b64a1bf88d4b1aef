import { describe, expect, it } from 'vitest';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { plugins } from './support/plugins.js';
import { answering, scratch, servers, type Scratch } from './support/scratch.js';

const program = { command: 'server' };

async function load(entries: Readonly<Record<string, unknown>>): Promise<LoadedConfig> {
  const place = await scratch({ 'home/.claude.json': servers(entries) });
  return place.load({ layout: layouts.claude, plugins });
}

/** The fields that problems name, with the code. */
const named = ({ problems }: LoadedConfig): readonly string[] =>
  problems.map(({ code, path }) => `${code} ${path ?? ''}`.trim());

describe('a word of another program that switches off a server', () => {
  it.each([
    { enabled: false },
    { Enabled: false },
    { isActive: false },
    { is_active: false },
    { active: false },
    { disable: true },
    { Disabled: true },
    { isDisabled: true },
    { start_on_launch: false },
    { 'anythingllm.autoStart': false },
    { anythingllm: { autoStart: false } },
    { enabled: true, isActive: false },
    { disabled: false, enabled: false },
    { enabled: true, disabled: true },
  ])('%j is obeyed', async (words) => {
    const config = await load({ a: { ...program, ...words } });
    expect(config.servers['a']).toMatchObject({ command: 'server', disabled: true });
    const word = Object.keys(words).findLast((each) => each !== 'disabled');
    if (words.disabled !== true)
      expect(config.problems[0]).toMatchObject({
        code: 'RESTRICTED',
        message: expect.stringContaining(`"${word ?? ''}`) as string,
      });
    expect(config.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it.each([
    { enabled: true },
    { isActive: true },
    { disable: false },
    { enabled: null },
    { _enabled: false },
  ])('%j has no effect and needs no warning', async (words) => {
    const config = await load({ a: { ...program, ...words } });
    expect(config.servers['a']).not.toHaveProperty('disabled');
    expect(config.problems).toEqual([]);
  });

  it.each([{ enabled: 'false' }, { enabled: 0 }, { isActive: 'no' }, { enabeld: false }, { disbled: true }])(
    '%j is not understood, so the server is refused',
    async (words) => {
      const config = await load({ a: { ...program, ...words }, b: program });
      expect(Object.keys(config.servers)).toEqual(['b']);
      expect(named(config)).toEqual([`FIELD_INVALID ${Object.keys(words)[0] ?? ''}`]);
    },
  );

  it('is not asked about, in a file of the project', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ a: { ...program, enabled: false } }) });
    const config = await place.load({ layout: layouts.claude, plugins });
    expect(config.entries).toMatchObject([
      { status: 'pending', problems: [{ code: 'RESTRICTED' }, { severity: 'info' }] },
    ]);
  });

  it('does not change the identity, so that a sign-in outlives it', async () => {
    const identity = async (words: object): Promise<string | undefined> =>
      (await load({ a: { url: 'https://x.example', ...words } })).identities['a'];
    expect(await identity({ enabled: false, disabledTools: ['x'] })).toBe(await identity({}));
  });

  it('is removed when the server is enabled', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { ...program, enabled: false } }) });
    await place.editor().enableServer({ name: 'a', scope: 'user' });
    expect((await place.load({ layout: layouts.claude, plugins })).servers['a']).not.toHaveProperty(
      'disabled',
    );
  });
});

describe('a word of another program that denies tools', () => {
  it.each([
    'disabledTools',
    'disabled_tools',
    'excludeTools',
    'exclude_tools',
    'blockedTools',
    'disallowedTools',
    'denyTools',
    'DeniedTools',
    'toolBlacklist',
    'anythingllm.suppressedTools',
  ])('%s becomes deniedTools', async (word) => {
    const config = await load({ a: { ...program, deniedTools: ['own'], [word]: ['wipe', 'drop(all)'] } });
    expect(config.servers['a']?.deniedTools).toEqual(['own', 'wipe', 'drop']);
    expect(config.servers['a']).not.toHaveProperty(word);
    expect(config.problems).toEqual([]);
  });

  it.each(['includeTools', 'enabled_tools', 'available_tools', 'onlyAllow', 'allowed_tools'])(
    '%s becomes enabledTools',
    async (word) => {
      const config = await load({ a: { ...program, [word]: ['read'] } });
      expect(config.servers['a']).toMatchObject({ enabledTools: ['read'] });
      expect(config.servers['a']?.allowedTools).toBeUndefined();
    },
  );

  it('tools: a list limits, "*" does not, and an object denies what it switches off', async () => {
    const config = await load({
      list: { ...program, tools: ['read'] },
      all: { ...program, tools: ['*'] },
      none: { ...program, tools: [] },
      object: {
        ...program,
        tools: { wipe: { enabled: false }, drop: false, read: { approval_mode: 'auto' } },
      },
    });
    expect(config.servers['list']?.enabledTools).toEqual(['read']);
    expect(config.servers['all']?.enabledTools).toBeUndefined();
    expect(config.servers['none']?.enabledTools).toEqual([]);
    expect(config.servers['object']?.deniedTools).toEqual(['wipe', 'drop']);
    expect(named(config)).toEqual(['FIELD_IGNORED tools']);
  });

  it('two lists that limit are both obeyed', async () => {
    const config = await load({ a: { ...program, enabledTools: ['x', 'y'], includeTools: ['y', 'z'] } });
    expect(config.servers['a']?.enabledTools).toEqual(['y']);
  });

  it.each([{ disabledTools: 'wipe' }, { excludeTools: [1] }, { includeTools: [''] }, { deniedTool: ['x'] }])(
    '%j is not understood, so the server is refused',
    async (words) => {
      const config = await load({ a: { ...program, ...words } });
      expect(config.servers).toEqual({});
      expect(named(config)).toEqual([`FIELD_INVALID ${Object.keys(words)[0] ?? ''}`]);
    },
  );
});

describe('a field that has no effect is a warning', () => {
  it.each([
    [{ url: 'https://x.example', headersHelper: '/opt/headers.sh' }, 'headersHelper', /"headers"/],
    [{ ...program, envFile: '.env' }, 'envFile', /"env"/],
    [{ ...program, environment: { A: '1' } }, 'environment', /"env"/],
    [{ ...program, sandboxEnabled: true }, 'sandboxEnabled', /without a sandbox/],
    [{ url: 'https://x.example', transport: 'sse' }, 'transport', /"type"/],
    [{ ...program, autoApprove: ['x'] }, 'autoApprove', /"allowedTools"/],
    [{ ...program, tool_timeout_sec: 5 }, 'tool_timeout_sec', /"timeout", in milliseconds/],
    [{ ...program, working_directory: '/x' }, 'working_directory', /"cwd"/],
    [{ ...program, headers: { A: 'b' } }, 'headers', /transport/],
    [{ url: 'https://x.example', env: { A: 'b' } }, 'env', /transport/],
    [{ ...program, argz: [] }, 'argz', /Did you mean "args"\?/],
    [{ url: 'https://x.example', oauth: { client_id: 'x' } }, 'oauth.client_id', /"oauth.clientId"/],
    [{ ...program, reconnect: { max: 1 } }, 'reconnect.max', /./],
    [{ ...program, watchPaths: ['/x'] }, 'watchPaths', /./],
  ])('%j', async (entry, path, hint) => {
    const config = await load({ a: entry });
    expect(config.problems).toMatchObject([
      { code: 'FIELD_IGNORED', severity: 'warning', server: 'a', path, line: expect.any(Number) as number },
    ]);
    expect(config.problems[0]?.hint).toMatch(hint);
    expect(config.entries).toMatchObject([{ status: 'ready' }]);
  });

  it.each([{ $schema: 'x' }, { _comment: 'x' }, { '//': 'x' }, { '#': 'x' }, { 'x-mine': 1 }])(
    'except a remark: %j',
    async (remark) => {
      expect((await load({ a: { ...program, ...remark } })).problems).toEqual([]);
    },
  );

  it('and so is a time limit that most likely counts seconds', async () => {
    expect((await load({ a: { ...program, timeout: 60 } })).problems).toMatchObject([
      { code: 'FIELD_SUSPICIOUS', path: 'timeout' },
    ]);
    expect((await load({ a: { ...program, timeout: 60_000 } })).problems).toEqual([]);
  });

  it('a field that a transport declares is its own, whatever other programs mean by it', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { type: 'own', tools: 'x', active: 0 } }),
    });
    const own = {
      ...(plugins[0] ?? expect.fail()),
      type: 'own',
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) => ({ value }),
          jsonSchema: { input: () => ({ properties: { tools: {}, active: {} } }) },
        },
      },
    } as const;
    const options = { layout: layouts.claude, plugins: [own] };
    const config = await place.load(options);
    const editor = place.editor(options);
    const entry = { type: 'own', tools: 'y' };
    await expect(editor.addServer({ name: 'b', scope: 'user', entry })).resolves.toMatchObject({
      changed: true,
    });
    expect(config).toMatchObject({ servers: { a: { tools: 'x', active: 0 } }, problems: [] });
  });
});

describe('settings beside the servers', () => {
  const gemini = (settings: object, more: Readonly<Record<string, object>> = {}): Promise<Scratch> =>
    scratch({
      'home/.gemini/settings.json': { ...servers({ a: program, b: program }), ...settings },
      ...more,
    });
  const states = async (place: Scratch, options: object = {}): Promise<object> => {
    const config = await place.load({ layout: layouts.gemini, plugins, ...options });
    return Object.fromEntries(
      Object.entries(config.servers).map(([name, { disabled, deniedTools }]) => [
        name,
        disabled === true ? 'off' : (deniedTools ?? 'on'),
      ]),
    );
  };

  it.each([
    [{ mcp: { excluded: ['a'] } }, { a: 'off', b: 'on' }],
    [{ mcp: { Excluded: 'a' } }, { a: 'off', b: 'on' }],
    [{ mcp: { allowed: ['a'] } }, { a: 'on', b: 'off' }],
    [{ mcp: { allowed: ['a', 'b'], excluded: ['b'] } }, { a: 'on', b: 'off' }],
    [{ mcp: { allowed: [] } }, { a: 'off', b: 'off' }],
    [{ mcp: { excluded: { a: true } } }, { a: 'off', b: 'off' }],
    [{ excludeMCPServers: ['a'] }, { a: 'off', b: 'on' }],
    [{ allowMCPServers: ['a'] }, { a: 'on', b: 'off' }],
    [{ admin: { mcp: { enabled: false } } }, { a: 'off', b: 'off' }],
    [{ tools: { exclude: ['wipe'], sandbox: false } }, { a: ['wipe'], b: ['wipe'] }],
    [{ tools: { exclude: ['mcp_a_wipe'] } }, { a: ['mcp_a_wipe', 'wipe'], b: ['mcp_a_wipe'] }],
    [{ mcp: { serverCommand: 'x' } }, { a: 'on', b: 'on' }],
  ])('of Gemini CLI: %j', async (settings, expected) => {
    expect(await states(await gemini(settings))).toEqual(expected);
  });

  it('say in which file they are', async () => {
    const place = await gemini({ mcp: { excluded: ['a'] } });
    const { problems } = await place.load({ layout: layouts.gemini, plugins });
    expect(problems).toMatchObject([
      { code: 'RESTRICTED', server: 'a', message: expect.stringContaining('"mcp.excluded"') as string },
    ]);
  });

  it('of the project do not switch off servers of the user, unless the folder is trusted', async () => {
    const place = await gemini(
      {},
      { 'project/.gemini/settings.json': { ...servers({ p: program }), mcp: { excluded: ['a', 'p'] } } },
    );
    const approvals = answering('once');
    expect(await states(place, { approvals })).toEqual({ a: 'on', b: 'on' });
    const { problems, entries } = await place.load({ layout: layouts.gemini, plugins, approvals });
    expect(problems).toMatchObject([{ code: 'TRUST_KEY_IGNORED', server: 'a' }, {}, {}]);
    expect(entries.find(({ name }) => name === 'p')).toMatchObject({ status: 'pending' });
    expect(await states(place, { approvals, folderIsTrusted: true })).toEqual({ a: 'off', b: 'on' });
  });

  it('of the project deny tools of servers of the user', async () => {
    const place = await gemini({}, { 'project/.gemini/settings.json': { tools: { exclude: ['wipe'] } } });
    expect(await states(place)).toEqual({ a: ['wipe'], b: ['wipe'] });
  });

  it('of Claude Code deny tools, and switch servers off in one project', async () => {
    const place = await scratch({
      'home/.claude/settings.json': {
        permissions: {
          deny: ['mcp__docs__wipe', 'mcp__my_server__drop_*', 'mcp__all', 'Bash(rm:*)', 'Read'],
        },
      },
      'home/.claude.json': servers({ docs: program, 'my.server': program, all: program, other: program }),
    });
    const denied = async (): Promise<object> => {
      const config = await place.load({ layout: layouts.claude, plugins });
      return Object.fromEntries(
        Object.entries(config.servers).map(([name, { disabled, deniedTools }]) => [
          name,
          disabled ?? deniedTools,
        ]),
      );
    };
    const tools = { docs: ['wipe'], 'my.server': ['drop_*'], all: ['*'], other: undefined };
    expect(await denied()).toEqual(tools);
    await place.write('home/.claude.json', {
      ...servers({ docs: program, 'my.server': program, all: program, other: program }),
      projects: {
        [place.project]: { disabledMcpServers: ['other'] },
        '/elsewhere': { disabledMcpServers: ['docs'] },
      },
    });
    expect(await denied()).toEqual({ ...tools, other: true });
  });
});

describe('settings of a file that are written in another form', () => {
  const load = async (settings: object) => {
    const place = await scratch({ 'home/.claude.json': { ...servers({ docs: program }), ...settings } });
    const { servers: loaded } = await place.load({ layout: layouts.claude, plugins });
    return loaded['docs'];
  };

  it.each([
    [{ excludeTools: 'wipe' }, ['wipe']],
    [{ tools: { exclude: 'mcp__docs__wipe' } }, expect.arrayContaining(['wipe'])],
    [{ permissions: { deny: 'mcp__docs__wipe' } }, ['wipe']],
    [{ permission: 'deny' }, ['*']],
    [{ tools: 'deny' }, ['*']],
  ])('%j denies what it names', async (settings, deniedTools) => {
    expect(await load(settings)).toMatchObject({ deniedTools });
  });

  it.each([
    { excludeTools: 5 },
    { excludeTools: ['wipe', 5] },
    { excludeTools: [''] },
    { tools: { exclude: true } },
    { permissions: { deny: false } },
  ])('%j is not understood, so every server is switched off', async (settings) => {
    expect(await load(settings)).toMatchObject({ disabled: true });
  });

  it.each([{ permission: 'ask' }, { tools: 5 }, { tools: ['Read'] }, { permissions: { deny: null } }])(
    '%j forbids no tool of a server',
    async (settings) => {
      const docs = await load(settings);
      expect(docs).not.toHaveProperty('disabled');
      expect(docs).not.toHaveProperty('deniedTools');
    },
  );
});

describe('a file that is made to take long', () => {
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`server-${index}`, program]));
  it.each<[string, object]>([
    ['names of tools', { permissions: { deny: Array.from({ length: 50_000 }, (_, i) => `mcp__*${i}*_*`) } }],
    ['names of servers', { mcp: { excluded: Array.from({ length: 50_000 }, (_, i) => `s${i}`) } }],
    ['stars', { permissions: { deny: ['*'.repeat(500_000)] } }],
    ['parts of a pattern', { permissions: { deny: ['*_'.repeat(125_000)] } }],
    [
      'as many patterns as are compared',
      {
        permissions: {
          deny: Array.from({ length: 20 }, (_, i) => `*_*_${i}*`).concat(
            Array.from({ length: 1500 }, (_, i) => `m${i}*`),
          ),
        },
      },
    ],
    ['a field', { mcpServers: { a: { ...program, ['x'.repeat(500_000)]: 1 } } }],
  ])('is read within the time limit of a test: %s', async (_, settings) => {
    const place = await scratch({ 'project/.mcp.json': { ...servers(many), ...settings } });
    const { entries } = await place.load({ layout: layouts.mcpJson, plugins });
    expect(entries.length).toBeGreaterThan(0);
  });

  it('switches off its servers if it names more than can be compared', async () => {
    const deny = Array.from({ length: 3000 }, (_, index) => `mcp__a__tool_${index}`);
    const place = await scratch({
      'home/.claude.json': { ...servers({ a: program }), permissions: { deny } },
    });
    const config = await place.load({ layout: layouts.claude, plugins });
    expect(config.servers['a']).toMatchObject({ disabled: true });
    expect(config.problems).toMatchObject([
      { code: 'RESTRICTED', message: expect.stringContaining('"permissions.deny"') as string },
    ]);
  });
});

describe('what a file has where nothing reads it', () => {
  it.each([
    [{ servers: { a: program } }, 'Rename "servers" to "mcpServers".'],
    [{ mcp_servers: { a: program } }, 'Rename "mcp_servers" to "mcpServers".'],
    [{ context_servers: { a: program } }, 'Rename "context_servers" to "mcpServers".'],
    [{ MCPServers: { a: program } }, 'Rename "MCPServers" to "mcpServers".'],
    [{ 'amp.mcpServers': { a: program } }, 'Rename "amp.mcpServers" to "mcpServers".'],
    [{ mcp: { servers: { a: program } } }, 'Rename "mcp" to "mcpServers".'],
    [{ extensions: { a: { cmd: 'x' } } }, 'Rename "extensions" to "mcpServers".'],
    [{ a: program }, 'Move the servers into an object under the key "mcpServers".'],
  ])('is a warning: %j', async (content, hint) => {
    const place = await scratch({ 'home/.claude.json': content });
    expect((await place.load({ layout: layouts.claude, plugins })).problems).toMatchObject([
      { code: 'SERVERS_MISSING', severity: 'warning', hint },
    ]);
  });

  it('is a warning beside servers that are read', async () => {
    const place = await scratch({
      'home/.claude.json': { ...servers({ a: program }), servers: { b: program } },
    });
    expect((await place.load({ layout: layouts.claude, plugins })).problems).toMatchObject([
      { code: 'FIELD_IGNORED', message: 'The servers under "servers" are not read.', line: 7 },
    ]);
  });

  it('needs no warning if it has no servers', async () => {
    const place = await scratch({ 'home/.gemini/settings.json': { mcp: { excluded: ['x'] }, servers: 3 } });
    expect((await place.load({ layout: layouts.gemini, plugins })).problems).toMatchObject([
      { severity: 'info' },
    ]);
  });
});

describe('a server whose name is invalid', () => {
  it.each([
    ['My Server', 'Rename it, for example to "My-Server".'],
    ['', expect.any(String) as string],
  ])('is an entry with its reason, and a suggestion: %j', async (name, hint) => {
    const config = await load({ [name]: program, ok: program });
    expect(Object.keys(config.servers)).toEqual(['ok']);
    expect(config.entries).toMatchObject([
      { name, status: 'invalid', problems: [{ code: 'NAME_INVALID', severity: 'error', line: 3, hint }] },
      { name: 'ok', status: 'ready' },
    ]);
    expect(config.problems).toHaveLength(1);
  });

  it('is one line of printable text', async () => {
    const config = await load({ 'a\nb\u001b[31m\u202e': program });
    expect(config.entries[0]?.name).toMatch(/^[\x20-\x7e]+$/);
    expect(config.problems[0]?.server).toBe(config.entries[0]?.name);
  });
});

describe('an entry that cannot be read', () => {
  it.each([
    ['{"mcpServers":{"a":[]}}', 'SHAPE_INVALID'],
    ['{"mcpServers":{"a":{"command":"x","command":"y"}}}', 'JSON_DUPLICATE_KEY'],
    ['{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', 'JSON_DUPLICATE_KEY'],
  ])('has its reason among its problems: %s', async (text, code) => {
    const place = await scratch({ 'home/.claude.json': text });
    const { entries } = await place.load({ layout: layouts.claude, plugins });
    expect(entries[0]).toMatchObject({ name: 'a', status: 'invalid', problems: [{ code }] });
  });
});
