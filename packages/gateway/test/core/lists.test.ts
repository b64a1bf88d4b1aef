import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createToolPolicy, type ToolPolicy } from '@mcp-fittings/tools';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../src/contracts/caller.js';
import { ANYBODY, gatewayOver, listen, text, toyServer } from './support.js';

const notes = () =>
  toyServer({
    tools: [
      {
        name: 'read',
        title: 'Read',
        outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://x.test/i.png' }],
        _meta: { 'x.test/m': 1 },
      },
      { name: 'write' },
    ],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
    resources: [
      { uri: 'memo://a', name: 'a' },
      { uri: 'memo://shared', name: 's' },
    ],
    templates: [{ uriTemplate: 'memo://by/{name}', name: 't' }],
    read: (uri) => ({ contents: [{ uri, text: `notes ${uri}` }] }),
    call: ({ tool, ...args }) => ({
      ...text(`${String(tool)} ${JSON.stringify(args)}`),
      structuredContent: { a: 1 },
      _meta: { 'x.test/r': true },
    }),
  });
const files = () =>
  toyServer({
    tools: [{ name: 'read' }],
    resources: [{ uri: 'memo://shared', name: 's' }],
    read: (uri) => ({ contents: [{ uri, text: `files ${uri}` }] }),
  });

for (const kind of ['v1', 'v2', 'modern'] as const) {
  describe(`client ${kind}`, () => {
    it('calls a tool that its server runs as a task like any other', async () => {
      const lab = () =>
        toyServer({
          tools: [{ name: 'research', execution: { taskSupport: 'required' } }],
          call: () => text('done'),
        });
      await using gateway = await gatewayOver({ lab });
      const client = await gateway[kind]();
      const { tools } = await client.listTools();
      expect(tools[0]).not.toHaveProperty('execution');
      expect(await client.callTool({ name: 'lab__research', arguments: {} })).toMatchObject(text('done'));
    });

    it('sees the tools of all servers under unique names, and calls them', async () => {
      await using gateway = await gatewayOver({ notes, files });
      const client = await gateway[kind]();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['notes__read', 'notes__write', 'files__read']);
      expect(tools[0]).toMatchObject({
        title: 'Read',
        outputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        annotations: { readOnlyHint: true },
        icons: [{ src: 'https://x.test/i.png' }],
        _meta: { 'x.test/m': 1 },
      });
      const result = await client.callTool({ name: 'notes__write', arguments: { b: 2 } });
      expect(result).toMatchObject({
        content: [{ type: 'text', text: 'write {"b":2}' }],
        structuredContent: { a: 1 },
        _meta: { 'x.test/r': true },
      });
    });

    it('gets prompts, resources and completions of all servers', async () => {
      await using gateway = await gatewayOver({ notes, files });
      const client = await gateway[kind]();
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['notes__greet']);
      const prompt = await client.getPrompt({ name: 'notes__greet', arguments: { who: 'Ann' } });
      expect(prompt.messages[0]?.content).toMatchObject({ text: '["greet",{"who":"Ann"}]' });
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([
        'memo://a',
        'mcp-fittings://notes/memo://shared',
        'mcp-fittings://files/memo://shared',
      ]);
      for (const [uri, expected] of [
        ['memo://a', 'notes memo://a'],
        ['mcp-fittings://files/memo://shared', 'files memo://shared'],
        ['memo://by/ann', 'notes memo://by/ann'],
      ] as const) {
        const { contents } = await client.readResource({ uri });
        expect(contents[0]).toMatchObject({ uri, text: expected });
      }
      await expect(client.readResource({ uri: 'memo://shared' })).rejects.toMatchObject({ code: -32602 });
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'notes__greet' },
        argument: { name: 'who', value: 'A' },
      });
      expect(completion.values).toEqual([
        JSON.stringify([
          { type: 'ref/prompt', name: 'greet' },
          { name: 'who', value: 'A' },
        ]),
      ]);
    });
  });
}

describe('a call at the address of all servers', () => {
  it('asks the policy about the tool that it names, and no other', async () => {
    const tools = Array.from({ length: 500 }, (_, at) => ({ name: `tool_${at}` }));
    const policy = createToolPolicy({ servers: { many: { writePermission: 'allow' } } });
    const asked: string[] = [];
    const counting: ToolPolicy = {
      ...policy,
      forTool(tool) {
        asked.push(tool.name);
        return policy.forTool(tool);
      },
    };
    await using gateway = await gatewayOver({ many: () => toyServer({ tools }) }, { policy: counting });
    for (const kind of ['v2', 'modern'] as const) {
      const client = await gateway[kind]();
      // The names are known from the first call on.
      await client.callTool({ name: 'many__tool_7', arguments: {} });
      asked.length = 0;
      await client.callTool({ name: 'many__tool_77', arguments: {} });
      expect(new Set(asked)).toEqual(new Set(['tool_77']));
    }
  });

  it('finds a tool that is listed later, and names do not depend on who may use what', async () => {
    const tools = [{ name: 'b__c' }];
    let server: ReturnType<typeof toyServer> | undefined;
    await using gateway = await gatewayOver({
      a: () => (server = toyServer({ tools })),
      a__b: () => toyServer({ tools: [{ name: 'c' }] }),
    });
    const names = async (caller: Caller) => {
      const client = await gateway.v2({ caller });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const all = await names({ id: 'all' });
    const only = await names({ id: 'all', allows: (name) => name === 'a' });
    expect(all).toHaveLength(2);
    expect(only).toEqual(all.slice(0, 1));
    const client = await gateway.v2();
    await expect(client.callTool({ name: 'a__late', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    tools.push({ name: 'late' });
    await server?.sendToolListChanged();
    await vi.waitFor(async () => expect(await client.callTool({ name: 'a__late' })).toBeDefined());
  });
});

it('takes a function that throws for a no, also when it is asked because a list has changed', async () => {
  const clock = createManualClock();
  let isBroken = false;
  const decide = <Answer>(answer: Answer): Answer => {
    if (isBroken) throw new Error('The database is gone.');
    return answer;
  };
  const policy = createToolPolicy({ servers: {} });
  const tools = [{ name: 'read' }];
  await using gateway = await gatewayOver(
    { one: () => toyServer({ tools }), two: () => toyServer({ tools }) },
    { clock, policy: { ...policy, forTool: (tool) => decide(policy.forTool(tool)) } },
  );
  const told: string[] = [];
  const onNotification = (method: string): void => void told.push(method);
  const caller = { ...ANYBODY, allows: (server: string) => server === 'two' || decide(true) };
  const stop = listen(gateway.surface, caller, { toolsListChanged: true }, onNotification);
  const client = await gateway.v2({ caller });
  expect((await client.listTools()).tools).toHaveLength(2);
  isBroken = true;
  await gateway.host.stop('one');
  await clock.advance(50);
  expect(told).toContain('notifications/tools/list_changed');
  expect((await client.listTools()).tools).toHaveLength(0);
  stop();
});
