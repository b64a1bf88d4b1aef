import type { CatalogTool } from '@mcp-fittings/host';
import { describe, expect, it } from 'vitest';
import type { LastToolEvent } from '../../src/calls/toolset.js';
import { createTools, type ToolsOptions } from '../../src/create-tools.js';
import type { DeferOptions } from '../../src/deferral/defer-options.js';
import { naming } from '../../src/names/tool-names.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import { fakeHost, tool } from '../support/fake-host.js';

const GITHUB = [
  tool('create_issue', {
    server: 'github',
    description: 'Opens a new issue in a repository. Needs write access.',
    inputSchema: {
      type: 'object',
      properties: { title: { type: 'string', description: 'Headline of the report' } },
      required: ['title'],
    },
  }),
  tool('list_pull_requests', { server: 'github', description: 'Lists pull requests.' }),
];
const MAIL = [
  tool('sendMessage', {
    server: 'mail',
    description: 'Sends an e-mail.',
    inputSchema: { type: 'object', properties: { recipients: { type: 'array' }, body: { type: 'string' } } },
  }),
  tool('readInbox', { server: 'mail', description: 'Reads the newest messages.' }),
];
const CATALOG = [...GITHUB, ...MAIL];

function setUp(defer: DeferOptions = {}, catalog: readonly CatalogTool[] = CATALOG, more: ToolsOptions = {}) {
  const host = fakeHost(catalog);
  const tools = createTools(host, {
    defaultPermission: 'allow',
    ...more,
    defer: { mode: 'always', ...defer },
  });
  return { host, tools, conversation: tools.conversation() };
}

const namesOf = (list: readonly { readonly name: string }[]): readonly string[] =>
  list.map(({ name }) => name);

function textOf(event: LastToolEvent): string {
  expect(event.type).toBe('result');
  return event.rendering.text;
}

describe('when tools are deferred', () => {
  it('never, unless an option says so: no search, all tools, sorted by name', () => {
    for (const options of [{}, { defer: 'never' }, { defer: { mode: 'never' } }] satisfies ToolsOptions[]) {
      const turn = createTools(fakeHost(CATALOG), options).snapshot();
      expect(namesOf(turn.tools)).toEqual([
        'mcp__github__create_issue',
        'mcp__github__list_pull_requests',
        'mcp__mail__readInbox',
        'mcp__mail__sendMessage',
      ]);
      expect(turn.deferred).toEqual([]);
      expect(turn.activeTools()).toBe(turn.tools);
    }
  });

  it('always: the model is offered one search, whose description lists the tools by server', () => {
    for (const options of [{ defer: 'always' }, { defer: { mode: 'always' } }] satisfies ToolsOptions[]) {
      const turn = createTools(fakeHost(CATALOG), options).snapshot();
      expect(namesOf(turn.tools)).toEqual(['tool_search']);
      expect(namesOf(turn.deferred)).toHaveLength(4);
      expect(turn.tools[0]?.description.split('\n').slice(-6)).toEqual([
        'github (2 tools):',
        '- mcp__github__create_issue: Opens a new issue in a repository.',
        '- mcp__github__list_pull_requests: Lists pull requests.',
        'mail (2 tools):',
        '- mcp__mail__readInbox: Reads the newest messages.',
        '- mcp__mail__sendMessage: Sends an e-mail.',
      ]);
    }
  });

  it('no search is offered if there is nothing to find', () => {
    expect(setUp({}, []).tools.snapshot().tools).toEqual([]);
    expect(namesOf(setUp({ alwaysLoaded: ['*'] }).tools.snapshot().tools)).toHaveLength(4);
  });

  it('auto: if the definitions exceed the threshold, counted with the function of the host, once for each tool', () => {
    const counted: string[] = [];
    const countTokens = (definition: string): number => counted.push(definition) && 10;
    const { tools, host } = setUp({ mode: 'auto', thresholdTokens: 40, countTokens });
    expect(namesOf(tools.snapshot().tools)).toHaveLength(4);
    expect(namesOf(tools.snapshot().tools)).toHaveLength(4);
    expect(counted).toHaveLength(4);
    const [first] = counted.map((json): unknown => JSON.parse(json));
    expect(first).toMatchObject({ name: 'mcp__github__create_issue', input_schema: { type: 'object' } });
    host.catalog = [...CATALOG, tool('one_more')];
    expect(namesOf(tools.snapshot().tools)).toEqual(['tool_search']);
    expect(counted).toHaveLength(5);
  });

  it('auto counts a quarter of the characters, with a threshold of 10 000 tokens', () => {
    const big = (characters: number) =>
      tool('big', { description: 'x '.repeat(4_000), inputSchema: schemaOf(characters) });
    const offered = (characters: number) =>
      namesOf(createTools(fakeHost([big(characters)]), { defer: 'auto' }).snapshot().tools);
    expect(offered(31_000)).toEqual(['mcp__s__big']);
    expect(offered(33_000)).toEqual(['tool_search']);
  });

  it('auto goes on to defer in a conversation that has loaded tools, even if servers go', async () => {
    const { tools, host, conversation } = setUp({ mode: 'auto', thresholdTokens: 35, countTokens: () => 10 });
    await tools.snapshot(conversation).run('tool_search', { query: 'inbox' });
    host.catalog = MAIL;
    expect(namesOf(tools.snapshot(conversation).tools)).toEqual(['tool_search', 'mcp__mail__readInbox']);
    expect(namesOf(tools.snapshot(tools.conversation()).tools)).toHaveLength(2);
  });

  it.each<[DeferOptions, string]>([
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program in JavaScript may pass anything
    [{ mode: 'sometimes' } as unknown as DeferOptions, 'defer.mode'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program in JavaScript may pass anything
    [{ native: 'gemini' } as unknown as DeferOptions, 'defer.native'],
    [{ thresholdTokens: Number.NaN }, 'defer.thresholdTokens'],
    [{ thresholdTokens: -1 }, 'defer.thresholdTokens'],
    [{ maxResults: 0 }, 'defer.maxResults'],
    [{ maxLoaded: 1.5 }, 'defer.maxLoaded'],
    [{ maxListBytes: -1 }, 'defer.maxListBytes'],
  ])('rejects %j', (defer, named) => {
    expect(() => createTools(fakeHost([]), { defer })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(named) }),
    );
  });
});

