import fc from 'fast-check';
import ts from 'typescript-5.9';
import { describe, expect, it } from 'vitest';
import { generateClient, generateTypes, toTypeScript, type DescribedTool } from '../../src/code-mode.js';
import { jsonSchemas } from '../support/arbitrary-schemas.js';
import { complaintsAbout } from '../support/compile.js';

const COMPILE_MS = 120_000;
const object = { type: 'object' };
const tool = (name: string, more: Partial<DescribedTool> = {}): DescribedTool => ({
  server: 's',
  name,
  inputSchema: object,
  ...more,
});

/** Texts that try to leave the comment or the literal that they are in, or to mean something to a compiler. */
const HOSTILE = [
  '*/ export const evil = 1; /*',
  '*\u200b/ *\\/',
  "'; declare const evil: 1; '",
  '`${evil}`',
  '"\\',
  "\\'",
  '\\\\',
  '\n// @ts-nocheck\n',
  '@ts-expect-error',
  '@ts-ignore',
  '/// <reference path="/etc/passwd" />',
  '{@link evil} @deprecated',
  '\r\u2028\u2029 evil()',
  '\u202e\u2066\u{e0041}\0\u001b[31m',
  '\ud800',
  '\udc00x',
  '__proto__',
  'constructor',
  'then',
  'new',
  'delete',
  'get',
  'readonly',
  '',
  ' ',
  '1',
  '-0',
  '[key: string]',
  '#private',
  'Promise',
  '検索',
  'é',
  'e\u0301',
  '𐐀',
  '💩',
  '<script>',
  'x'.repeat(300),
  'a-b',
  'a_b',
  'aB',
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE, ' ', '\n', 'a'), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const hostileSchema: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(
    fc.dictionary(
      hostileText,
      fc.record({
        type: fc.constantFrom('string', 'object'),
        description: hostileText,
        default: hostileText,
      }),
    ),
    fc.array(hostileText, { minLength: 1, maxLength: 4 }),
    fc.dictionary(
      hostileText,
      fc.record({ enum: fc.array(hostileText, { minLength: 1, maxLength: 3 }), title: hostileText }),
    ),
    hostileText,
    hostileText,
  )
  .map(([properties, values, definitions, pattern, description]) => ({
    type: 'object',
    description,
    properties: {
      ...properties,
      listed: { enum: values, pattern, format: pattern, deprecated: true },
      fixed: { const: { [pattern]: [pattern] } },
      ...Object.fromEntries(
        Object.keys(definitions).map((name, index) => [`ref${index}`, { $ref: `#/$defs/${pointer(name)}` }]),
      ),
    },
    required: values,
    $defs: definitions,
  }));

const pointer = (name: string): string =>
  !/\p{Cs}/u.test(name) ? encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')) : 'broken';

const hostileTool: fc.Arbitrary<DescribedTool> = fc.record(
  {
    server: fc.oneof(hostileText, fc.constantFrom('s', 'fetch', 'console', 'mcp')),
    name: hostileText,
    title: hostileText,
    description: hostileText,
    inputSchema: hostileSchema,
    outputSchema: fc.oneof(hostileSchema, jsonSchemas),
  },
  { requiredKeys: ['server', 'name', 'inputSchema'] },
);

/** What a text declares, in order: nothing of a stranger is among it. */
function statements(text: string): readonly string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  return source.statements.map((statement) => ts.SyntaxKind[statement.kind]);
}

