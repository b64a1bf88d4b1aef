import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tracingChannel } from 'node:diagnostics_channel';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost, TRACE_CHANNELS, type TraceEvent } from '@mcp-fittings/host';
import { fileCache } from '@mcp-fittings/host/file-cache';
import { subscribeOpenTelemetry } from '@mcp-fittings/host/opentelemetry';
import { sdk } from '@mcp-fittings/host/sdk';
import { sdk as sdkV2 } from '@mcp-fittings/host/sdk-v2';
import { z } from 'zod';
import { calculator, identity } from './support/calculator.js';
import { testServers } from './support/in-process.js';

describe('tracing channels', () => {
  it('report connects, readings of lists, calls, and failures', async () => {
    const told: string[] = [];
    const subscriptions = Object.entries(TRACE_CHANNELS).map(([name, channel]) => {
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
    await using host = createHost({ engine: sdk(identity), transports: [testServers(calculator).plugin] });
    await host.connect({ calc: { type: 'test' } });
    expect(told.slice(0, 3)).toEqual(['start connect calc', 'end connect calc', 'start refresh calc tools']);
    told.length = 0;
    await host.callTool({ server: 'calc', tool: 'add' }, { a: 1, b: 2 });
    expect(told).toEqual(['start call calc tools/call add', 'end call calc']);
    told.length = 0;
    await expect(host.callTool({ server: 'calc', tool: 'slow' }, {}, { timeoutMs: 1 })).rejects.toThrow();
    expect(told).toEqual(['start call calc tools/call slow', 'error TIMEOUT', 'end call calc']);
    for (const unsubscribe of subscriptions) unsubscribe();
  });
});

describe('OpenTelemetry', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(provider);
  });
  afterAll(async () => {
    await provider.shutdown();
    trace.disable();
    propagation.disable();
    context.disable();
  });

  it.each([
    ['sdk', sdk],
    ['sdk-v2', sdkV2],
  ])(
    'D2: a span of the server is a child of the span of the call, also beside others, on %s',
    async (_name, engine) => {
      const received: (readonly [unknown, unknown])[] = [];
      const calc = calculator();
      calc.server.registerTool('trace', { inputSchema: { n: z.number() } }, ({ n }, extra) => {
        received.push([n, extra._meta?.['traceparent']]);
        return { content: [] };
      });
      exporter.reset();
      using telemetry = subscribeOpenTelemetry({ trace, context, propagation });
      await using host = createHost({
        engine: engine(identity),
        transports: [testServers(() => calc).plugin],
        traceContext: telemetry.traceContext,
        lazy: true,
      });
      await host.connect({ calc: { type: 'test' } });
      const outer = trace.getTracer('test').startSpan('outer');
      await context.with(trace.setSpan(context.active(), outer), () =>
        Promise.all([1, 2, 3].map((n) => host.callTool({ server: 'calc', tool: 'trace' }, { n }))),
      );
      outer.end();
      const calls = exporter.getFinishedSpans().filter(({ name }) => name === 'tools/call trace');
      const { traceId, spanId } = outer.spanContext();
      expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual([spanId, spanId, spanId]);
      // Each call has a span of its own, and its server is told of that one.
      expect(received.map(([, parent]) => String(parent)).toSorted()).toEqual(
        calls.map((span) => `00-${traceId}-${span.spanContext().spanId}-01`).toSorted(),
      );
      expect(new Set(received.map(([, parent]) => parent)).size).toBe(3);
    },
  );

  it('gets spans, and the server gets the traceparent', async () => {
    exporter.reset();
    const received: unknown[] = [];
    const calc = calculator();
    calc.server.registerTool('trace', {}, (extra) => {
      received.push(extra._meta?.['traceparent']);
      return { content: [] };
    });
    using telemetry = subscribeOpenTelemetry({ trace, context, propagation });
    await using host = createHost({
      engine: sdk(identity),
      transports: [testServers(() => calc).plugin],
      traceContext: telemetry.traceContext,
    });
    await host.connect({ calc: { type: 'test' } });
    const tracer = trace.getTracer('test');
    const traceId = await tracer.startActiveSpan('outer', async (outer) => {
      await host.callTool({ server: 'calc', tool: 'trace' });
      await expect(host.callTool({ server: 'calc', tool: 'slow' }, {}, { timeoutMs: 1 })).rejects.toThrow();
      outer.end();
      return outer.spanContext().traceId;
    });
    expect(received).toEqual([expect.stringMatching(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))]);
    const spans = exporter.getFinishedSpans();
    const call = spans.find(({ name }) => name === 'tools/call trace');
    expect(call?.attributes).toMatchObject({ 'mcp.server': 'calc', 'gen_ai.tool.name': 'trace' });
    expect(call?.spanContext().traceId).toBe(traceId);
    const failed = spans.find(({ name }) => name === 'tools/call slow');
    expect(failed?.attributes).toMatchObject({ 'error.type': 'TIMEOUT', 'mcp.delivery': 'unknown' });
    expect(spans.find(({ name }) => name === 'connect')?.attributes).toMatchObject({
      'mcp.protocol.version': '2025-11-25',
    });
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
