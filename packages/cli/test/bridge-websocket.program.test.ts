import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { afterEach, describe, expect, it } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { untilDead } from '../../transport-stdio/test/support/processes.js';
import { bridge, recordingLogger, textOf, TOKEN, upstreamTo } from './support/upstreams.js';

const clients: { close(): Promise<void> }[] = [];

async function clientOf(url: string, era: 'legacy' | 'auto', options: ClientOptions = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era }, ...options },
  );
  clients.push(client);
  await client.connect(createWebSocketTransport({ url, apiKey: TOKEN }));
  return client;
}

async function sdkV1(url: string): Promise<ClientV1> {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  clients.push(client);
  await client.connect(createWebSocketTransport({ url, apiKey: TOKEN }));
  return client;
}

const pidOf = async (client: Pick<Client, 'callTool'>): Promise<number> =>
  Number(textOf(await client.callTool({ name: 'pid', arguments: {} })));

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

describe('a stdio server over WebSocket', () => {
  it.each([
    ['legacy', '2025-11-25', 'dual legacy'],
    ['auto', '2026-07-28', 'dual modern'],
  ] as const)('serves SDK v2 in the mode %s, revision %s', async (mode, revision, server) => {
    const { url } = await bridge();
    const client = await clientOf(url, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()?.name).toBe(server);
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
  });

  it('leaves a client that knows both with initialize where the server knows no other', async () => {
    const everything = await officialServer('everything');
    const config = { type: 'stdio', command: process.execPath, args: [everything, 'stdio'] };
    const { url } = await bridge({ open: upstreamTo({ config }) });
    const client = await clientOf(url, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(textOf(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toContain('hi');
  });

  it.each(['legacy', 'auto'] as const)('brings progress to the call that it belongs to (%s)', async (era) => {
    const { url } = await bridge();
    const [one, two] = await Promise.all([clientOf(url, era), clientOf(url, era)]);
    const seen: [string, number][] = [];
    const call = (client: Client, name: string, steps: number) =>
      client.callTool(
        { name: 'slow', arguments: { steps } },
        { onprogress: ({ progress, total }) => void seen.push([`${name} of ${total}`, progress]) },
      );
    const answers = await Promise.all([call(one, 'one', 4), call(two, 'two', 7), call(one, 'three', 3)]);
    expect(answers.map(textOf)).toEqual(['done', 'done', 'done']);
    const of = (name: string) => seen.filter(([who]) => who.startsWith(name));
    expect(of('one').map(([who]) => who)).toEqual(Array.from({ length: 4 }, () => 'one of 4'));
    expect(of('two').map(([, progress]) => progress)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(of('three')).toHaveLength(3);
  });

  it.each(['legacy', 'auto'] as const)('carries a cancellation to the server (%s)', async (era) => {
    const heard: string[] = [];
    const cancelled = withResolvers();
    const logger = {
      ...recordingLogger(),
      debug: (line: string) => {
        heard.push(line);
        if (line === 'cancelled') cancelled.resolve();
      },
    };
    const { url } = await bridge({ open: upstreamTo({ logger }) });
    const client = await clientOf(url, era);
    const giveUp = new AbortController();
    const call = client.callTool(
      { name: 'slow', arguments: { steps: 100_000 } },
      { signal: giveUp.signal, onprogress: () => giveUp.abort() },
    );
    await expect(call).rejects.toThrow();
    await cancelled.promise;
    expect(heard).toContain('cancelled');
  });

  it('ends all processes when it closes', async () => {
    const served = await bridge();
    const pids = [
      await pidOf(await clientOf(served.url, 'legacy')),
      await pidOf(await clientOf(served.url, 'auto')),
    ];
    await served.close();
    await Promise.all(pids.map(untilDead));
  });

  it('lets a server ask the client in the middle of a call', async () => {
    const { url } = await bridge();
    const client = await sdkV1(url);
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      action: 'accept',
      content: { name: `asked: ${params.message}` },
    }));
    expect(textOf(await client.callTool({ name: 'ask', arguments: {} }))).toBe('{"name":"asked: Who?"}');
  });

  it.each(['legacy', 'auto'] as const)('tells a client of a changed list (%s)', async (era) => {
    const { url } = await bridge();
    const changed = withResolvers<readonly string[]>();
    const client = await clientOf(url, era, {
      listChanged: {
        tools: {
          autoRefresh: true,
          debounceMs: 0,
          onChanged: (_error, tools) => changed.resolve((tools ?? []).map(({ name }) => name)),
        },
      },
    });
    await client.callTool({ name: 'grow', arguments: {} });
    expect(await changed.promise).toContain('grown');
  });

  it.each(['legacy', 'auto'] as const)(
    'says why a server died, to the call that it died in (%s)',
    async (era) => {
      const logger = recordingLogger();
      const { url } = await bridge({ logger });
      const client = await clientOf(url, era);
      const failure = await client.callTool({ name: 'die', arguments: {} }).catch((error: unknown) => error);
      expect(String(failure)).toContain('exited with code 3');
      expect(String(failure)).toContain('the disk is full');
      expect((failure as { data?: unknown }).data).toMatchObject({
        code: 'PROCESS_EXITED',
        delivery: 'unknown',
      });
      expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }))).toBe('2');
      await expect.poll(() => logger.lines.join()).toContain('the disk is full');
    },
  );

  it('tells a server that came back what the client wants, and the client that lists may be others', async () => {
    const heard: string[] = [];
    const debug = (line: string): void => void heard.push(line);
    const { url } = await bridge({ open: upstreamTo({ logger: { ...recordingLogger(), debug } }) });
    const changed = withResolvers();
    const client = await clientOf(url, 'legacy', {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } },
    });
    await client.subscribeResource({ uri: 'memo:///a' });
    await client.subscribeResource({ uri: 'memo:///b' });
    await client.unsubscribeResource({ uri: 'memo:///b' });
    await client.setLoggingLevel('warning');
    await expect(client.callTool({ name: 'die', arguments: {} })).rejects.toThrow();
    heard.length = 0;
    await pidOf(client);
    await changed.promise;
    await expect.poll(() => heard).toEqual(expect.arrayContaining(['subscribed memo:///a', 'level warning']));
    expect(heard).not.toContain('subscribed memo:///b');
  });
});

function withResolvers<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
