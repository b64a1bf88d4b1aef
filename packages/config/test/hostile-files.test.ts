import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileReader } from '../src/files/read-file.js';
import { readTextFile } from '../src/files/read-file.js';
import { layouts } from '../src/layout/layouts.js';
import { answering, codes, scratch, servers } from './support/scratch.js';

const posix = process.platform !== 'win32';
const load = { layout: layouts.mcpJson, approvals: answering('once') };

describe('CF-09 what may lie in the place of a file', () => {
  it('CF-09 a link out of the project is refused, one within it is followed', async () => {
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

  it('CF-09 a folder on the way that is a link out of the project is refused', async () => {
    const place = await scratch({ 'home/.blade/config.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('home/.blade'), place.path('project/.blade'));
    const config = await place.load({ ...load, layout: layouts.blade });
    expect(codes(config)).toContain('FILE_SYMLINK');
    expect(config.servers['s']).toEqual({ type: 'stdio', command: 'x', cwd: place.home });
    expect(config.entries.map(({ scope }) => scope)).toEqual(['user']);
  });

  it('a link in the home directory is the person’s own and followed; one that leads nowhere is no file', async () => {
    const place = await scratch({ 'home/dotfiles/claude.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('home/dotfiles/claude.json'), place.path('home/.claude.json'));
    await symlink(place.path('nowhere'), place.path('project/.mcp.json'));
    const config = await place.load({ ...load, layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['s']);
    expect(config.problems).toEqual([]);
  });

  it('a chain of links without end is refused', async () => {
    const place = await scratch();
    await symlink('.mcp.json', place.path('project/.mcp.json'));
    expect(codes(await place.load(load))).toEqual(['FILE_UNREADABLE']);
  });

  it.runIf(posix)('CF-09 a pipe that nobody writes does not hold anything up', async () => {
    const place = await scratch();
    execFileSync('bash', ['-c', 'mkfifo "$0"', place.path('project/.mcp.json')]);
    expect(codes(await place.load(load))).toEqual(['FILE_NOT_REGULAR']);
  });

  it.runIf(posix)('CF-09 a device or a socket is refused', async () => {
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

  it('CF-09 a directory is refused', async () => {
    const place = await scratch();
    await mkdir(place.path('project/.mcp.json'));
    expect(codes(await place.load(load))).toEqual(['FILE_NOT_REGULAR']);
  });

  it('CF-09 a file of 1 GB is refused without being read', async () => {
    const place = await scratch({ 'project/.mcp.json': '{' });
    await truncate(place.path('project/.mcp.json'), 2 ** 30);
    const before = process.memoryUsage().rss;
    expect(codes(await place.load(load))).toEqual(['FILE_TOO_LARGE']);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  it.runIf(process.platform === 'linux')(
    'a file that says it is empty and is not is read up to the limit',
    async () => {
      const rules = { maxBytes: 1_000_000 };
      expect(await readTextFile('/proc/self/status', rules)).toMatchObject({
        kind: 'text',
        text: expect.stringContaining('Pid:') as string,
      });
      expect(await readTextFile('/proc/self/status', { maxBytes: 10 })).toMatchObject({
        kind: 'refused',
        problem: { code: 'FILE_TOO_LARGE' },
      });
    },
  );

  it.runIf(posix)('CF-22 a project file of another user is refused', async () => {
    const place = await scratch({ 'project/.mcp.json': '{}' });
    const owners = [(process.getuid?.() ?? 0) + 1];
    expect(await readTextFile(place.path('project/.mcp.json'), { maxBytes: 100, owners })).toMatchObject({
      problem: { code: 'FILE_OWNER' },
    });
  });
});

describe('CF-13 texts', () => {
  const at = async (content: string | Uint8Array) => {
    const place = await scratch({ 'project/.mcp.json': content });
    const { problems, servers: found } = await place.load(load);
    expect(problems.every(({ file }) => file === place.path('project/.mcp.json'))).toBe(true);
    return {
      problems: problems.map(({ code, line, column }) => [code, line, column]),
      names: Object.keys(found),
    };
  };

  it('CF-13 nesting of 10^5 is refused where it goes too deep', async () => {
    const deep = `{"mcpServers":{"s":{"command":"x","more":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`;
    expect(await at(deep)).toEqual({ problems: [['JSON_TOO_DEEP', 1, 103]], names: [] });
    expect((await at(`{"a":${'{"b":'.repeat(1e5)}1`)).problems).toMatchObject([
      ['JSON_TOO_DEEP', 1, expect.any(Number)],
    ]);
  });

  it('CF-13 10^5 servers are refused where they become too many', async () => {
    const lines = Array.from({ length: 1e5 }, (_, index) => `"s${String(index)}":{"command":"x"}`);
    expect(await at(`{"mcpServers":{\n${lines.join(',\n')}}}`)).toEqual({
      problems: [['TOO_MANY_SERVERS', 1002, 1]],
      names: [],
    });
  });

  it('CF-13 half a character is refused in names, keys and values', async () => {
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

  it('CF-13 a byte order mark, UTF-16 and bytes that are not UTF-8 are refused with a place', async () => {
    const json = JSON.stringify(servers({ s: { command: 'x' } }));
    expect(await at(`\ufeff${json}`)).toEqual({ problems: [['ENCODING_INVALID', 1, 1]], names: [] });
    expect(await at(Buffer.from(`\ufeff${json}`, 'utf16le'))).toEqual({
      problems: [['ENCODING_INVALID', 1, 1]],
      names: [],
    });
    expect((await at(Buffer.from(json, 'utf16le'))).problems).toEqual([['JSON_SYNTAX', 1, 2]]);
    const bytes = Buffer.concat([Buffer.from('{\n"é\ufffd": "'), Buffer.from([0xc3]), Buffer.from('"}')]);
    expect(await at(bytes)).toEqual({ problems: [['ENCODING_INVALID', 2, 8]], names: [] });
  });

  it('CF-13 anything after the end is refused', async () => {
    expect(await at('{"mcpServers":{}}\n{"mcpServers":{}}')).toEqual({
      problems: [['JSON_SYNTAX', 2, 1]],
      names: [],
    });
  });

  it('CF-13 numbers that no double can hold are refused', async () => {
    expect((await at('{"mcpServers":{"s":{"command":"x","timeout":1e999}}}')).problems).toEqual([
      ['JSON_VALUE_REFUSED', 1, 45],
    ]);
  });

  it('CF-12 a key that stands twice spoils what it stands in, and nothing else', async () => {
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

  it('CF-12 keys with a meaning for JavaScript are refused and pollute nothing', async () => {
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

  it('texts full of faults stay small in the report', async () => {
    const many = Array.from({ length: 10_000 }, () => '"a":1').join(',');
    expect((await at(`{"mcpServers":{"s":{"command":"x","more":{${many}}}}}`)).problems).toHaveLength(20);
  });

  it('hostile text in a problem is made fit to show', async () => {
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

describe('CF-10 what is approved is what is used', () => {
  it('CF-10 in one go a file is read once, whatever it serves for', async () => {
    const place = await scratch({ 'home/f.json': 'before' });
    const read = createFileReader(100);
    const path = place.path('home/f.json');
    expect(await read(path)).toMatchObject({ text: 'before' });
    await place.write('home/f.json', 'after');
    expect(await read(path)).toMatchObject({ text: 'before' });
    expect(await createFileReader(100)(path)).toMatchObject({ text: 'after' });
  });

  it('CF-10 a file swapped while the person reads changes nothing now and asks anew later', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'shown', args: ['a'] } }) });
    const asked: unknown[] = [];
    const approvals = answering('always', {
      ask: async (request) => {
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

  it('CF-10 the definition a person is asked about can not be changed under way', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'shown', args: ['a'] } }) });
    const ask = (request: { definition: object }): Promise<'once'> => {
      expect(() => Object.assign(request.definition, { command: 'evil' })).toThrow(TypeError);
      return Promise.resolve('once');
    };
    const config = await place.load({ layout: layouts.mcpJson, approvals: answering('once', { ask }) });
    expect(config.servers['s']?.['command']).toBe('shown');
  });
});
