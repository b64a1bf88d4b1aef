import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServerApprovals } from '../src/approval/approvals.js';
import { expandEntry } from '../src/variables/expand.js';
import { referencedVariables } from '../src/variables/syntax.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { codes, scratch, servers } from './support/scratch.js';

const env = { A: '${B}', B: 'b', EMPTY: '', HOME_DIR: '/home/me' };
const expand = (text: string, options: { missing?: 'error' | 'empty'; bare?: boolean } = {}) => {
  const { config, issues } = expandEntry(
    { v: text },
    { env, missing: 'error', bare: false, folder: '/p', inputs: new Map(), ...options },
  );
  return issues.length > 0 ? issues.map(({ code }) => code).join() : config['v'];
};

afterEach(() => void vi.unstubAllEnvs());

describe('each variable has one defined result', () => {
  it.each([
    ['plain', 'plain'],
    ['${B}', 'b'],
    ['x${B}y${B}z', 'xbybz'],
    ['${A}', '${B}'], // one pass: the value is not looked at again
    ['${A:-x}', '${B}'],
    ['${NOPE:-default}', 'default'],
    ['${NOPE:-}', ''],
    ['${NOPE:-a:-b}', 'a:-b'],
    ['${NOPE:-$B}', '$B'],
    ['${EMPTY}', ''],
    ['${EMPTY:-default}', 'default'],
    ['${NOPE}', 'VARIABLE_MISSING'],
    ['${NOPE:-${B}}', 'VARIABLE_MALFORMED'],
    ['${B', 'VARIABLE_MALFORMED'],
    ['a ${', 'VARIABLE_MALFORMED'],
    ['${}', 'VARIABLE_MALFORMED'],
    ['${1}', 'VARIABLE_MALFORMED'],
    ['${A B}', 'VARIABLE_MALFORMED'],
    ['${B:x}', 'VARIABLE_MALFORMED'],
    ['${B-x}', 'VARIABLE_MALFORMED'],
    ['${__proto__}', 'VARIABLE_MISSING'],
    ['${constructor}', 'VARIABLE_MISSING'],
    ['${toString:-none}', 'none'],
    ['$B', '$B'],
    ['$$', '$$'],
    ['$${B}', '${B}'], // a literal brace
    ['$$${B}', '$${B}'],
    ['$', '$'],
    ['}', '}'],
  ])('%j becomes %j', (text, result) => {
    expect(expand(text)).toBe(result);
  });

  it('a missing variable is an error or empty, as the host chooses, and never its own text', () => {
    expect(expand('<${NOPE}>', { missing: 'empty' })).toBe('<>');
    expect(expand('<${NOPE:-${B}}>', { missing: 'empty' })).toBe('VARIABLE_MALFORMED');
    expect(expand('<${1}>', { missing: 'empty' })).toBe('VARIABLE_MALFORMED');
  });

  it('expands bare names if the layout says so', () => {
    expect(expand('$B-${B}-$NOPE', { bare: true, missing: 'empty' })).toBe('b-b-');
    expect(expand('$1 $', { bare: true })).toBe('$1 $');
  });

  it('any text: one pass, never throws, linear', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'B', ':-', 'x', '1', '\n') }), (text) => {
        const once = expandEntry(
          { v: text },
          { env: { B: '${B}' }, missing: 'empty', bare: false, folder: '/p', inputs: new Map() },
        );
        expect(typeof once.config['v']).toBe('string');
        const names = [...referencedVariables({ v: text }, false).keys()];
        expect(names.every((name) => /^[A-Za-z_]\w*$/.test(name))).toBe(true);
      }),
    );
    expect(expand('${'.repeat(1e6))).toBe('VARIABLE_MALFORMED');
    expect(referencedVariables({ v: '${B}'.repeat(1e5) }, false).size).toBe(1);
  });
});