describe('what is offered', () => {
  it('a search loads the best tools for the next turn, and for the same one in activeTools', async () => {
    const { tools, conversation } = setUp({ maxResults: 1 });
    const turn = tools.snapshot(conversation);
    const found = textOf(await turn.run('tool_search', { query: 'open an issue' }));
    expect(found).toContain('- mcp__github__create_issue: Opens a new issue in a repository.');
    expect(namesOf(turn.tools)).toEqual(['tool_search']);
    expect(namesOf(turn.activeTools())).toEqual(['tool_search', 'mcp__github__create_issue']);
    const next = tools.snapshot(conversation);
    expect(namesOf(next.tools)).toEqual(['tool_search', 'mcp__github__create_issue']);
    expect(next.tools[1]?.inputSchema.required).toEqual(['title']);
    expect((await next.run('mcp__github__create_issue', { title: 'x' })).rendering.text).toBe('done');
  });

  it('tools that are always loaded are offered at once, and are not in the list', async () => {
    for (const alwaysLoaded of [
      ['mcp__mail__*'],
      ({ ref }: { readonly ref: { readonly server: string } }) => ref.server === 'mail',
    ]) {
      const { tools, conversation } = setUp({ alwaysLoaded });
      const turn = tools.snapshot(conversation);
      expect(namesOf(turn.tools)).toEqual(['tool_search', 'mcp__mail__readInbox', 'mcp__mail__sendMessage']);
      expect(turn.tools[0]?.description).not.toContain('mail');
      await turn.run('tool_search', { query: 'select:mcp__mail__readInbox' });
      expect(namesOf(turn.activeTools())).toEqual(namesOf(turn.tools));
      expect(conversation.loaded).toEqual([]);
    }
  });

  it('exact names are loaded in the order in which they are given, and similar ones are suggested for others', async () => {
    const { tools, conversation } = setUp();
    const turn = tools.snapshot(conversation);
    const query = 'select: mcp__mail__readInbox,mcp__github__create_issue, mcp__mail__sendMesage';
    const found = textOf(await turn.run('tool_search', { query }));
    expect(found).toContain('Loaded 2 tools');
    expect(found).toContain('no tool named "mcp__mail__sendMesage". Did you mean "mcp__mail__sendMessage"');
    expect(namesOf(conversation.loaded)).toEqual(['mcp__mail__readInbox', 'mcp__github__create_issue']);
    expect(textOf(await turn.run('tool_search', { query: 'mcp__mail__sendMessage' }))).toContain(
      'Loaded 1 tool,',
    );
  });

  it('a search without a result says so, and one without a query is an error that the model can read', async () => {
    const { tools, conversation } = setUp();
    const turn = tools.snapshot(conversation);
    expect(textOf(await turn.run('tool_search', { query: 'zzz\u202eqqq' }))).toContain(
      'No tool was found for "zzzqqq"',
    );
    for (const args of [undefined, {}, { query: 1 }, { query: ' ' }, 'inbox', null]) {
      expect(await turn.run('tool_search', args)).toMatchObject({
        type: 'error',
        error: { code: 'ARGUMENTS_INVALID', delivery: 'not-sent' },
        rendering: { isError: true },
      });
    }
    expect(conversation.loaded).toEqual([]);
  });

  it('a search is one event of call() too, asks for no permission and reaches no server', async () => {
    const { tools, host, conversation } = setUp({}, CATALOG, { defaultPermission: 'deny' });
    const events = [];
    for await (const event of tools.snapshot(conversation).call('tool_search', { query: 'inbox' }))
      events.push(event);
    expect(events).toEqual([expect.objectContaining({ type: 'result', issues: [] })]);
    expect(host.calls).toEqual([]);
  });

  it('without a conversation, what was loaded ends with the toolset', async () => {
    const { tools } = setUp();
    const turn = tools.snapshot();
    await turn.run('tool_search', { query: 'inbox' });
    expect(namesOf(turn.activeTools())).toEqual(['tool_search', 'mcp__mail__readInbox']);
    expect(namesOf(tools.snapshot().tools)).toEqual(['tool_search']);
  });

  it('tools that the policy denies with skipDenied, and those for apps only, cannot be found or selected', async () => {
    const catalog = [
      ...MAIL,
      tool('deleteInbox', { server: 'mail' }),
      tool('appInbox', { server: 'mail', _meta: { ui: { visibility: ['app'] } } }),
    ];
    const policy = createToolPolicy({ servers: { mail: { deniedTools: ['delete*'] } } });
    const { tools, conversation } = setUp({}, catalog, { policy, skipDenied: true });
    const turn = tools.snapshot(conversation);
    expect(turn.tools[0]?.description).not.toMatch(/deleteInbox|appInbox/);
    await turn.run('tool_search', { query: 'delete app inbox' });
    await turn.run('tool_search', { query: 'select:mcp__mail__deleteInbox,mcp__mail__appInbox' });
    expect(namesOf(conversation.loaded)).toEqual(['mcp__mail__readInbox']);
    expect(await turn.run('mcp__mail__deleteInbox')).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
  });

  it('a tool of a server does not get the name of the search, whatever names look like', async () => {
    const catalog = [
      tool('tool_search'),
      tool('Tool_Search', { server: 'r' }),
      tool('tool_search_tool_bm25'),
    ];
    const { tools, conversation } = setUp({}, catalog, { naming: naming.bare });
    const turn = tools.snapshot(conversation);
    expect(namesOf(turn.tools)).toEqual(['tool_search']);
    expect(turn.tools[0]?.ref.server).toBe('');
    expect(namesOf(turn.deferred)).toEqual(['r__Tool_Search', 's__tool_search', 's__tool_search_tool_bm25']);
    expect(await turn.run('tool_search', {})).toMatchObject({ error: { code: 'ARGUMENTS_INVALID' } });
    expect(textOf(await turn.run('s__tool_search'))).toBe('done');
    expect(namesOf(createTools(fakeHost(catalog), { naming: naming.bare }).snapshot().tools)).toContain(
      'tool_search_tool_bm25',
    );
  });
});