describe('texts of strangers', () => {
  const kinds = new Set([
    'ModuleDeclaration',
    'FirstStatement',
    'TypeAliasDeclaration',
    'InterfaceDeclaration',
    'ImportDeclaration',
    'FunctionDeclaration',
    'ClassDeclaration',
  ]);

  it('stay in comments and literals, and no character is invisible', () => {
    fc.assert(
      fc.property(fc.array(hostileTool, { minLength: 1, maxLength: 4 }), (tools) => {
        const { declarations, script, servers } = toTypeScript(tools);
        const [server = ''] = tools.map((each) => each.server);
        const files = (['host', 'sdk', 'sdk-v2'] as const).map(
          (caller) => generateClient(tools, { server, caller }).text,
        );
        const types = generateTypes(tools, { server, madeBy: server }).text;
        for (const text of [declarations, script, types, ...files]) {
          expect(text).not.toMatch(
            /[^\n\P{Cc}]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
          );
          expect(statements(text).filter((kind) => !kinds.has(kind))).toEqual([]);
        }
        // Two for the common part, and two for each server; one more for what the script calls.
        expect(statements(declarations)).toHaveLength(1 + 2 * servers.length);
        expect(statements(script)).toHaveLength(1 + servers.length);
        expect(new Set(servers.map(({ variable }) => variable)).size).toBe(servers.length);
        for (const { functions } of servers) {
          expect(new Set(functions.map(({ name }) => name)).size).toBe(functions.length);
          for (const { name } of functions) expect(name in {}).toBe(false);
        }
      }),
      { numRuns: 80 },
    );
  });

  it(
    'compile, with every name, value and description',
    async () => {
      const samples = fc.sample(fc.array(hostileTool, { minLength: 1, maxLength: 6 }), {
        numRuns: 30,
        seed: 24,
      });
      const files = Object.fromEntries(
        samples.flatMap((tools, index) => {
          const [server = ''] = tools.map((each) => each.server);
          const caller = (['host', 'sdk', 'sdk-v2'] as const)[index % 3];
          return [
            [`types-${index}.ts`, generateTypes(tools, { server }).text],
            [`client-${index}.ts`, generateClient(tools, { server, caller }).text],
            // As a module, because the variables of thirty toolsets would meet.
            [`declared-${index}.ts`, `${toTypeScript(tools).declarations}export {};\n`],
          ];
        }),
      );
      expect(await complaintsAbout(files)).toBe('');
    },
    COMPILE_MS,
  );

  it('are bounded, and the cut is announced', () => {
    const description = 'x'.repeat(5_000_000);
    const { declarations } = toTypeScript([tool('t', { description })]);
    expect(declarations).toContain('more characters)');
    expect(declarations.length).toBeLessThan(6_000);
    const lines = toTypeScript([tool('t', { description: 'a\n\n\n\nb\n'.repeat(200) })]).declarations;
    expect(lines).toMatch(/… \(\d+ more lines\)/);
  });
});

describe('names', () => {
  const functionsOf = (...names: readonly string[]): Record<string, string> => {
    const { servers } = toTypeScript(names.map((name) => tool(name)));
    return Object.fromEntries(
      (servers[0]?.functions ?? []).map(({ name, tool: original }) => [original, name]),
    );
  };

  it('of functions are in camel case, and what is one already stays', () => {
    expect(
      functionsOf('create_issue', 'get-sum', 'getURL', 'GET_ALL', 'API.list', '2fa enable', 'PDF'),
    ).toEqual({
      create_issue: 'createIssue',
      'get-sum': 'getSum',
      getURL: 'getURL',
      GET_ALL: 'getAll',
      'API.list': 'apiList',
      '2fa enable': '_2faEnable',
      PDF: 'pdf',
    });
  });

  it('that are the same in camel case stay apart, in any order, and the one that is spelled so keeps it', () => {
    const names = ['create_issue', 'createIssue', 'create-issue', 'CreateIssue'];
    const functions = functionsOf(...names);
    expect(functions['createIssue']).toBe('createIssue');
    expect(new Set(Object.values(functions)).size).toBe(4);
    expect(functionsOf(...names.toReversed())).toEqual(functions);
    for (const name of names.filter((each) => each !== 'createIssue'))
      expect(functions[name]).toMatch(/^createIssue_[a-z2-7]{8}$/);
  });

  it('that look the same are told apart', () => {
    const functions = functionsOf('caf\u00e9', 'cafe\u0301', 'a\u200bb', 'ab');
    expect(new Set(Object.values(functions)).size).toBe(4);
    expect(functions['ab']).toBe('ab');
  });

  it('that every object has get another one: an object with `then` would be a promise', () => {
    expect(Object.values(functionsOf('then', 'toString', 'constructor', '__proto__', 'delete'))).toEqual([
      'constructor_',
      'delete',
      'proto',
      'then_',
      'toString_',
    ]);
  });

  it('of servers are variables, and no keyword or global', () => {
    const servers = ['github', 'my-server', 'fetch', 'delete', 'onclick', 'mcp', 'サーバー'];
    const { servers: bindings } = toTypeScript(servers.map((server) => ({ ...tool('t'), server })));
    const variables = Object.fromEntries(bindings.map(({ server, variable }) => [server, variable]));
    expect(variables).toMatchObject({
      github: 'github',
      'my-server': 'myServer',
      fetch: 'fetchTools',
      delete: 'deleteTools',
      onclick: 'onclickTools',
      mcp: 'mcpTools',
    });
    expect(variables['サーバー']).toMatch(/^server_[a-z2-7]{8}$/);
  });
});

