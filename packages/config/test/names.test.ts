import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layouts } from '../src/layout/built-in-layouts.js';
import {
  MAX_SERVER_NAME_LENGTH,
  checkServerName,
  nameSkeleton,
  suggestServerName,
} from '../src/server-names.js';
import { answering, codes, scratch, servers } from './support/scratch.js';

describe('one rule for names', () => {
  it.each([
    'github',
    'a',
    'my-server',
    'my_server',
    'v1.2',
    'A9',
    'a'.repeat(MAX_SERVER_NAME_LENGTH),
    'toString',
  ])('accepts %j', (name) => {
    expect(checkServerName(name)).toBeUndefined();
  });

  it.each([
    'a__b',
    'a_',
    '_a',
    '-a',
    'a.',
    '',
    ' ',
    'a b',
    'a/b',
    'a'.repeat(300),
    'a\u0000b',
    'a\nb',
    'a\u001b[31m',
    '\u202egithub',
    'gith\u200bub',
    'gіthub', // Cyrillic і
    'ｇithub', // full width
    'serveur-météo',
    'constructor',
    'prototype',
    '__proto__',
  ])('rejects %j', (name) => {
    expect(checkServerName(name)).toEqual(expect.any(String));
  });

  it('suggests valid names, and the same one again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (name) => {
        const suggestion = suggestServerName(name);
        if (suggestion === undefined) return;
        expect(checkServerName(suggestion)).toBeUndefined();
        expect(suggestServerName(suggestion)).toBe(suggestion);
      }),
    );
    expect(suggestServerName('Framelink Figma MCP')).toBe('Framelink-Figma-MCP');
    expect(suggestServerName('@scope/météo__x_')).toBe('scope-meteo_x');
    expect(suggestServerName('日本')).toBeUndefined();
  });

  it('refuses a project server whose name is easily confused with a user’s, without a question', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ github: { command: 'mine' }, 'linear-app': { command: 'mine' } }),
      'project/.mcp.json': servers({
        GitHub: { command: 'evil' },
        glthub: { command: 'evil' },
        linear_app: { command: 'evil' },
        other: { command: 'fine' },
      }),
    });
    const asked: string[] = [];
    const ask = (request: { name: string }): Promise<'once'> => (
      asked.push(request.name),
      Promise.resolve('once')
    );
    const config = await place.load({
      layout: layouts.claude,
      approvals: answering('once', { approve: ask }),
    });
    expect(Object.keys(config.servers).toSorted()).toEqual(['github', 'linear-app', 'other']);
    expect(asked).toEqual(['other']);
    expect(config.problems.map(({ code, severity }) => [code, severity])).toEqual(
      [1, 2, 3].map(() => ['NAME_CONFUSABLE', 'error']),
    );
  });

  it('warns of confusable names among the user’s own servers', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ a1: { command: 'x' }, al: { command: 'y' } }),
    });
    const config = await place.load({ layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['a1', 'al']);
    expect(codes(config)).toEqual(['NAME_CONFUSABLE']);
    expect(nameSkeleton('O0-_.')).toBe(nameSkeleton('0O.-_'));
  });
});