describe('expansion in an entry', () => {
  it('expands every string at any depth', async () => {
    const place = await scratch({
      'home/.claude.json': servers({
        a: {
          command: '${B}',
          args: ['${B}', '--x=${B}'],
          env: { K: '${B}' },
          cwd: '/${B}',
          custom: { deep: [{ text: '${B}' }], number: 1, flag: true, nothing: null },
        },
        b: {
          url: 'https://${B}.example/${B}',
          headers: { h: '${B}' },
          apiKey: '${B}',
          oauth: { clientId: '${B}', scopes: ['${B}'] },
        },
      }),
    });
    expect((await place.load({ layout: layouts.claude, env })).servers).toEqual({
      a: {
        type: 'stdio',
        command: 'b',
        args: ['b', '--x=b'],
        env: { K: 'b' },
        // On Windows, on the drive of the project.
        cwd: resolve(place.project, '/b'),
        custom: { deep: [{ text: 'b' }], number: 1, flag: true, nothing: null },
      },
      b: {
        type: 'http',
        url: 'https://b.example/b',
        headers: { h: 'b' },
        apiKey: 'b',
        oauth: { clientId: 'b', scopes: ['b'] },
      },
    });
  });

  it('the root of the project has one name in every scope, and two spellings', async () => {
    const entry = { command: 'x', cwd: '${workspaceFolder}', args: ['${PWD}', '${PWD:-y}/z'] };
    const place = await scratch({
      'home/.claude.json': servers({ mine: entry }),
      'project/.mcp.json': servers({ theirs: entry }),
      'project/sub/file': '',
    });
    let text = '';
    const approve = async (question: { readonly text: string }): Promise<'once'> => {
      ({ text } = question);
      return 'once';
    };
    const config = await place.load({
      layout: layouts.claude,
      cwd: place.path('project/sub'),
      // As cmd and PowerShell start a program: without PWD. What an environment says does not count.
      env: { workspaceFolder: '/elsewhere' },
      projectVariables: 'deny',
      remote: { listed: entry },
      approvals: createServerApprovals({ approve }),
    });
    const expected = { cwd: place.project, args: [place.project, `${place.project}/z`] };
    expect(config.servers).toMatchObject({ mine: expected, theirs: expected });
    expect(text).not.toContain('variables of your environment');
    // A remote list must not learn paths of this machine.
    expect(config.servers).not.toHaveProperty('listed');
  });

  it.runIf(process.platform === 'win32')(
    'on Windows, names have no case, and a backslash may follow a variable',
    async () => {
      vi.stubEnv('Fittings_Place', 'C:\\temp');
      const entry = {
        command: '${fittings_PLACE}\\x.exe',
        args: ['${workspaceFolder}\\src', '${workspaceFolder}/src'],
        cwd: '${workspaceFolder}\\sub',
        env: { PLACE: '${FITTINGS_PLACE}\\y' },
      };
      const place = await scratch({ 'home/.claude.json': servers({ mine: entry }) });
      const config = await place.load({ layout: layouts.claude, env: process.env });
      expect(config.servers['mine']).toMatchObject({
        command: 'C:\\temp\\x.exe',
        args: [place.path('project\\src'), `${place.project}/src`],
        cwd: place.path('project\\sub'),
        env: { PLACE: 'C:\\temp\\y' },
      });
    },
  );

  it('a missing variable is reported with server, field and position, and affects only that server', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'x', env: { T: '${TOKEN}' } }, b: { command: 'y' } }),
    });
    const config = await place.load({ layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['b']);
    expect(config.problems).toMatchObject([
      {
        code: 'VARIABLE_MISSING',
        server: 'a',
        path: 'env.T',
        line: 6,
        hint: expect.stringContaining('TOKEN') as string,
      },
    ]);
    const empty = await place.load({ layout: layouts.claude, missingVariables: 'empty' });
    expect(empty.servers).toMatchObject({ a: { env: { T: '' } }, b: {} });
  });

  it('problems contain no value of a variable', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ issues: [{ message: `no good: ${JSON.stringify(value)}` }] }),
      },
    };
    const plugin = {
      specVersion: 1 as const,
      type: 'stdio',
      schema,
      create: () => expect.fail('no transport is made'),
    };
    const place = await scratch({
      'home/.claude.json': servers({ a: { command: 'x', env: { K: '${KEY}' } }, b: { url: '${KEY}' } }),
    });
    const config = await place.load({
      layout: layouts.claude,
      env: { KEY: 'canary-secret' },
      plugins: [plugin],
    });
    expect(codes(config)).toEqual(['FIELD_INVALID', 'FIELD_INVALID']);
    expect(JSON.stringify(config.problems)).not.toContain('canary');
  });
});
