import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { answering, codes, scratch, servers } from './support/scratch.js';

describe('problems are data', () => {
  it('reports an invalid entry with file, line, column, server, path and reason, and loads the others', async () => {
    const place = await scratch({
      'home/.claude.json': [
        '{ // comments and trailing commas are fine',
        '  "mcpServers": {',
        '    "good": { "command": "x", },',
        '    "bad": {',
        '      "command": "x",',
        '      "args": ["a", 7]',
        '    },',
        '    "port": { "url": "https://x.example", "oauth": { "callbackPort": 70000 } },',
        '    "empty": {},',
        '    "none": null,',
        '  },',
        '}',
      ].join('\n'),
    });
    const config = await place.load({ layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['good']);
    const file = place.path('home/.claude.json');
    expect(config.problems).toMatchObject([
      { code: 'FIELD_INVALID', severity: 'error', server: 'bad', path: 'args[1]', file, line: 6, column: 21 },
      { code: 'FIELD_INVALID', server: 'port', path: 'oauth.callbackPort', line: 8, column: 54 },
      { code: 'TYPE_MISSING', server: 'empty', line: 9, column: 5 },
      { code: 'SHAPE_INVALID', server: 'none', file, line: 10 },
    ]);
  });

  it('reports malformed JSON with line and column, and loads other files', async () => {
    const place = await scratch({
      'home/.kode.json': '{\n  "mcpServers": {\n    "x": { "command": "a" "args": [] }\n  }\n}',
      'home/.mcprc': servers({ y: { command: 'b' } }),
    });
    const config = await place.load({ layout: layouts.kode });
    expect(config.problems).toMatchObject([
      { code: 'JSON_SYNTAX', line: 3, column: 27, message: 'Expected a comma.' },
    ]);
    expect(Object.keys(config.servers)).toEqual(['y']);
  });

  it.each([
    ['nothing', ''],
    ['a comment', '// soon\n'],
    ['an object without servers', '{ "theme": "dark" }'],
    ['null for the servers', '{ "mcpServers": null }'],
  ])('reports a file with %s, and not as an error', async (_, content) => {
    const place = await scratch({ 'home/.claude.json': content });
    const config = await place.load({ layout: layouts.claude });
    expect(config).toMatchObject({
      servers: {},
      problems: [{ code: 'SERVERS_MISSING', severity: 'info', file: place.path('home/.claude.json') }],
    });
    expect(config.problems[0]).not.toHaveProperty('hint');
  });

  it('reports flat files and those of the command line too, but not one with servers for another scope', async () => {
    const place = await scratch({
      'project/.mcp.json': { servers: { a: { command: 'x' } } },
      'project/extra.json': { nothing: true },
    });
    await place.write('home/.claude.json', {
      projects: { [place.project]: servers({ a: { command: 'x' } }) },
    });
    const config = await place.load({ layout: layouts.claude, cli: { configs: ['extra.json'] } });
    expect(config.problems.map(({ code, file }) => [code, file])).toEqual([
      ['SERVERS_MISSING', place.path('project/.mcp.json')],
      ['SERVERS_MISSING', place.path('project/extra.json')],
    ]);
  });

  it.each([
    ['a list', '[]'],
    ['a text', '"x"'],
    ['servers that are a list', '{ "mcpServers": [] }'],
  ])('reports a file with %s', async (_, content) => {
    const place = await scratch({ 'home/.claude.json': content });
    expect(codes(await place.load({ layout: layouts.claude }))).toEqual(['SHAPE_INVALID']);
  });

  it('rejects if the folder does not exist, and if it is aborted', async () => {
    const place = await scratch();
    await expect(place.load({ layout: layouts.claude, cwd: place.path('nowhere') })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    await expect(place.load({ layout: layouts.claude, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});

describe('sources other than files', () => {
  const other = {
    layout: layouts.claude,
    dynamic: { d: { command: 'dynamic' } },
    remote: { r: { url: 'https://r.example' } },
  };

  it('--mcp-config takes files or JSON, and the later argument wins', async () => {
    const place = await scratch({
      'project/extra.json': servers({ a: { command: 'file' }, b: { command: 'file' } }),
      'home/.claude.json': servers({ a: { command: 'user' }, c: { command: 'user' } }),
    });
    const config = await place.load({
      ...other,
      cli: {
        configs: ['extra.json', ' {"mcpServers":{"b":{"command":"inline"}}}', '{"e":{"command":"flat"}}'],
      },
    });
    const commands = Object.fromEntries(
      Object.entries(config.servers).map(([name, { command }]) => [name, command]),
    );
    expect(commands).toEqual({ a: 'file', b: 'inline', c: 'user', d: 'dynamic', e: 'flat', r: undefined });
    expect(config.entries.find(({ name, status }) => name === 'b' && status === 'ready')).toMatchObject({
      scope: 'cli',
      file: '--mcp-config #2',
    });
  });

  it('--strict-mcp-config ignores all other sources', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ u: { command: 'user' } }),
      'project/.mcp.json': servers({ p: { command: 'project' } }),
      'system/settings.json': servers({ m: { command: 'managed' } }),
    });
    const cli = { configs: ['{"mcpServers":{"only":{"command":"x"}}}'], strict: true };
    const claude = await place.load({ ...other, approvals: answering('once'), cli });
    expect(Object.keys(claude.servers)).toEqual(['only']);
    expect(Object.keys((await place.load({ ...other, layout: layouts.gemini, cli })).servers)).toEqual([
      'only',
    ]);
  });

  it('a file of the command line must exist and be valid', async () => {
    const place = await scratch({ 'project/broken.json': '{' });
    const config = await place.load({
      ...other,
      cli: { configs: ['missing.json', 'broken.json', '{ nonsense'] },
    });
    expect(codes(config).toSorted()).toEqual(['FILE_MISSING', 'JSON_SYNTAX', 'JSON_SYNTAX']);
  });

  it('a remote list may not use variables; servers of the host may', async () => {
    const reads: string[] = [];
    const env = new Proxy(
      { SECRET: 'canary' },
      {
        getOwnPropertyDescriptor: (target, key) => (
          reads.push(String(key)),
          Reflect.getOwnPropertyDescriptor(target, key)
        ),
      },
    );
    const place = await scratch();
    const entry = { url: 'https://r.example/${SECRET}' };
    const remote = await place.load({ layout: layouts.claude, remote: { r: entry }, env });
    expect(codes(remote)).toEqual(['VARIABLE_REFUSED']);
    expect(reads).toEqual([]);
    const dynamic = await place.load({ layout: layouts.claude, dynamic: { r: entry }, env });
    expect(dynamic.servers['r']?.['url']).toBe('https://r.example/canary');
  });
});

describe('precedence', () => {
  it('dynamic > cli > local > project > user > enterprise, and each replaced entry names the winner', async () => {
    const place = await scratch({ 'system/system-defaults.json': servers({ s: { command: 'enterprise' } }) });
    const load = (extra: object) =>
      place.load({ layout: layouts.gemini, approvals: answering('once'), ...extra });
    const winner = async (extra: object = {}): Promise<unknown> =>
      (await load(extra)).servers['s']?.['command'];
    expect(await winner()).toBe('enterprise');
    expect(await winner({ remote: { s: { command: 'remote' } } })).toBe('remote');
    await place.write('home/.gemini/settings.json', servers({ s: { command: 'user' } }));
    expect(await winner({ remote: { s: { command: 'remote' } } })).toBe('user');
    await place.write('project/.gemini/settings.json', servers({ s: { command: 'project' } }));
    expect(await winner()).toBe('project');
    const cli = { configs: ['{"s":{"command":"cli"}}'] };
    expect(await winner({ cli })).toBe('cli');
    const all = await load({ cli, dynamic: { s: { command: 'dynamic' } } });
    expect(all.servers['s']?.['command']).toBe('dynamic');
    expect(all.entries.map(({ scope, status }) => [scope, status])).toEqual([
      ['dynamic', 'ready'],
      ['cli', 'replaced'],
      ['project', 'replaced'],
      ['user', 'replaced'],
      ['enterprise', 'replaced'],
    ]);
    expect(all.problems.map(({ code, severity }) => [code, severity])).toEqual(
      [1, 2, 3, 4].map(() => ['SERVER_REPLACED', 'info']),
    );
  });

  it('an invalid entry of the user is not replaced by one of lower precedence', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'production' } }) });
    const config = await place.load({ layout: layouts.claude, cli: { configs: ['{"s":{"command":7}}'] } });
    expect(config.servers).toEqual({});
    expect(config.entries.map(({ status }) => status)).toEqual(['invalid', 'replaced']);
  });
});

