import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { createTools, type Tools, type ToolsOptions } from '../../src/create-tools.js';
import type { DeferOptions } from '../../src/deferral/defer-options.js';
import { aiSdkPrepareStep, aiSdkTools } from '../../src/model-apis/ai-sdk.js';
import { anthropicSearchTools, anthropicToolResult, anthropicTools } from '../../src/model-apis/anthropic.js';
import { geminiFunctions } from '../../src/model-apis/gemini.js';
import { openAiChatTools, openAiResponsesTools } from '../../src/model-apis/openai.js';
import { openAiSearchTools, openAiToolSearchOutput } from '../../src/model-apis/openai-tool-search.js';
import { fakeHost, tool, type FakeHost } from '../support/fake-host.js';
import { scriptedModel } from '../support/scripted-model.js';

const CATALOG = [
  tool('echo', { server: 'basic', description: 'Repeats.' }),
  tool('create_issue', { server: 'git hub', description: 'Opens an issue.' }),
  tool('list_issues', { server: 'git hub', description: 'Lists the issues.' }),
  tool('read', { server: 'git_hub', description: 'Reads a file.' }),
];
const ECHO = 'mcp__basic__echo';
const CREATE = 'mcp__git_hub__create_issue';
const LIST = 'mcp__git_hub__list_issues';
const READ = 'mcp__git_hub__read';

function setUp(
  native?: DeferOptions['native'],
  more: ToolsOptions = {},
): { readonly tools: Tools; readonly host: FakeHost } {
  const host = fakeHost(CATALOG);
  const defer = { mode: 'always' as const, alwaysLoaded: [ECHO], maxResults: 2, native };
  return { host, tools: createTools(host, { defaultPermission: 'allow', defer, ...more }) };
}

const namesOf = (list: readonly object[]): readonly unknown[] =>
  list.map((each) => ('name' in each ? each.name : each));