describe('a call of a tool that was not loaded', () => {
  it('runs with the same checks and permissions, and the tool is loaded', async () => {
    const { tools, host, conversation } = setUp();
    const turn = tools.snapshot(conversation);
    expect(textOf(await turn.run('mcp__mail__readInbox'))).toBe('done');
    expect(host.calls).toEqual([{ ref: { server: 'mail', tool: 'readInbox' }, args: {} }]);
    expect(namesOf(tools.snapshot(conversation).tools)).toEqual(['tool_search', 'mcp__mail__readInbox']);
    const denied = setUp({}, CATALOG, { defaultPermission: 'deny' });
    expect(await denied.tools.snapshot().run('mcp__mail__readInbox')).toMatchObject({
      error: { code: 'POLICY_DENIED' },
    });
  });

  it('with invalid arguments is an error with the schema, because the model has not seen it', async () => {
    const { tools, host, conversation } = setUp();
    const turn = tools.snapshot(conversation);
    const event = await turn.run('mcp__github__create_issue', { name: 'x' });
    expect(event).toMatchObject({
      type: 'error',
      error: { code: 'ARGUMENTS_INVALID', delivery: 'not-sent', server: 'github' },
    });
    expect(event.rendering.text).toContain('"description": "Headline of the report"');
    const events = [];
    for await (const each of tools.snapshot(tools.conversation()).call('mcp__github__create_issue'))
      events.push(each);
    expect(events.at(-1)).toMatchObject({ rendering: { text: expect.stringContaining('Headline') } });
    // The model has the schema of a loaded tool.
    const next = await tools.snapshot(conversation).run('mcp__github__create_issue', {});
    expect(next.rendering.text).not.toContain('Headline');
    expect(host.calls).toEqual([]);
  });
});

