import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileReader } from '../src/files/read-file.js';
import { readTextFile } from '../src/files/read-file.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { answering, codes, hasLinks, scratch, servers } from './support/scratch.js';

const posix = process.platform !== 'win32';
const load = { layout: layouts.mcpJson, approvals: answering('once') };

describe('file types and links', () => {
  it.runIf(hasLinks)('refuses a link out of the project and follows one within it', async () => {
    const place = await scratch({
      'home/secrets.json': servers({ s: { command: 'x' } }),
      'project/real.json': servers({ t: { command: 'y' } }),
    });
    await symlink(place.path('home/secrets.json'), place.path('project/.mcp.json'));
    const outside = await place.load(load);
    expect(outside).toMatchObject({
      servers: {},
      problems: [{ code: 'FILE_SYMLINK', file: place.path('project/.mcp.json') }],
    });
    await rm(place.path('project/.mcp.json'));
    await symlink('real.json', place.path('project/.mcp.json'));
    expect(Object.keys((await place.load(load)).servers)).toEqual(['t']);
  });

  it.runIf(hasLinks)('refuses a path through a folder that is a link out of the project', async () => {
    const place = await scratch({ 'home/.blade/config.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('home/.blade'), place.path('project/.blade'));
    const config = await place.load({ ...load, layout: layouts.blade });
    expect(codes(config)).toContain('FILE_SYMLINK');
    expect(config.servers['s']).toEqual({ type: 'stdio', command: 'x', cwd: place.home });
    expect(config.entries.map(({ scope }) => scope)).toEqual(['user']);
  });

  it.runIf(hasLinks)('follows a link in the home directory; a broken one counts as absent', async () => {
    const place = await scratch({ 'home/dotfiles/claude.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('home/dotfiles/claude.json'), place.path('home/.claude.json'));
    await symlink(place.path('nowhere'), place.path('project/.mcp.json'));
    const config = await place.load({ ...load, layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['s']);
    expect(config.problems).toEqual([]);
  });

  it.runIf(hasLinks)('refuses an endless chain of links', async () => {
    const place = await scratch();
    await symlink('.mcp.json', place.path('project/.mcp.json'));
    expect(codes(await place.load(load))).toEqual(['FILE_UNREADABLE']);
  });

  it.runIf(posix)('a pipe without a writer does not block', async () => {
    const place = await scratch();
    execFileSync('bash', ['-c', 'mkfifo "$0"', place.path('project/.mcp.json')]);
    expect(codes(await place.load(load))).toEqual(['FILE_NOT_REGULAR']);
  });

  it.runIf(posix)('refuses a device or a socket', async () => {
    const place = await scratch();
    expect(await readTextFile('/dev/zero', { maxBytes: 100 })).toMatchObject({
      kind: 'refused',
      problem: { code: 'FILE_NOT_REGULAR' },
    });
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(place.path('project/.mcp.json'), resolve));
    expect(codes(await place.load(load))).toEqual(['FILE_NOT_REGULAR']);
  });

  it('refuses a directory', async () => {
    const place = await scratch();
    await mkdir(place.path('project/.mcp.json'));
    expect(codes(await place.load(load))).toEqual(['FILE_NOT_REGULAR']);
  });

  it('refuses a file of 1 GB without reading it', async () => {
    const place = await scratch({ 'project/.mcp.json': '{' });
    await truncate(place.path('project/.mcp.json'), 2 ** 30);
    const before = process.memoryUsage().rss;
    expect(codes(await place.load(load))).toEqual(['FILE_TOO_LARGE']);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  it.runIf(process.platform === 'linux')('reads a file that reports size 0 up to the limit', async () => {
    const rules = { maxBytes: 1_000_000 };
    expect(await readTextFile('/proc/self/status', rules)).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('Pid:') as string,
    });
    expect(await readTextFile('/proc/self/status', { maxBytes: 10 })).toMatchObject({
      kind: 'refused',
      problem: { code: 'FILE_TOO_LARGE' },
    });
  });

  it.runIf(posix)('refuses a project file of another user', async () => {
    const place = await scratch({ 'project/.mcp.json': '{}' });
    const owners = [(process.getuid?.() ?? 0) + 1];
    expect(await readTextFile(place.path('project/.mcp.json'), { maxBytes: 100, owners })).toMatchObject({
      problem: { code: 'FILE_OWNER' },
    });
  });
});

describe('text', () => {
  const at = async (content: string | Uint8Array) => {
    const place = await scratch({ 'project/.mcp.json': content });
    const { problems, servers: found } = await place.load(load);
    expect(problems.every(({ file }) => file === place.path('project/.mcp.json'))).toBe(true);
    return {
      problems: problems.map(({ code, line, column }) => [code, line, column]),
      names: Object.keys(found),
    };
  };

  it('reads values that are nested 64 levels deep, and refuses one level more', async () => {
    const nested = (levels: number): string =>
      `{"mcpServers":{"s":{"command":"x","more":${'['.repeat(levels - 3)}${']'.repeat(levels - 3)}}}}`;
    expect((await at(nested(64))).problems).not.toContainEqual(['JSON_TOO_DEEP', 1, expect.any(Number)]);
    expect((await at(nested(65))).problems).toEqual([['JSON_TOO_DEEP', 1, expect.any(Number)]]);
  });

  it('refuses 10^5 nested values at the one that is too deep', async () => {
    const deep = `{"mcpServers":{"s":{"command":"x","more":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`;
    expect(await at(deep)).toEqual({ problems: [['JSON_TOO_DEEP', 1, 103]], names: [] });
    expect((await at(`{"a":${'{"b":'.repeat(1e5)}1`)).problems).toMatchObject([
      ['JSON_TOO_DEEP', 1, expect.any(Number)],
    ]);
  });

  it('refuses 10^5 servers at the first that is too many', async () => {
    const lines = Array.from({ length: 1e5 }, (_, index) => `"s${String(index)}":{"command":"x"}`);
    expect(await at(`{"mcpServers":{\n${lines.join(',\n')}}}`)).toEqual({
      problems: [['TOO_MANY_SERVERS', 1002, 1]],
      names: [],
    });
  });

  it('refuses lone surrogates in names, keys and values', async () => {
    const text = String.raw`{"mcpServers":{"ok":{"command":"x"},"v":{"command":"\ud800"},"k":{"command":"x","env":{"\udc00":"1"}},"\ud800n":{"command":"x"}}}`;
    const result = await at(text);
    expect(result.names).toEqual(['ok']);
    expect(result.problems.map(([code]) => code)).toEqual([
      'JSON_VALUE_REFUSED',
      'JSON_VALUE_REFUSED',
      'NAME_INVALID',
    ]);
    expect((await at(String.raw`{"mcpServers":{"pair":{"command":"\ud83d\ude00"}}}`)).names).toEqual([
      'pair',
    ]);
  });

  it('reads a file with a byte order mark; refuses UTF-16 and invalid UTF-8, with the position', async () => {
    const json = JSON.stringify(servers({ s: { command: 'x' } }));
    expect(await at(`\ufeff${json}`)).toEqual({ problems: [], names: ['s'] });
    expect(await at(`\ufeff{"mcpServers":{"s":{}}}`)).toEqual({
      problems: [['TYPE_MISSING', 1, 17]],
      names: [],
    });
    const utf16 = Buffer.from(`\ufeff${json}`, 'utf16le');
    for (const content of [utf16, Buffer.from(utf16).swap16()]) {
      const place = await scratch({ 'project/.mcp.json': content });
      const { problems } = await place.load(load);
      expect(problems).toMatchObject([
        { code: 'ENCODING_INVALID', message: 'The file is not UTF-8.', line: 1, column: 1 },
      ]);
    }
    expect((await at(Buffer.from(json, 'utf16le'))).problems).toEqual([['JSON_SYNTAX', 1, 2]]);
    const bytes = Buffer.concat([Buffer.from('{\n"é": "'), Buffer.from([0xc3]), Buffer.from('"}')]);
    expect(await at(bytes)).toEqual({ problems: [['ENCODING_INVALID', 2, 7]], names: [] });
  });

  it.each([String.raw`C:\Users\me`, String.raw`C:\users\me`])(
    'says that the backslashes of "%s" must be doubled',
    async (path) => {
      const place = await scratch({
        'project/.mcp.json': `{"mcpServers":{"s":{"command":"${path}"}}}`,
      });
      const { problems } = await place.load({ layout: layouts.mcpJson });
      expect(problems).toMatchObject([{ code: 'JSON_SYNTAX', hint: expect.stringContaining('backslash') }]);
    },
  );

  it('warns of a path in which a backslash became a tab or a line break', async () => {
    const place = await scratch({
      'home/.claude.json': String.raw`{"mcpServers":{"s":{"command":"C:\tools\bin","cwd":"C:\new"}}}`,
    });
    const { problems } = await place.load({ layout: layouts.claude });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['FIELD_SUSPICIOUS', '"command" contains a control character.'],
      ['FIELD_SUSPICIOUS', '"cwd" contains a control character.'],
    ]);
  });

  it('refuses text after the end', async () => {
    expect(await at('{"mcpServers":{}}\n{"mcpServers":{}}')).toEqual({
      problems: [['JSON_SYNTAX', 2, 1]],
      names: [],
    });
  });

  it('refuses numbers that exceed a double', async () => {
    expect((await at('{"mcpServers":{"s":{"command":"x","timeout":1e999}}}')).problems).toEqual([
      ['JSON_VALUE_REFUSED', 1, 45],
    ]);
  });

  it('a duplicate key invalidates the value that contains it, and nothing else', async () => {
    expect(await at('{"mcpServers":{"s":{"command":"good","command":"evil"},"t":{"command":"x"}}}')).toEqual({
      problems: [['JSON_DUPLICATE_KEY', 1, 38]],
      names: ['t'],
    });
    expect(await at('{"mcpServers":{"s":{"command":"x","env":{"A":"1","A":"2"}}}}')).toEqual({
      problems: [['JSON_DUPLICATE_KEY', 1, 50]],
      names: [],
    });
    expect(
      await at('{"mcpServers":{"s":{"command":"a"},"s":{"command":"b"},"t":{"command":"x"}}}'),
    ).toMatchObject({
      problems: [
        ['JSON_DUPLICATE_KEY', 1, 16],
        ['JSON_DUPLICATE_KEY', 1, 36],
      ],
      names: ['t'],
    });
    expect(await at('{"mcpServers":{"s":{"command":"a"}},"mcpServers":{}}')).toEqual({
      problems: [['JSON_DUPLICATE_KEY', 1, 37]],
      names: [],
    });
    const escaped = String.raw`{"mcpServers":{"s":{"command":"good","c\u006fmmand":"evil"}}}`;
    expect((await at(escaped)).problems).toEqual([['JSON_DUPLICATE_KEY', 1, 38]]);
  });

  it('refuses keys with a meaning in JavaScript and pollutes no prototype', async () => {
    const result = await at(
      '{"__proto__":{"polluted":1},"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"x"},"s":{"command":"x","env":{"__proto__":"y"}},"t":{"command":"x","oauth":{"constructor":{"prototype":{}}}},"ok":{"command":"x"}}}',
    );
    expect(result.names).toEqual(['ok']);
    expect(result.problems.map(([code]) => code)).toEqual([
      'NAME_INVALID',
      'NAME_INVALID',
      'JSON_KEY_REFUSED',
      'JSON_KEY_REFUSED',
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('limits the number of problems of one entry', async () => {
    const many = Array.from({ length: 10_000 }, () => '"a":1').join(',');
    expect((await at(`{"mcpServers":{"s":{"command":"x","more":{${many}}}}}`)).problems).toHaveLength(20);
  });

  it('makes hostile text in a problem safe to print', async () => {
    const place = await scratch({
      'home/.claude.json': JSON.stringify(
        servers({
          '\u001b]0;x\u0007evil\u202e': { command: 'x' },
          s: { command: 'x', env: { '\u001b[31m\n\u202ekey': 1 } },
        }),
      ),
    });
    const { problems } = await place.load({ layout: layouts.claude });
    expect(problems).toHaveLength(2);
    for (const value of problems.flatMap((found) => Object.values(found).map(String)))
      expect(value).toMatch(/^[\x20-\x7e]*$/);
  });
});

describe('the approved definition is the one that is used', () => {
  it('reads a file once per load, for all of its uses', async () => {
    const place = await scratch({ 'home/f.json': 'before' });
    const read = createFileReader(100);
    const path = place.path('home/f.json');
    expect(await read(path)).toMatchObject({ text: 'before' });
    await place.write('home/f.json', 'after');
    expect(await read(path)).toMatchObject({ text: 'before' });
    expect(await createFileReader(100)(path)).toMatchObject({ text: 'after' });
  });

  it('a file that is swapped during the question has no effect now and is asked about later', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'shown', args: ['a'] } }) });
    const asked: unknown[] = [];
    const approvals = answering('always', {
      approve: async (request) => {
        asked.push(request.definition['command']);
        const swap = join(place.project, 'swap');
        await writeFile(swap, JSON.stringify(servers({ s: { command: 'evil' } })));
        await rename(swap, place.path('project/.mcp.json'));
        return 'always';
      },
    });
    const first = await place.load({ layout: layouts.mcpJson, approvals });
    expect(first.servers['s']).toEqual({
      type: 'stdio',
      command: 'shown',
      args: ['a'],
      cwd: place.project,
    });
    await place.load({ layout: layouts.mcpJson, approvals });
    expect(asked).toEqual(['shown', 'evil']);
  });

  it('the definition in the question cannot be modified', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'shown', args: ['a'] } }) });
    const ask = (request: { definition: object }): Promise<'once'> => {
      expect(() => Object.assign(request.definition, { command: 'evil' })).toThrow(TypeError);
      return Promise.resolve('once');
    };
    const config = await place.load({
      layout: layouts.mcpJson,
      approvals: answering('once', { approve: ask }),
    });
    expect(config.servers['s']?.['command']).toBe('shown');
  });
});