describe('Anthropic', () => {
  it('generic: what was found is an ordinary tool of the next request', async () => {
    const { tools } = setUp();
    const conversation = tools.conversation();
    const { rendering } = await tools.snapshot(conversation).run('tool_search', { query: 'issue' });
    expect(anthropicToolResult('1', rendering)).toMatchObject({
      is_error: false,
      content: [{ type: 'text', text: expect.stringContaining(CREATE) }],
    });
    const request = anthropicTools(tools.snapshot(conversation).tools);
    expect(namesOf(request)).toEqual(['tool_search', ECHO, CREATE, LIST]);
    expect(request.some((each) => 'defer_loading' in each)).toBe(false);
  });

  it('native: the result refers to the tools, and only they have defer_loading', async () => {
    const { tools } = setUp('anthropic');
    const conversation = tools.conversation();
    const first = anthropicTools(tools.snapshot(conversation).tools);
    expect(namesOf(first)).toEqual(['tool_search', ECHO]);
    const { rendering } = await tools
      .snapshot(conversation)
      .run('tool_search', { query: `select:${LIST},${CREATE}` });
    const result: Anthropic.ToolResultBlockParam = anthropicToolResult('toolu_1', rendering);
    expect(result).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      is_error: false,
      content: [
        { type: 'tool_reference', tool_name: LIST },
        { type: 'tool_reference', tool_name: CREATE },
      ],
    });
    const next: Anthropic.Tool[] = anthropicTools(tools.snapshot(conversation).tools);
    expect(next.map(({ name, defer_loading = false }) => [name, defer_loading])).toEqual([
      ['tool_search', false],
      [ECHO, false],
      [LIST, true],
      [CREATE, true],
    ]);
    // The part that is in the prompt stays the same.
    expect(next.slice(0, 2)).toEqual(first);
    const none = await tools.snapshot(conversation).run('tool_search', { query: 'zebra' });
    expect(anthropicToolResult('toolu_2', none.rendering).content).toMatchObject([{ type: 'text' }]);
  });

  it('native: a tool that earlier messages refer to stays defined after it has gone, and cannot be called', async () => {
    const { tools, host } = setUp('anthropic');
    const conversation = tools.conversation();
    await tools.snapshot(conversation).run('tool_search', { query: `select:${READ},${CREATE}` });
    host.catalog = CATALOG.slice(0, 3);
    const turn = tools.snapshot(conversation);
    expect(anthropicTools(turn.tools).slice(2)).toEqual([
      {
        name: READ,
        description: 'This tool is not available now. Do not call it.',
        input_schema: { type: 'object', properties: {} },
        defer_loading: true,
      },
      expect.objectContaining({ name: CREATE, description: 'Opens an issue.', defer_loading: true }),
    ]);
    expect(await turn.run(READ)).toMatchObject({ error: { code: 'TOOL_UNKNOWN' } });
    expect(
      turn.tools.map((each) => [each.title, each.input.coverage, each.output, each.repairs.length]),
    ).toHaveLength(4);
  });

  it('native: more than a hundred tools stay loaded, because messages refer to them', () => {
    const loaded = Array.from({ length: 300 }, (_, at) => ({ name: `t${at}`, server: 's', tool: `t${at}` }));
    for (const [native, count] of [
      ['anthropic', 300],
      ['openai', 100],
      [undefined, 100],
    ] as const) {
      expect(setUp(native).tools.conversation({ version: 1, loaded }).loaded).toHaveLength(count);
    }
  });

  it('native: a tool that is always loaded is neither listed twice nor referred to', async () => {
    const { tools } = setUp('anthropic');
    const entry = { name: ECHO, server: 'basic', tool: 'echo' };
    const conversation = tools.conversation({ version: 1, loaded: [entry] });
    const turn = tools.snapshot(conversation);
    expect(namesOf(anthropicTools(turn.tools))).toEqual(['tool_search', ECHO]);
    const both = await turn.run('tool_search', { query: `select:${ECHO},${READ}` });
    expect(both.rendering.toolReferences?.map(({ name }) => name)).toEqual([READ]);
    const one = await turn.run('tool_search', { query: ECHO });
    expect(anthropicToolResult('1', one.rendering).content).toMatchObject([
      { type: 'text', text: expect.stringContaining(`- ${ECHO}: Repeats.`) },
    ]);
  });

  it('native: a tool that was called without a search is not loaded, because no message has its definition', async () => {
    for (const native of ['anthropic', 'openai'] as const) {
      const { tools } = setUp(native);
      const conversation = tools.conversation();
      expect((await tools.snapshot(conversation).run(READ)).type).toBe('result');
      expect(conversation.loaded).toEqual([]);
    }
  });

  it('its own search: all tools are sent, the same in every turn', async () => {
    const { tools } = setUp();
    const conversation = tools.conversation();
    const request: Anthropic.ToolUnion[] = anthropicSearchTools(tools.snapshot(conversation));
    expect(request).toEqual([
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
      expect.not.objectContaining({ defer_loading: true }),
      ...[CREATE, LIST, READ].map((name) => expect.objectContaining({ name, defer_loading: true })),
    ]);
    expect((await tools.snapshot(conversation).run(READ)).type).toBe('result');
    expect(anthropicSearchTools(tools.snapshot(conversation))).toEqual(request);
    expect(anthropicSearchTools(tools.snapshot(), { variant: 'regex' })[0]).toEqual({
      type: 'tool_search_tool_regex_20251119',
      name: 'tool_search_tool_regex',
    });
    const all = createTools(fakeHost(CATALOG)).snapshot();
    expect(anthropicSearchTools(all)).toEqual(anthropicTools(all.tools));
  });
});