describe('the order of tools', () => {
  it('a tool that its server changed is offered as it is now, in its place', async () => {
    const { tools, host, conversation } = setUp();
    await tools
      .snapshot(conversation)
      .run('tool_search', { query: 'select:mcp__mail__readInbox,mcp__mail__sendMessage' });
    host.catalog = [
      ...GITHUB,
      { ...MAIL[0]!, digest: 'new', description: 'Sends carrier pigeons.' },
      { ...MAIL[1]!, digest: 'new', description: 'Reads entrails.' },
    ];
    const turn = tools.snapshot(conversation);
    expect(turn.tools.slice(1).map(({ description }) => description)).toEqual([
      'Reads entrails.',
      'Sends carrier pigeons.',
    ]);
    expect(textOf(await turn.run('tool_search', { query: 'pigeon' }))).toContain('carrier');
    expect(textOf(await turn.run('tool_search', { query: 'newest messages' }))).not.toContain(
      'newest messages.',
    );
  });

  it('the search and its description do not depend on what is loaded', async () => {
    const { tools, conversation } = setUp();
    const before = tools.snapshot(conversation).tools[0];
    await tools.snapshot(conversation).run('tool_search', { query: 'inbox message issue' });
    expect(conversation.loaded.length).toBeGreaterThan(1);
    expect(tools.snapshot(conversation).tools[0]).toBe(before);
  });
});

describe('a conversation', () => {
  it('is saved and restored', async () => {
    const { tools, conversation } = setUp();
    await tools
      .snapshot(conversation)
      .run('tool_search', { query: 'select:mcp__mail__readInbox,mcp__github__create_issue' });
    const saved: unknown = JSON.parse(JSON.stringify(conversation));
    expect(saved).toEqual({
      version: 1,
      id: conversation.id,
      loaded: [
        { name: 'mcp__mail__readInbox', server: 'mail', tool: 'readInbox' },
        { name: 'mcp__github__create_issue', server: 'github', tool: 'create_issue' },
      ],
    });
    const { tools: later } = setUp();
    expect(namesOf(later.snapshot(later.conversation(saved)).tools)).toEqual(
      namesOf(tools.snapshot(conversation).tools),
    );
    conversation.clear();
    expect(namesOf(tools.snapshot(conversation).tools)).toEqual(['tool_search']);
  });

  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['null', null],
    ['a text', 'x'],
    ['another version', { version: 2, loaded: [] }],
    ['no list', { version: 1, loaded: {} }],
    ['an entry that is null', { version: 1, loaded: [null] }],
    ['an entry without a tool', { version: 1, loaded: [{ name: 'x', server: 's' }] }],
    ['a long name', { version: 1, loaded: [{ name: 'x'.repeat(2_000), server: 's', tool: 'x' }] }],
  ])('is not restored from %s', (_, saved) => {
    expect(() => createTools(fakeHost([])).conversation(saved)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('has at most maxLoaded tools: the oldest quarter is unloaded at once, and never what was just found', async () => {
    const catalog = Array.from({ length: 60 }, (_, at) => tool(`t${String(at).padStart(2, '0')}`));
    const { tools, conversation } = setUp({ maxLoaded: 8 }, catalog);
    const select = async (from: number, count: number) => {
      const names = catalog.slice(from, from + count).map(({ name }) => `mcp__s__${name}`);
      await tools.snapshot(conversation).run('tool_search', { query: `select:${names.join()}` });
      return conversation.loaded.map((each) => Number(each.tool.slice(1)));
    };
    expect(await select(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await select(8, 1)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(await select(20, 20)).toEqual([32, 33, 34, 35, 36, 37, 38, 39]);
    const saved = {
      version: 1,
      loaded: Array.from({ length: 100 }, () => ({ name: 'x', server: 's', tool: 'x' })),
    };
    expect(tools.conversation(saved).loaded).toHaveLength(1);
  });
});

function schemaOf(characters: number): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (let left = characters; left > 0; left -= 1_025) {
    properties[`p${left}`] = { description: 'y'.repeat(Math.min(1_000, left)) };
  }
  return { type: 'object', properties };
}
