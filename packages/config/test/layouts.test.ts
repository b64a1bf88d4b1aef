import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { defineLayout } from '../src/layout/layout.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { absolutePath, systemDirectory } from '../src/layout/layout.js';
import { DEFAULT_SCOPE_ORDER } from '../src/layout/scopes.js';
import { answering, scratch, servers } from './support/scratch.js';

/** An entry whose arguments say where it was defined, so that a test sees which one won. */
const from = (place: string): object => ({ command: 'server', args: [place] });

const winners = (config: {
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}): object =>
  Object.fromEntries(Object.entries(config.servers).map(([name, { args }]) => [name, (args as string[])[0]]));

describe('layouts of five hosts', () => {
  it('mcpJson: .mcp.json, keyed or flat', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ one: from('project') }) });
    expect(winners(await place.load({ layout: layouts.mcpJson, approvals: answering('once') }))).toEqual({
      one: 'project',
    });
    await place.write('project/.mcp.json', { $schema: 'x', note: { any: 'thing' }, two: from('flat') });
    expect(winners(await place.load({ layout: layouts.mcpJson, approvals: answering('once') }))).toEqual({
      two: 'flat',
    });
  });

  it('blade: local over project over user, config.json first of its scope', async () => {
    const place = await scratch({
      'home/.blade/config.json': servers({ a: from('user'), b: from('user'), c: from('user') }),
      'project/.blade/config.json': servers({
        b: from('project config'),
        c: from('project config'),
        d: from('project config'),
      }),
      'project/.blade/settings.json': servers({ d: from('project settings'), e: from('project settings') }),
      'project/.blade/settings.local.json': servers({ c: from('local') }),
    });
    expect(winners(await place.load({ layout: layouts.blade, approvals: answering('once') }))).toEqual({
      a: 'user',
      b: 'project config',
      c: 'local',
      d: 'project config',
      e: 'project settings',
    });
  });

  it('kode: .mcp.json, .mcprc flat or keyed, local servers in the home file', async () => {
    const place = await scratch({
      'project/.mcprc': { flat: from('mcprc'), both: from('mcprc') },
      'project/.mcp.json': servers({ both: from('mcp.json'), mine: from('mcp.json') }),
      'home/.mcprc': servers({ rc: from('home mcprc') }),
    });
    await place.write('home/.kode.json', {
      mcpServers: { user: from('user'), both: from('user') },
      projects: {
        [place.project]: { mcpServers: { mine: from('local') } },
        '/another/project': { mcpServers: { other: from('elsewhere') } },
      },
    });
    expect(winners(await place.load({ layout: layouts.kode, approvals: answering('once') }))).toEqual({
      user: 'user',
      rc: 'home mcprc',
      both: 'mcp.json',
      mine: 'local',
      flat: 'mcprc',
    });
  });

  it('claude: local over project over user', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ x: from('project'), y: from('project') }) });
    await place.write('home/.claude.json', {
      mcpServers: { x: from('user'), z: from('user') },
      projects: { [place.project]: { mcpServers: { y: from('local') } } },
    });
    expect(winners(await place.load({ layout: layouts.claude, approvals: answering('once') }))).toEqual({
      x: 'project',
      y: 'local',
      z: 'user',
    });
  });

  it('claude: a managed file is exclusive, also against the command line and an unreadable one', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({ p: from('project') }),
      'home/.claude.json': servers({ u: from('user') }),
      'system/managed-mcp.json': servers({ corp: from('managed') }),
    });
    const options = {
      layout: layouts.claude,
      approvals: answering('once'),
      dynamic: { d: { command: 'x' } },
      cli: { configs: ['{"mcpServers":{"c":{"command":"x"}}}'] },
    };
    const config = await place.load(options);
    expect(winners(config)).toEqual({ corp: 'managed' });
    expect(
      config.entries
        .filter(({ status }) => status === 'denied')
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['c', 'd', 'p', 'u']);
    expect(winners(await place.load({ ...options, cli: { ...options.cli, strict: true } }))).toEqual({
      corp: 'managed',
    });
    await place.write('system/managed-mcp.json', Buffer.from([0xff, 0xfe]));
    expect(winners(await place.load(options))).toEqual({});
    await place.write('system/managed-mcp.json', '{ broken');
    expect(winners(await place.load(options))).toEqual({});
  });

  it('gemini: system defaults < user < project < system overrides', async () => {
    const place = await scratch({
      'system/system-defaults.json': servers({ a: from('defaults'), b: from('defaults') }),
      'home/.gemini/settings.json': {
        theme: 'dark',
        ...servers({ b: from('user'), c: from('user'), d: from('user') }),
      },
      'project/.gemini/settings.json': servers({ c: from('project'), d: from('project') }),
      'system/settings.json': servers({ d: from('overrides') }),
    });
    expect(winners(await place.load({ layout: layouts.gemini, approvals: answering('once') }))).toEqual({
      a: 'defaults',
      b: 'user',
      c: 'project',
      d: 'overrides',
    });
  });

  it('gemini: $NAME counts as a variable there, and nowhere else', async () => {
    const entry = { httpUrl: 'https://example.com/$PLACE', headers: { k: '${KEY}' } };
    const place = await scratch({
      'home/.gemini/settings.json': servers({ s: entry }),
      'home/.kode.json': servers({ s: entry }),
    });
    const env = { PLACE: 'here', KEY: 'secret' };
    const gemini = await place.load({ layout: layouts.gemini, env });
    expect(gemini.servers['s']).toEqual({
      type: 'http',
      url: 'https://example.com/here',
      headers: { k: 'secret' },
    });
    const kode = await place.load({ layout: layouts.kode, env });
    expect(kode.servers['s']?.['url']).toBe('https://example.com/$PLACE');
  });

  it('resolves the system directory on each platform', () => {
    const directories = {
      home: 'C:\\Users\\me',
      project: 'C:\\p',
      system: systemDirectory(layouts.gemini, 'win32'),
    };
    const [defaults, user] = layouts.gemini.sources;
    expect(absolutePath(defaults!, directories, 'win32')).toBe(
      'C:\\ProgramData\\gemini-cli\\system-defaults.json',
    );
    expect(absolutePath(user!, directories, 'win32')).toBe('C:\\Users\\me\\.gemini\\settings.json');
    expect(systemDirectory(layouts.claude, 'darwin')).toBe('/Library/Application Support/ClaudeCode');
    expect(systemDirectory(layouts.claude, 'freebsd')).toBe('/etc/claude-code');
    expect(systemDirectory(layouts.kode, 'linux')).toBeUndefined();
  });
});