describe('OpenAI', () => {
  it('generic: the list of tools is in the parameter, because descriptions have at most 1024 characters', () => {
    const catalog = Array.from({ length: 60 }, (_, at) =>
      tool(`t${at}`, { description: 'Does this and that.' }),
    );
    const turn = createTools(fakeHost(catalog), { defer: 'always' }).snapshot();
    const [search] = openAiResponsesTools(turn.tools, { strictWherePossible: true });
    expect(search?.description.length).toBeLessThanOrEqual(1_024);
    expect(search?.description).toMatch(/other words\.$/);
    expect(search?.strict).toBe(true);
    const query = JSON.stringify(search?.parameters.properties['query']);
    expect(query).toContain('Words to search for');
    expect(query).toContain('- mcp__s__t59: Does this and that.');
    const [chat] = openAiChatTools(turn.tools);
    expect(JSON.stringify(chat?.function.parameters)).toContain('mcp__s__t59');
    const { tool_search: forAiSdk } = aiSdkTools(turn);
    expect(forAiSdk?.description).toBe(chat?.function.description);
    expect(forAiSdk?.inputSchema.jsonSchema).toEqual(chat?.function.parameters);
    expect(turn.tools[0]?.inputSchema.properties['query']).toEqual({
      type: 'string',
      description: expect.not.stringContaining('mcp__s__t59'),
    });
  });

  it('native: the search is tool_search, and its output has the tools', async () => {
    const { tools } = setUp('openai');
    const conversation = tools.conversation();
    const turn = tools.snapshot(conversation);
    const request: OpenAI.Responses.Tool[] = openAiSearchTools(turn);
    expect(request).toEqual([
      {
        type: 'tool_search',
        execution: 'client',
        description: expect.any(String),
        parameters: expect.objectContaining({ required: ['query'] }),
      },
      expect.objectContaining({ type: 'function', name: ECHO }),
    ]);
    const { rendering } = await turn.run('tool_search', { query: '+read' });
    const output: OpenAI.Responses.ResponseInputItem = openAiToolSearchOutput('call_1', rendering);
    expect(output).toEqual({
      type: 'tool_search_output',
      call_id: 'call_1',
      execution: 'client',
      status: 'completed',
      tools: [
        {
          type: 'function',
          name: READ,
          description: 'Reads a file.',
          parameters: { type: 'object', properties: {} },
          strict: false,
          defer_loading: true,
        },
      ],
    });
    expect(openAiSearchTools(tools.snapshot(conversation))).toEqual(request);
    const wrong = await turn.run('tool_search', {});
    expect(openAiToolSearchOutput(null, wrong.rendering).tools).toEqual([]);
  });

  it('its own search: a namespace for each server, with names that differ', () => {
    const { tools } = setUp();
    const request: OpenAI.Responses.Tool[] = openAiSearchTools(tools.snapshot(), { execution: 'server' });
    expect(request).toMatchObject([
      { type: 'tool_search' },
      { type: 'function', name: ECHO },
      {
        type: 'namespace',
        name: 'git_hub',
        description: `2 tools: ${CREATE}, ${LIST}`,
        tools: [
          { type: 'function', name: CREATE, defer_loading: true },
          { type: 'function', name: LIST, defer_loading: true },
        ],
      },
      { type: 'namespace', name: 'git_hub_2', tools: [{ name: READ }] },
    ]);
    const all = createTools(fakeHost(CATALOG)).snapshot();
    expect(openAiSearchTools(all)).toEqual(openAiResponsesTools(all.tools));
  });
});

describe('the AI SDK, and APIs without a search of their own', () => {
  it('each step has the tools that were loaded so far', async () => {
    const { tools, host } = setUp();
    const model = scriptedModel(['tool_search', { query: 'read a file' }], [READ, {}]);
    const turn = tools.snapshot(tools.conversation());
    const offered: ToolSet = aiSdkTools(turn);
    expect(Object.keys(offered)).toEqual(['tool_search', ECHO, CREATE, LIST, READ]);
    const { text } = await generateText({
      model,
      tools: offered,
      prepareStep: aiSdkPrepareStep(turn),
      prompt: 'go',
      stopWhen: stepCountIs(5),
    });
    expect(text).toBe('done');
    expect(model.doGenerateCalls.map(({ tools: some = [] }) => namesOf(some))).toEqual([
      ['tool_search', ECHO],
      ['tool_search', ECHO, READ],
      ['tool_search', ECHO, READ],
    ]);
    expect(host.calls).toEqual([{ ref: { server: 'git_hub', tool: 'read' }, args: {} }]);
  });

  it('Gemini gets ordinary functions', async () => {
    const { tools } = setUp();
    const conversation = tools.conversation();
    await tools.snapshot(conversation).run('tool_search', { query: 'read a file' });
    expect(namesOf(geminiFunctions(tools.snapshot(conversation).tools))).toEqual(['tool_search', ECHO, READ]);
  });
});
