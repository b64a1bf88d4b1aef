import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import { openHost, type OpenHostOptions } from '@mcp-fittings/preset';
import { errorProblem } from '../src/problems.js';
import { everything, openWorkspace } from './support/workspace.js';

const me = { name: 'my-agent', version: '1.0.0' };
const allowed = { ...everything, allowedTools: ['echo'] };

it('one call reads files, connects, and gives tools that obey the entries', async () => {
  await using workspace = await openWorkspace();
  await workspace.writeOwn({ everything: { ...allowed, deniedTools: ['get-env'] } });
  await using app = await openHost({ ...me, ...workspace.at });
  expect(app.problems).toEqual([]);
  expect(app.host.servers()).toMatchObject([{ name: 'everything', state: { status: 'connected' } }]);

  const turn = (await app.tools()).snapshot();
  expect(await app.tools()).toBe(await app.tools());
  expect(turn.tools.map(({ name }) => name)).not.toContain('mcp__everything__get-env');
  const { rendering } = await turn.run('mcp__everything__echo', { message: 'hi' });
  expect(rendering.text).toBe('Echo: hi');
  expect(await turn.run('mcp__everything__get-sum', { a: 1, b: 2 })).toMatchObject({
    type: 'error',
    error: { code: 'APPROVAL_REQUIRED' },
  });
});

it.skipIf(process.platform === 'win32')('a server on a Unix socket is used without a sign-in', async () => {
  await using workspace = await openWorkspace();
  const path = join(workspace.at.home, 'mcp.sock');
  const seen: (string | undefined)[] = [];
  const sessions = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await new McpServer({ name: 'local', version: '1' }).connect(sessions);
  const listener = createServer((request, response) => {
    seen.push(request.url);
    if (request.url === '/guarded') response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    else void sessions.handleRequest(request, response);
  }).listen(path);
  await once(listener, 'listening');
  await workspace.writeOwn({
    local: { type: 'http', url: `unix://${path}#/mcp` },
    guarded: { type: 'http', url: `unix://${path}#/guarded` },
  });
  await using app = await openHost({ ...me, ...workspace.at });
  expect(app.host.servers()).toMatchObject([
    { name: 'local', state: { status: 'connected' } },
    // No page of an authorization server was looked for.
    {
      name: 'guarded',
      state: { error: { code: 'AUTH_REQUIRED', hint: expect.stringContaining('`apiKey`') } },
    },
  ]);
  expect(new Set(seen)).toEqual(new Set(['/mcp', '/guarded']));
  listener.close();
  listener.closeAllConnections();
});

it('the user is asked about tools that no entry allows', async () => {
  await using workspace = await openWorkspace();
  const asked: string[] = [];
  await using app = await openHost({
    ...me,
    ...workspace.at,
    layout: false,
    servers: { everything },
    confirm: async ({ tool }) => {
      asked.push(tool.name);
      return 'once';
    },
  });
  const turn = (await app.tools()).snapshot();
  const { rendering } = await turn.run('mcp__everything__get-sum', { a: 1, b: 2 });
  expect(rendering.text).toContain('3');
  expect(asked).toEqual(['mcp__everything__get-sum']);
});

it('a server of the project is a problem without approve, and starts when the user agrees', async () => {
  await using workspace = await openWorkspace();
  const file = await workspace.writeProject({ theirs: everything });
  {
    await using app = await openHost({ ...me, ...workspace.at });
    expect(app.host.servers()).toEqual([]);
    expect(app.problems).toMatchObject([
      {
        code: 'APPROVAL_REQUIRED',
        severity: 'warning',
        server: 'theirs',
        file,
        line: 3,
        text: expect.stringContaining(`warning: ${file}:3: theirs: The server is defined by the project`),
      },
    ]);
  }
  const questions: string[] = [];
  const approve: OpenHostOptions['approve'] = async ({ text }) => {
    questions.push(text);
    return 'always';
  };
  for (const _run of [1, 2]) {
    await using app = await openHost({ ...me, ...workspace.at, approve });
    expect(app.host.servers()).toMatchObject([{ name: 'theirs', state: { status: 'connected' } }]);
  }
  expect(questions).toEqual([expect.stringContaining(process.execPath)]);
});

it('what is wrong says where it is and what to do, and harms no other server', async () => {
  await using workspace = await openWorkspace();
  const http = createServer((_, response) => response.writeHead(500).end('no')).listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    const { port } = http.address() as AddressInfo;
    const file = await workspace.writeOwn({
      everything,
      misspelled: { comand: 'node' },
      unused: { ...everything, disabled: true, heders: {} },
      wrong: { url: `http://127.0.0.1:${port}/mcp`, reconnect: { maxAttempts: 0 } },
    });
    await using app = await openHost({ ...me, ...workspace.at });
    expect(app.host.server('everything').state.status).toBe('connected');
    const texts = app.problems.map(({ text }) => text);
    expect(texts).toContainEqual(
      expect.stringMatching(/^error: .*servers\.json:\d+: misspelled: .* "command"/),
    );
    // The schema of the transport was loaded to know this.
    expect(texts).toContainEqual(expect.stringMatching(/unused: "heders" has no effect here\. Did you mean/));
    expect(app.problems).toContainEqual(
      expect.objectContaining({
        server: 'wrong',
        severity: 'error',
        text: expect.stringContaining('error: wrong: '),
      }),
    );
    expect(app.problems.find(({ server }) => server === 'misspelled')).toMatchObject({ file });
  } finally {
    http.close();
  }
});

it('a program without types hears of its mistakes', async () => {
  const wrong = (options: object) => openHost({ ...me, ...options });
  await expect(wrong({ aprove: async () => 'once' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('"approve"'),
  });
  await expect(wrong({ layout: 'claud' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('claude'),
  });
  for (const [options, message] of [
    [
      { version: undefined },
      'openHost() requires the name and version of your program as strings; missing: version.',
    ],
    [{ transports: {} }, 'The option "transports" of openHost() must be an array of plugins.'],
    [{ auth: {} }, 'The option "auth" of openHost() must be an array of plugins.'],
  ] as const) {
    await expect(wrong(options)).rejects.toMatchObject({ code: 'CONFIG_INVALID', message });
  }
});

it('every part can be replaced or left out', async () => {
  await using workspace = await openWorkspace();
  await workspace.writeOwn({ everything });
  await using without = await openHost({ ...me, ...workspace.at, without: ['stdio'] });
  expect(without.problems).toMatchObject([{ code: 'TYPE_UNKNOWN' }, { code: 'TRANSPORT_UNKNOWN' }]);

  const started: unknown[] = [];
  const { stdio } = await import('@mcp-fittings/transport-stdio');
  const real = stdio();
  await using replaced = await openHost({
    ...me,
    ...workspace.at,
    transports: [
      {
        ...real,
        create(entry, deps) {
          started.push(deps.server);
          return real.create(real.schema['~standard'].validate(entry) && (entry as never), deps);
        },
      },
    ],
    tools: { naming: ({ tool }) => tool },
  });
  expect(started).toEqual(['everything']);
  expect((await replaced.tools()).snapshot().tools.map(({ name }) => name)).toContain('echo');
});

it.each([
  [3_993, 'm'],
  [3_994, '…'],
])('the text of a problem ends after 4000 characters: of a message of %s, with %s', (length, end) => {
  const { text } = errorProblem(new FittingsError('RPC_ERROR', 'm'.repeat(length)));
  expect([text.length, text.slice(0, 8), text.at(-1)]).toEqual([4_000, 'error: m', end]);
});