describe('what a host gets', () => {
  it('provenance of each field: scope, file, line', async () => {
    const file =
      '{\n  "mcpServers": {\n    "s": {\n      "command": "x",\n      "env": {\n        "A B": "1"\n      }\n    }\n  }\n}';
    const place = await scratch({ 'home/.claude.json': file });
    const [entry] = (await place.load({ layout: layouts.claude })).entries;
    const at = (line: number, column: number) => ({
      scope: 'user',
      file: place.path('home/.claude.json'),
      line,
      column,
    });
    expect(entry?.provenance).toEqual({
      '': at(3, 5),
      command: at(4, 7),
      env: at(5, 7),
      'env["A B"]': at(6, 9),
    });
  });

  it('`servers` fits host.connect() and has no prototype', async () => {
    expectTypeOf<LoadedConfig['servers']>().toExtend<Readonly<Record<string, ServerConfig>>>();
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x' } }) });
    const config = await place.load({ layout: layouts.claude });
    expect(Object.getPrototypeOf(config.servers)).toBeNull();
    expect(config.servers['toString']).toBeUndefined();
    expect(JSON.stringify(config.servers)).toBe(
      JSON.stringify({ s: { type: 'stdio', command: 'x', cwd: place.home } }),
    );
  });

  it('includes disabled servers, and resolves a relative cwd against the folder of the file', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ s: { command: 'x', disabled: true, cwd: 'sub' } }),
    });
    const config = await place.load({ layout: layouts.claude });
    expect(config.servers['s']).toEqual({
      type: 'stdio',
      command: 'x',
      disabled: true,
      cwd: place.path('home/sub'),
    });
  });

  it('definitions are frozen', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x', args: ['a'] } }) });
    const [entry] = (await place.load({ layout: layouts.claude })).entries;
    expect(Object.isFrozen(entry?.definition)).toBe(true);
    expect(Object.isFrozen(entry?.definition?.['args'])).toBe(true);
  });
});
