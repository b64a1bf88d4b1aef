import fc from 'fast-check';
import ts from 'typescript-5.9';
import { describe, expect, it } from 'vitest';
import { generateClient, generateTypes, toTypeScript, type DescribedTool } from '../../src/code-mode.js';
import { hostileTool } from '../support/hostile-tools.js';

const object = { type: 'object' };
const tool = (name: string, more: Partial<DescribedTool> = {}): DescribedTool => ({
  server: 's',
  name,
  inputSchema: object,
  ...more,
});

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

  it('are bounded, and the cut is announced', () => {
    const description = 'x'.repeat(5_000_000);
    const { declarations } = toTypeScript([tool('t', { description })]);
    expect(declarations).toContain('more characters)');
    expect(declarations.length).toBeLessThan(6_000);
    const lines = toTypeScript([tool('t', { description: 'a\n\n\n\nb\n'.repeat(200) })]).declarations;
    expect(lines).toMatch(/… \(\d+ more lines\)/);
    const whole = (length: number): string =>
      toTypeScript([tool('t', { description: 'x'.repeat(length) })]).declarations;
    expect(whole(2_000)).toContain(`/** ${'x'.repeat(2_000)} */`);
    expect(whole(2_001)).toContain(`/** ${'x'.repeat(2_000)}… (1 more characters) */`);
    const high = (count: number): string =>
      toTypeScript([tool('t', { description: 'b\n'.repeat(count) })]).declarations;
    expect(high(60)).not.toContain('more lines');
    expect(high(61)).toContain('… (1 more lines)');
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
      expect(functions[name]).toMatch(/^createIssue_[a-f0-9]{8}$/);
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
    expect(variables['サーバー']).toMatch(/^server_[a-f0-9]{8}$/);
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

  it('has a function for each tool, without required arguments if the tool needs none', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
    const tools = [tool('get-sum', { inputSchema: schema, outputSchema: schema }), tool('ping')];
    const { declarations } = toTypeScript(tools);
    expect(declarations).toContain('getSum(args: GetSumArguments): Promise<GetSumResult>;');
    expect(declarations).toContain('ping(args?: PingArguments): Promise<mcp.ToolResult>;');
  });

  it.each([
    ['sdk', /callTool\(.*, undefined, options\)/],
    ['sdk-v2', /callTool\((?!.*undefined).*, options\)/],
  ] as const)('calls a client of the SDK with its parameters: %s', (caller, call) => {
    expect(generateClient([tool('t')], { server: 's', caller }).text).toMatch(call);
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