describe('defineLayout', () => {
  const source = {
    scope: 'user',
    base: 'home',
    path: '.mine/servers.json',
    servers: [['mcp', 'list']],
  } as const;

  it('has its own files, keys and order', async () => {
    const layout = defineLayout({
      name: 'mine',
      sources: [source, { ...source, scope: 'project', base: 'project' }],
      order: [...DEFAULT_SCOPE_ORDER.filter((scope) => scope !== 'user'), 'user'],
    });
    const place = await scratch({
      'home/.mine/servers.json': { mcp: { list: { s: from('user') } } },
      'project/.mine/servers.json': { mcp: { list: { s: from('project'), t: from('project') } } },
    });
    expect(winners(await place.load({ layout, approvals: answering('once') }))).toEqual({
      s: 'user',
      t: 'project',
    });
  });

  it.each([
    ['a path with `..`', { sources: [{ ...source, path: '../x.json' }] }],
    ['an absolute path', { sources: [{ ...source, path: '/etc/x.json' }] }],
    ['an incomplete order', { sources: [source], order: ['user'] as const }],
    [
      'managed servers outside of the system directory',
      { sources: [{ ...source, scope: 'managed' as const }] },
    ],
    [
      'policies without a system directory',
      {
        sources: [source],
        policies: [{ path: 'p.json', allow: ['a'], deny: ['d'], form: 'rules' as const }],
      },
    ],
  ])('refuses a layout with %s', (_, layout) => {
    expect(() => defineLayout({ name: 'bad', ...layout })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

describe('the table in the README', () => {
  it('names every file of every layout', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    for (const [name, { sources }] of Object.entries(layouts)) {
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? '';
      const prefix = { home: '~/', project: 'P/', system: 'S/' };
      for (const { base, path } of sources) expect(row, name).toContain(`\`${prefix[base]}${path}\``);
    }
  });
});