describe('the text', () => {
  it('is the same for the same tools, in every order', () => {
    const tools = [tool('b'), tool('a', { server: 'z' }), tool('a'), tool('a-b'), tool('a_b'), tool('aB')];
    const first = toTypeScript(tools);
    expect(toTypeScript(tools.toReversed())).toEqual(first);
    expect(first.servers.map(({ variable }) => variable)).toEqual(['s', 'z']);
    const client = generateClient(tools, { server: 's' });
    expect(generateClient(tools.toReversed(), { server: 's' })).toEqual(client);
  });

  it('leaves out a tool that exceeds the limits, and says why', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100; level++) deep = { items: deep };
    const tools = [tool('deep', { inputSchema: deep }), tool('ok'), tool('ok'), tool('x'.repeat(2_000))];
    const [server] = toTypeScript(tools).servers;
    expect(server?.functions.map(({ name }) => name)).toEqual(['ok']);
    expect(server?.skipped.map(({ error }) => error.code)).toEqual([
      'SCHEMA_REFUSED',
      'PROTOCOL_VIOLATION',
      'PROTOCOL_VIOLATION',
    ]);
  });

  it('of a server without tools is an error', () => {
    expect(() => generateClient([tool('t')], { server: 'x' })).toThrow(
      expect.objectContaining({ code: 'SERVER_UNKNOWN' }),
    );
  });
});

describe('hostile schemas', () => {
  const branches = (count: number, of: string) =>
    Array.from({ length: count }, (_, n) => ({
      type: 'object',
      properties: { [`${of}${n}`]: {} },
      required: [`${of}${n}`],
    }));
  const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
  const definitions = (count: number, schema: (n: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, schema(n)]));

  const SCHEMAS: Readonly<Record<string, Record<string, unknown>>> = {
    'unions that multiply': { allOf: ['a', 'b', 'c', 'd'].map((of) => ({ anyOf: branches(60, of) })) },
    'unions that multiply through references': {
      allOf: ['d0', 'd1', 'd2', 'd3'].map(ref),
      $defs: definitions(4, (n) => ({ anyOf: branches(60, `x${n}`) })),
    },
    'names that double': {
      ...ref('d0'),
      $defs: definitions(60, (n) => ({
        allOf: [{ anyOf: branches(2, `y${n}`) }, ...(n < 59 ? [ref(`d${n + 1}`)] : [])],
      })),
    },
    'a chain of references': {
      ...ref('d0'),
      $defs: definitions(2_000, (n) => (n < 1_999 ? ref(`d${n + 1}`) : {})),
    },
    'references in a circle': {
      ...ref('d0'),
      $defs: definitions(3, (n) => ({ anyOf: [ref(`d${(n + 1) % 3}`), { type: 'string' }] })),
    },
    'the root itself': { anyOf: [{ $ref: '#' }, { type: 'object', properties: { a: { $ref: '#' } } }] },
    'recursive through an index': { additionalProperties: { $ref: '#' } },
    'recursive through a tuple': {
      type: 'object',
      properties: { a: ref('d0') },
      $defs: { d0: { type: 'array', prefixItems: [ref('d0')], items: ref('d0') } },
    },
    'a long enum': {
      type: 'object',
      properties: { a: { enum: Array.from({ length: 5_000 }, (_, n) => `value ${n}`) } },
    },
    'two long enums': {
      type: 'object',
      properties: {
        a: { allOf: [0, 2_500].map((from) => ({ enum: Array.from({ length: 5_000 }, (_, n) => n + from) })) },
      },
    },
    'a long tuple': {
      type: 'object',
      properties: { a: { type: 'array', prefixItems: Array.from({ length: 5_000 }, () => ({})) } },
    },
    'many properties': {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`p${n}`, { type: 'string' }])),
    },
    'numbers of every size': {
      type: 'object',
      properties: { a: { enum: [1e21, -1e-7, 2 ** 53 + 2, -0, 1.5, Number.MAX_VALUE] } },
    },
  };

  it(
    'compile, and stay short',
    async () => {
      const files = Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema], index) => [
          `hostile-${index}.ts`,
          generateTypes([tool(name, { inputSchema: schema, outputSchema: schema })], { server: 's' }).text,
        ]),
      );
      for (const text of Object.values(files)) expect(text.length).toBeLessThan(1_000_000);
      expect(await complaintsAbout(files)).toBe('');
    },
    COMPILE_MS,
  );
});
