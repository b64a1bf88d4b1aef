import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { TRACE_CHANNELS, type TraceEvent } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';

describe('tracing channels', () => {
  it('report connects, readings of lists, calls, and failures', async () => {
    const told: string[] = [];
    // `request` and `session` have tests of their own.
    const names = ['connect', 'reconnect', 'refresh', 'call'] as const;
    const subscriptions = names.map((name) => {
      const channel = TRACE_CHANNELS[name];
      const handlers = {
        start: ({ server, method, target, kind }: TraceEvent) =>
          void told.push(['start', name, server, method ?? kind, target].filter(Boolean).join(' ')),
        end: () => undefined,
        asyncStart: () => undefined,
        asyncEnd: ({ server }: TraceEvent) => void told.push(`end ${name} ${server}`),
        error: ({ error }: TraceEvent & { error: unknown }) =>
          void told.push(`error ${(error as { code: string }).code}`),
      };
      tracingChannel<TraceEvent>(channel).subscribe(handlers);
      return () => tracingChannel<TraceEvent>(channel).unsubscribe(handlers);
    });
    await using host = testHost([testServers(calculator).plugin]);
    await host.connect({ calc: { type: 'test' } });
    expect(told.slice(0, 3)).toEqual(['start connect calc', 'end connect calc', 'start refresh calc tools']);
    told.length = 0;
    await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 2 });
    expect(told).toEqual(['start call calc tools/call add', 'end call calc']);
    told.length = 0;
    await expect(host.callTool({ server: 'calc', tool: 'slow' }, {}, { timeoutMs: 1 })).rejects.toMatchObject(
      { code: 'TIMEOUT' },
    );
    expect(told).toEqual(['start call calc tools/call slow', 'error TIMEOUT', 'end call calc']);
    for (const unsubscribe of subscriptions) unsubscribe();
  });

  it('report each request and notification on the wire, and how it ended', async () => {
    const told: string[] = [];
    const handlers = {
      start: () => undefined,
      end: () => undefined,
      asyncStart: () => undefined,
      asyncEnd({ method, target, requestId, response, givenUp }: TraceEvent) {
        const outcome =
          response?.error?.code ?? givenUp ?? (response?.isToolError === true ? 'tool error' : '');
        const kind = requestId === undefined ? 'notification' : 'request';
        told.push(
          [kind, method, target, outcome].filter((part) => part !== undefined && part !== '').join(' '),
        );
      },
      error: () => undefined,
    };
    const channel = tracingChannel<TraceEvent>(TRACE_CHANNELS.request);
    channel.subscribe(handlers);
    const ends: unknown[] = [];
    const session = {
      ...handlers,
      asyncEnd: ({ server, connection }: TraceEvent) =>
        void ends.push([server, connection?.type, connection?.protocolVersion]),
      error: ({ error }: TraceEvent & { error: unknown }) => void ends.push((error as { code: string }).code),
    };
    tracingChannel<TraceEvent>(TRACE_CHANNELS.session).subscribe(session);
    const servers = testServers(calculator);
    const host = testHost([servers.plugin], { delivery: 'none' });
    await host.connect({ calc: { type: 'test' } });
    expect(told).toEqual([
      'request server/discover -32601',
      'request initialize',
      'notification notifications/initialized',
      'request tools/list',
    ]);
    told.length = 0;
    await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 2 });
    await host.callTool({ server: 'calc', tool: 'add' }, { a: 'x' });
    await expect(host.request({ server: 'calc', method: 'no/such' })).rejects.toThrow('no/such');
    await expect(host.callTool({ server: 'calc', tool: 'slow' }, {}, { timeoutMs: 1 })).rejects.toMatchObject(
      { code: 'TIMEOUT' },
    );
    expect(told).toEqual([
      'request tools/call add',
      'request tools/call add tool error',
      'request no/such -32601',
      'request tools/call slow TIMEOUT',
      'notification notifications/cancelled',
    ]);
    await servers.drop();
    await host.close();
    channel.unsubscribe(handlers);
    tracingChannel<TraceEvent>(TRACE_CHANNELS.session).unsubscribe(session);
    expect(ends).toEqual(['CONNECTION_LOST', ['calc', 'test', '2025-11-25']]);
  });
});

describe('the cache on disk', () => {
  it('keeps values in private files, replaces them as a whole, and ignores broken ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'host-cache-'));
    const cache = fileCache({ folder: join(folder, 'made', 'later'), maxBytes: 1000 });
    expect(await cache.get('a')).toBeUndefined();
    await cache.set('a', { b: [1] });
    await cache.set('../../escape', 'inside');
    await cache.set('huge', 'x'.repeat(2000));
    expect([await cache.get('a'), await cache.get('../../escape'), await cache.get('huge')]).toEqual([
      { b: [1] },
      'inside',
      undefined,
    ]);
    const files = await readdir(join(folder, 'made', 'later'));
    expect(files).toHaveLength(2);
    for (const file of files) {
      const path = join(folder, 'made', 'later', file);
      if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
      await writeFile(path, '{"cut":');
    }
    expect(await cache.get('a')).toBeUndefined();
    await cache.delete('a');
    await rm(folder, { recursive: true });
  });
});
