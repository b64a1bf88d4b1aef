import type { ToolRef } from '@mcp-fittings/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../scripts/rounds.js';
import { nameLimits, type NameLimits } from '../../src/names/shorten-name.js';
import { naming, type NamingStrategy, createToolNames } from '../../src/names/tool-names.js';

const strategies: Readonly<Record<string, NamingStrategy>> = {
  ...naming,
  custom: ({ tool }) => tool.toUpperCase(),
  careless: () => 'tool',
};

/** Names that collide easily: short ones, with underscores, case, empty, and any Unicode. */
const text = fc.oneof(
  fc.stringMatching(/^[abAB_.-]{0,4}$/),
  fc.constantFrom(
    'a__b',
    'a_',
    '_a',
    'acme',
    'acme_',
    'status',
    '_status',
    'Status',
    '',
    ' ',
    '💩',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.stringMatching(/^[a-z]{60,90}$/),
);
const refs = fc.array(fc.record({ server: text, tool: text }), { maxLength: 25 });
const anyLimits = fc.constantFrom<NameLimits>(...Object.values(nameLimits), {
  maxLength: 32,
  allowed: /[a-z0-9_]/i,
});

const keyOf = ({ server, tool }: ToolRef): string => JSON.stringify([server, tool]);

describe('every strategy within every limit', () => {
  it.each(Object.entries(strategies))(
    '%s: exact, unique, valid and independent of the order',
    (_, strategy) => {
      fc.assert(
        fc.property(refs, anyLimits, fc.infiniteStream(fc.nat()), (tools, nameLimit, random) => {
          const options = { naming: strategy, nameLimits: nameLimit };
          const names = createToolNames(tools, options);
          const shuffled = tools.toSorted(() => (random.next().value ?? 0) - (random.next().value ?? 0));
          const again = createToolNames(shuffled, options);
          const valid = new RegExp(`^(?:${nameLimit.allowed.source})+$`, nameLimit.allowed.flags);
          const seen = new Set<string>();
          for (const ref of tools) {
            const name = names.nameOf(ref) ?? '';
            expect(names.refOf(name)).toEqual(ref);
            expect(again.nameOf(ref)).toBe(name);
            expect(name).toMatch(valid);
            expect(name.length).toBeLessThanOrEqual(nameLimit.maxLength);
            if (nameLimit.first !== undefined) expect(name.charAt(0)).toMatch(nameLimit.first);
            seen.add(name.toLowerCase());
          }
          // No two names differ only in case.
          expect(seen.size).toBe(new Set(tools.map(keyOf)).size);
          expect(names.size).toBe(seen.size);
        }),
        { numRuns: rounds(500) },
      );
    },
  );

  it('a tool keeps its name when others are added that do not collide with it', () => {
    fc.assert(
      fc.property(refs, refs, (some, others) => {
        const before = createToolNames(some);
        const after = createToolNames([...some, ...others]);
        const foldedOthers = new Set(
          others.map((ref) => (createToolNames([ref]).nameOf(ref) ?? '').toLowerCase()),
        );
        for (const ref of some) {
          const name = before.nameOf(ref) ?? '';
          // Only first-choice names without a hash that no added tool claims.
          if (name !== createToolNames([ref]).nameOf(ref) || foldedOthers.has(name.toLowerCase())) continue;
          expect(after.nameOf(ref)).toBe(name);
        }
      }),
    );
  });
});

describe('strategies', () => {
  const tools = [
    { server: 'git', tool: 'status' },
    { server: 'svn', tool: 'status' },
    { server: 'git', tool: 'add__all' },
  ];
  it.each<[string, NamingStrategy, readonly string[]]>([
    ['mcpPrefixed', naming.mcpPrefixed, ['mcp__git__status', 'mcp__svn__status', 'mcp__git__add__all']],
    // Two tools with the same name have `server__tool`.
    ['bare', naming.bare, ['git__status', 'svn__status', 'add__all']],
    ['mcpSingle', naming.mcpSingle, ['mcp_git_status', 'mcp_svn_status', 'mcp_git_add__all']],
    [
      'a function',
      ({ server, tool }) => `${tool}_of_${server}`,
      ['status_of_git', 'status_of_svn', 'add__all_of_git'],
    ],
  ])('%s', (_, strategy, expected) => {
    const names = createToolNames(tools, { naming: strategy });
    expect(tools.map((ref) => names.nameOf(ref))).toEqual(expected);
  });
});

describe('names that are invalid or too long', () => {
  it('replaces invalid characters, and the middle of a long name: first 28, ___, last 32', () => {
    const long = `${'a'.repeat(40)}${'b'.repeat(40)}`;
    const tools = [
      { server: 's', tool: 'get my/file' },
      { server: 's', tool: long },
      { server: 's', tool: '1st.thing' },
    ];
    const names = createToolNames(tools, { naming: naming.bare, nameLimits: nameLimits.gemini });
    expect(tools.map((ref) => names.nameOf(ref))).toEqual([
      'get_my_file',
      `${'a'.repeat(28)}___${'b'.repeat(32)}`,
      '_1st.thing',
    ]);
  });

  it('keeps names different that are equal after shortening', () => {
    const tools = ['x', 'y'].map((middle) => ({
      server: 's',
      tool: `${'a'.repeat(40)}${middle}${'b'.repeat(40)}`,
    }));
    const names = createToolNames(tools, { nameLimits: nameLimits.openai });
    const [first, second] = tools.map((ref) => names.nameOf(ref) ?? '');
    expect(first).not.toBe(second);
    expect(first).toMatch(/^mcp__s__a+___b+_[a-f0-9]{8}$/);
    expect(first).toHaveLength(64);
  });

  it('rejects limits within which names could not be unique', () => {
    const build = (limits: NameLimits) => () => createToolNames([], { nameLimits: limits });
    for (const broken of [
      { maxLength: 8, allowed: /[a-z0-9_]/ },
      { maxLength: 64, allowed: /[A-Z]/ },
      { maxLength: 64, allowed: /[a-z0-9_]/, first: /[a-z]/ },
    ]) {
      expect(build(broken)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });

  it('accepts expressions with the flags g and y', () => {
    const names = createToolNames([{ server: 'a', tool: 'b' }], {
      nameLimits: { maxLength: 64, allowed: /[a-z0-9_]/g },
    });
    expect([...names.entries()].map(([name]) => name)).toEqual(['mcp__a__b']);
  });
});

describe('names that collide', () => {
  it.each([
    ['the same tool of two servers', { server: 'a', tool: 'x' }, { server: 'b', tool: 'x' }],
    ['another place of the border', { server: 'acme_', tool: 'status' }, { server: 'acme', tool: '_status' }],
    ['case only', { server: 'a', tool: 'Read' }, { server: 'a', tool: 'read' }],
    ['invalid characters', { server: 'a', tool: 'r d' }, { server: 'a', tool: 'r/d' }],
    ['a separator inside', { server: 'a__b', tool: 'c' }, { server: 'a', tool: 'b__c' }],
  ])('%s', (_, one, two) => {
    for (const strategy of Object.values(naming)) {
      const names = createToolNames([one, two], { naming: strategy });
      const reversed = createToolNames([two, one], { naming: strategy });
      const both = [names.nameOf(one) ?? '', names.nameOf(two) ?? ''];
      expect(both[0]?.toLowerCase()).not.toBe(both[1]?.toLowerCase());
      expect(both.map((name) => names.refOf(name))).toEqual([one, two]);
      expect([reversed.nameOf(one), reversed.nameOf(two)]).toEqual(both);
    }
  });

  it('a tool whose name needs no change keeps it', () => {
    const plain = { server: 'a', tool: 'read_file' };
    const altered = { server: 'a', tool: 'read file' };
    const names = createToolNames([altered, plain]);
    expect(names.nameOf(plain)).toBe('mcp__a__read_file');
    expect(names.nameOf(altered)).toMatch(/^mcp__a__read_file_[a-f0-9]{8}$/);
  });

  it('finds a name even if a server guesses all suffixes', () => {
    const victims = [
      { server: 'v', tool: 'x y' },
      { server: 'v', tool: 'x/y' },
    ];
    const honest = createToolNames(victims, { naming: naming.bare });
    const guessed: ToolRef[] = victims.map((ref) => ({ server: 'evil', tool: honest.nameOf(ref) ?? '' }));
    for (let round = 0; round < 4; round++) {
      const names = createToolNames([...victims, ...guessed], { naming: naming.bare });
      for (const ref of victims) guessed.push({ server: 'evil', tool: names.nameOf(ref) ?? '' });
    }
    const names = createToolNames([...victims, ...guessed], { naming: naming.bare });
    for (const ref of [...victims, ...guessed]) expect(names.refOf(names.nameOf(ref) ?? '')).toEqual(ref);
  });

  it('resolves only names in the map, and suggests the nearest', () => {
    const names = createToolNames([{ server: 'fs', tool: 'read_file' }]);
    expect(names.refOf('mcp__fs__read_fil')).toBeUndefined();
    expect(names.refOf('MCP__fs__read_file')).toBeUndefined();
    expect(names.refOf('__proto__')).toBeUndefined();
    expect(names.nearest('read_file')).toEqual(['mcp__fs__read_file']);
  });
});

it('names are the same on every machine, including the hash', () => {
  const tools = [
    { server: 'a', tool: 'Read' },
    { server: 'a', tool: 'read' },
  ];
  const names = createToolNames(tools);
  expect(tools.map((ref) => names.nameOf(ref))).toMatchInlineSnapshot(`
    [
      "mcp__a__Read_dd059719",
      "mcp__a__read_53d55ec2",
    ]
  `);
});
