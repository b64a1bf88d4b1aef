import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CatalogTool } from '@mcp-fittings/host';
import { ToolIndex } from '../../src/deferral/tool-index.js';
import { textsOf } from '../../src/deferral/tool-texts.js';
import { createTools } from '../../src/create-tools.js';
import type { ModelTool } from '../../src/model-tools/model-tool.js';
import { fakeHost, tool } from '../support/fake-host.js';

interface Item {
  readonly name: string;
  readonly text?: string;
  readonly group?: string;
}

/** The items as tools, in the same order: a group is a server, and a text a description. */
function toolsOf(items: readonly Item[]): readonly ModelTool[] {
  const host = fakeHost(
    items.map(({ name, text, group = 's' }) => tool(name, { server: group, description: text })),
  );
  const { tools } = createTools(host).snapshot();
  return items.flatMap(({ name }) => tools.find(({ ref }) => ref.tool === name) ?? []);
}

const silent = (): string => '';

function search(items: readonly Item[], query: string, limit = 10): readonly string[] {
  const index = new ToolIndex();
  index.update(toolsOf(items), silent);
  return index.search(query, limit).map(({ ref }) => ref.tool);
}

describe('the index', () => {
  it.each([
    ['createIssue', 'create issue'],
    ['create_issue', 'createIssue'],
    ['create-issue', 'ISSUE'],
    ['getHTTPServer', 'http server'],
    ['S3Bucket', 's3'],
    ['sha256sum', 'sha256'],
    ['list_issues', 'issue'],
    ['list_repositories', 'repository'],
    ['repositories', 'repo'],
    ['repo', 'repository'],
    ['search_boxes', 'box'],
    ['creating', 'create'],
    ['deletion', 'delete'],
    ['stopped', 'stop'],
    ['status', 'status'],
    ['access', 'access'],
    ['café_menu', 'cafe'],
    ['cafe', 'CAFÉ'],
    ['ｆｕｌｌｗｉｄｔｈ', 'fullwidth'],
    ['ファイルを読む', 'ファイル'],
    ['搜索文件', '文件'],
    ['파일 검색', '검색'],
    ['файл', 'ФАЙЛ'],
    ['قراءة الملف', 'الملف'],
  ])('finds %s by %s', (name, query) => {
    expect(search([{ name: 'unrelated' }, { name }, { name: 'zzz' }], query)).toEqual([name]);
  });

  it('prefers the tools of a server that the query names, and finds those of others', () => {
    const tools = [
      { name: 'comment', text: 'For work and pages', group: 'tracker' },
      { name: 'x', text: 'Writes a comment', group: 'work-pages' },
    ];
    expect(search(tools, 'work pages comment')).toEqual(['x', 'comment']);
    expect(search(tools, 'pages comment')).toEqual(['comment', 'x']);
  });

  it.each([
    ['issue', 'is'],
    ['port', 'export'],
    ['a', 'the'],
  ])('does not find %s by %s', (name, query) => {
    expect(search([{ name }], query)).toEqual([]);
  });

  it('a rare word counts more than a frequent one, a name more than a text, and a short text more than a long one', () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ name: `list_n${at}`, text: 'files' }));
    expect(search([...many, { name: 'other', text: 'list whales' }], 'list whales', 1)).toEqual(['other']);
    expect(search([{ name: 'a1', text: 'whale' }, { name: 'whale' }], 'whale')).toEqual(['whale', 'a1']);
    const long = {
      name: 'long',
      text: `whale ${Array.from({ length: 80 }, (_, at) => `word${at}x`).join(' ')}`,
    };
    expect(search([long, { name: 'short', text: 'whale' }], 'whale')).toEqual(['short', 'long']);
    // A word that is repeated a thousand times does not decide.
    const spam = { name: 'spam', text: 'whale '.repeat(1_000) };
    expect(search([spam, { name: 'whale_watch' }], 'whale')).toEqual(['whale_watch', 'spam']);
  });

  it('a word with + must be in the name; the other words decide', () => {
    const items = [
      { name: 'github_list', text: 'issues' },
      { name: 'github_create', text: 'an issue' },
      { name: 'gitlab_create', text: 'an issue, as github does' },
    ];
    expect(search(items, '+github create issue')).toEqual(['github_create']);
    expect(search(items, '+github issue')).toEqual(['github_list', 'github_create']);
    expect(search(items, 'create +github')).toEqual(['github_create']);
    expect(search(items, '+github')).toHaveLength(2);
    expect(search(items, '+bitbucket create')).toEqual([]);
    expect(search(items, 'c++ c# + ++ !?')).toEqual([]);
  });

  it('an item that is much worse than the best is not found', () => {
    const items = [
      { name: 'send_mail' },
      { name: 'send_fax', text: 'not mail' },
      { name: 'other', text: 'send' },
    ];
    const filler = Array.from({ length: 20 }, (_, at) => ({ name: `send_${'abcdefghijklmnopqrst'[at]}q` }));
    expect(search([...filler, ...items], 'send mail')).toEqual(['send_mail', 'send_fax']);
  });

  it('looks for the first 24 words of a query, in its first 400 characters', () => {
    const after = (words: number) => `${Array.from({ length: words }, (_, at) => `x${at}`).join(' ')} whale`;
    expect(search([{ name: 'whale' }], after(23))).toEqual(['whale']);
    expect(search([{ name: 'whale' }], after(24))).toEqual([]);
    expect(search([{ name: 'sea' }], 'sea'.padStart(400))).toEqual(['sea']);
    expect(search([{ name: 'sea' }], 'sea'.padStart(401))).toEqual([]);
  });

  const padded = (length: number) => 'sea'.padStart(length, '-');
  const property = (name: string, schema: object = {}) => ({ properties: { [name]: schema } });
  const list = (items: object) => ({ type: 'array', items });
  it.each<readonly [string, Partial<CatalogTool>, Partial<CatalogTool>]>([
    [
      '120 characters of a title',
      { title: padded(120), description: 'x' },
      { title: padded(121), description: 'x' },
    ],
    ['1200 characters of a description', { description: padded(1200) }, { description: padded(1201) }],
    [
      '128 characters of the name of a parameter',
      { inputSchema: property(padded(128)) },
      { inputSchema: property(padded(129)) },
    ],
    [
      '1199 characters of the description of a parameter',
      { inputSchema: property('x', { description: padded(1199) }) },
      { inputSchema: property('x', { description: padded(1200) }) },
    ],
    [
      'four levels of parameters',
      { inputSchema: property('a', property('b', property('c', property('sea')))) },
      { inputSchema: property('a', property('b', property('c', property('d', property('sea'))))) },
    ],
    [
      'the parameters of one list, which is a level',
      { inputSchema: property('a', list(property('b', property('sea')))) },
      { inputSchema: property('a', list(property('b', list(property('sea'))))) },
    ],
  ])('reads %s', (_what, within, beyond) => {
    const isFound = (more: Partial<CatalogTool>) => {
      const index = new ToolIndex();
      index.update(createTools(fakeHost([tool('t', more)])).snapshot().tools, silent);
      return index.search('sea', 1).length > 0;
    };
    expect([isFound(within), isFound(beyond)]).toEqual([true, false]);
  });

  it('equally good items keep their order, and the limit holds', () => {
    const items = ['b', 'a', 'c'].map((name) => ({ name: `x_${name}9` }));
    expect(search(items, 'x')).toEqual(['x_b9', 'x_a9', 'x_c9']);
    expect(search(items, 'x', 2)).toEqual(['x_b9', 'x_a9']);
    expect(search([], 'x')).toEqual([]);
  });

  it('reads only what is new or changed', () => {
    const index = new ToolIndex();
    const [a, b, c] = toolsOf([{ name: 'a' }, { name: 'b', group: 'r' }, { name: 'c' }]);
    expect(index.read([a!, b!], silent)).toBe(2);
    expect(index.read([a!, b!], silent)).toBe(0);
    index.update([a!, b!], silent);
    expect(index.read([a!, b!, c!], silent)).toBe(1);
    expect(index.read([a!, b!, c!], (server) => (server === 'r' ? 'orbits' : ''))).toBe(1);
  });

  it('finds the same, whatever was in it before', () => {
    const words = [
      'list',
      'create',
      'issue',
      'issues',
      'repo',
      'repository',
      'mail',
      'message',
      'box',
      'file',
    ];
    const item = fc.record({
      name: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((some) => some.join('_')),
      text: fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((some) => some.join(' ')),
    });
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 12 }),
        fc.array(fc.array(fc.nat({ max: 11 }), { maxLength: 8 }), { maxLength: 4 }),
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }),
        (items, earlier, query) => {
          const tools = toolsOf(items);
          const index = new ToolIndex();
          for (const places of earlier)
            index.update(
              places.flatMap((at) => tools[at] ?? []),
              silent,
            );
          index.update(tools, silent);
          const fresh = new ToolIndex();
          fresh.update(tools, silent);
          expect(index.search(query.join(' '), 5)).toEqual(fresh.search(query.join(' '), 5));
        },
      ),
    );
  });
});

describe('what is searched of a tool', () => {
  const found = (query: string, more: Parameters<typeof tool>[1], instructions = ''): boolean => {
    const host = fakeHost([tool('plain_name', more)]);
    const index = new ToolIndex();
    index.update(createTools(host).snapshot().tools, () => instructions);
    return index.search(query, 1).length === 1;
  };

  it.each<[string, Parameters<typeof tool>[1]]>([
    ['its name', {}],
    ['its server', { name: 'x', server: 'plain' }],
    ['its title', { name: 'x', title: 'Plain name' }],
    ['the title of its annotations', { name: 'x', annotations: { title: 'Plain name' } }],
    ['its description', { name: 'x', description: 'It is plain.' }],
    ['a parameter', { name: 'x', inputSchema: { properties: { plainParameter: {} } } }],
    [
      'the description of a parameter',
      { name: 'x', inputSchema: { properties: { a: { description: 'plain' } } } },
    ],
    [
      'a parameter within a list of objects',
      { name: 'x', inputSchema: { properties: { a: { items: { properties: { plain: {} } } } } } },
    ],
  ])('%s', (_, more) => {
    expect(found('plain', more)).toBe(true);
    expect(found('fancy', more)).toBe(false);
  });

  it('a parameter within three others, and none within four', () => {
    const within = (levels: number): Record<string, unknown> =>
      levels === 0 ? { properties: { plain: {} } } : { properties: { a: within(levels - 1) } };
    expect(found('plain', { name: 'x', inputSchema: within(3) })).toBe(true);
    expect(found('plain', { name: 'x', inputSchema: within(4) })).toBe(false);
  });

  it('the instructions of its server', () => {
    expect(found('orbits', {}, 'Everything about orbits.')).toBe(true);
  });

  it('a schema that throws when it is read hides only its parameters', () => {
    const definition = tool('plain_name', { description: 'It is plain.' });
    const hostile = {
      ...definition,
      get inputSchema(): never {
        throw new Error('no');
      },
    };
    const [model] = createTools(fakeHost([definition])).snapshot().tools;
    expect(textsOf({ ...model!, definition: hostile }, '').map(({ text }) => text)).toContain('It is plain.');
  });

  it('at most 1200 characters of a description and of all parameters', () => {
    const filler = 'x '.repeat(600);
    expect(found('late', { name: 'x', description: `${filler} late` })).toBe(false);
    const properties = { a: { description: filler }, b: { description: 'late' } };
    expect(found('late', { name: 'x', inputSchema: { properties } })).toBe(false);
  });
});
