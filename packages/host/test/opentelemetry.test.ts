import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type HistogramMetricData,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { subscribeOpenTelemetry } from '@mcp-fittings/host/opentelemetry';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { officialServer } from '../../../scripts/bundled.mjs';
import { everythingServer } from '../../../scripts/everything-server.js';
import { connectionAttributes } from '../src/opentelemetry/attributes.js';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { modern, RpcFailure, scripted, SILENCE } from './support/scripted.js';

const root = join(import.meta.dirname, '../../..');
const everything = await officialServer('everything');
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({
  exporter: metricExporter,
  exportIntervalMillis: 3_600_000,
});
const meters = new MeterProvider({ readers: [reader] });
/** The whole package, as a program passes it. */
const api = { trace, context, propagation, metrics };

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  metrics.setGlobalMeterProvider(meters);
});
afterAll(async () => {
  await provider.shutdown();
  await meters.shutdown();
  trace.disable();
  propagation.disable();
  context.disable();
  metrics.disable();
});
beforeEach(async () => {
  await reader.forceFlush();
  metricExporter.reset();
  exporter.reset();
});

const spansOf = (name: string): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);

async function histogram(name: string): Promise<HistogramMetricData> {
  await reader.forceFlush();
  const all = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics);
  const found = all.find(({ descriptor }) => descriptor.name === name);
  if (found === undefined) throw new Error(`no metric ${name}`);
  return found as HistogramMetricData;
}

describe('OpenTelemetry', () => {
  it('a span of the server is a child of the span of the call, also beside others', async () => {
    const received: (readonly [unknown, unknown])[] = [];
    const calc = calculator();
    calc.server.registerTool('trace', { inputSchema: { n: z.number() } }, ({ n }, extra) => {
      received.push([n, extra._meta?.['traceparent']]);
      return { content: [] };
    });
    using telemetry = subscribeOpenTelemetry(api);
    await using host = testHost([testServers(() => calc).plugin], {
      traceContext: telemetry.traceContext,
      lazy: true,
    });
    await host.connect({ calc: { type: 'test' } });
    const outer = trace.getTracer('test').startSpan('outer');
    await context.with(trace.setSpan(context.active(), outer), () =>
      Promise.all([1, 2, 3].map((n) => host.callTool({ server: 'calc', tool: 'trace' }, { n }))),
    );
    outer.end();
    const calls = spansOf('tools/call trace');
    const { traceId, spanId } = outer.spanContext();
    expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual([spanId, spanId, spanId]);
    // Each call has a span of its own, and its server is told of that one.
    expect(received.map(([, parent]) => String(parent)).toSorted()).toEqual(
      calls.map((span) => `00-${traceId}-${span.spanContext().spanId}-01`).toSorted(),
    );
    expect(new Set(received.map(([, parent]) => parent)).size).toBe(3);
  });

  it('every request and notification has the context of its own span in _meta', async () => {
    const seen = new Map<string, unknown>();
    const answers = {
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'prompts/list': { prompts: [] },
      'resources/list': { resources: [] },
      'resources/templates/list': { resourceTemplates: [] },
      'tools/call': { content: [] },
      'prompts/get': { messages: [] },
      'resources/read': { contents: [] },
      'resources/subscribe': {},
      'logging/setLevel': {},
      'completion/complete': { completion: { values: [] } },
      ping: {},
    };
    const note = (method: string, params: JSONRPCObject): void =>
      void seen.set(method, params._meta?.['traceparent']);
    const capabilities = {
      tools: {},
      prompts: {},
      resources: { subscribe: true },
      logging: {},
      completions: {},
    };
    const server = scripted(
      {
        ...Object.fromEntries(
          Object.entries(answers).map(([method, result]) => [
            method,
            (params: JSONRPCObject) => (note(method, params), result),
          ]),
        ),
        initialize(params) {
          note('initialize', params);
          const serverInfo = { name: 'scripted', version: '1' };
          return { protocolVersion: '2025-11-25', capabilities, serverInfo };
        },
      },
      capabilities,
    );
    using telemetry = subscribeOpenTelemetry(api);
    await using host = testHost([testServers(() => server).plugin], {
      callbacks: { roots: async () => [] },
      traceContext: telemetry.traceContext,
    });
    await host.connect({ s: { type: 'test' } });
    await host.callTool({ server: 's', tool: 'echo' });
    await host.getPrompt({ server: 's', prompt: 'p' });
    await host.readResource({ server: 's', uri: 'memo://a' });
    await host.complete({
      server: 's',
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
    });
    await host.subscribe({ server: 's', uri: 'memo://a' });
    await host.setLogLevel('s', 'info');
    await host.request({ server: 's', method: 'ping' });
    await host.notify('s', 'notifications/roots/list_changed');
    for (const message of server.told) if ('method' in message) note(message.method, message.params ?? {});

    const byMethod = exporter
      .getFinishedSpans()
      .map((span) => [
        span.attributes['mcp.method.name'],
        `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`,
      ]);
    const { 'tools/call': _call, ...rest } = answers;
    expect(Object.keys(rest).filter((method) => seen.get(method) === undefined)).toEqual([]);
    for (const method of [
      ...Object.keys(answers),
      'initialize',
      'notifications/initialized',
      'notifications/roots/list_changed',
    ])
      expect(byMethod, method).toContainEqual([method, seen.get(method)]);
    // One span each, of the kind CLIENT, and none without a method.
    expect(exporter.getFinishedSpans().every(({ kind }) => kind === SpanKind.CLIENT)).toBe(true);
    expect(byMethod.filter(([method]) => method === undefined)).toEqual([]);
  });

  it('names a failure by its JSON-RPC code, as tool_error, or by our code', async () => {
    const server = scripted({
      'tools/list': () => ({
        tools: ['fails', 'refuses', 'hangs'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      }),
      'tools/call'({ name }) {
        if (name === 'refuses') throw new RpcFailure(-32602, `bad\u202e arguments`);
        return name === 'fails' ? { content: [], isError: true } : SILENCE;
      },
    });
    using _telemetry = subscribeOpenTelemetry(api);
    const servers = testServers(() => server);
    await using host = testHost([servers.plugin], { delivery: 'none' });
    await host.connect({ s: { type: 'test' } });
    const ref = (tool: string) => ({ server: 's', tool });
    await host.callTool(ref('fails'));
    await expect(host.callTool(ref('refuses'))).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { rpcCode: -32_602 },
    });
    await expect(host.callTool(ref('hangs'), {}, { timeoutMs: 1 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    const given = new AbortController();
    await expect(
      host.callTool(ref('hangs'), {}, { timeoutMs: 1, signal: given.signal }),
    ).rejects.toMatchObject({ code: 'TIMEOUT' });
    const aborted = host.callTool(ref('hangs'), {}, { signal: given.signal });
    setImmediate(() => given.abort());
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    const lost = host.callTool(ref('hangs'));
    setImmediate(() => void servers.drop());
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_LOST' });

    const outcome = ({ attributes, status }: ReadableSpan) => ({
      type: attributes['error.type'],
      code: attributes['rpc.response.status_code'],
      status: status.code,
    });
    const error = { code: undefined, status: SpanStatusCode.ERROR };
    expect(spansOf('tools/call fails').map(outcome)).toEqual([{ ...error, type: 'tool_error' }]);
    expect(spansOf('tools/call refuses').map(outcome)).toEqual([
      { ...error, type: '-32602', code: '-32602' },
    ]);
    expect(spansOf('tools/call refuses')[0]?.status.message).toBe('bad arguments');
    expect(spansOf('tools/call hangs').map((span) => outcome(span).type)).toEqual([
      'TIMEOUT',
      'TIMEOUT',
      'ABORTED',
      'CONNECTION_LOST',
    ]);
    // A call that never left has a span, too, and only that one.
    exporter.reset();
    await expect(host.callTool(ref('fails'))).rejects.toMatchObject({ delivery: 'not-sent' });
    expect(
      exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes['error.type']]),
    ).toEqual([['tools/call fails', 'CONNECTION_LOST']]);
  });
});

it('a stateless server gets the context with every request, and its spans have the revision', async () => {
  const seen: (readonly [string, unknown])[] = [];
  const note = (method: string, result: object) => (params: JSONRPCObject) => {
    seen.push([method, params._meta?.['traceparent']]);
    return result;
  };
  const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
  const server = modern({
    'tools/list': note('tools/list', { tools }),
    'tools/call': note('tools/call', { content: [] }),
  });
  using telemetry = subscribeOpenTelemetry(api);
  await using host = testHost([testServers(() => server).plugin], { traceContext: telemetry.traceContext });
  await host.connect({ s: { type: 'test' } });
  await host.callTool({ server: 's', tool: 'echo' });
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name }) => name)).toEqual(['server/discover', 'tools/list', 'tools/call echo']);
  expect(seen.map(([, parent]) => parent)).toEqual(
    spans.slice(1).map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`),
  );
  expect(spans.slice(1).map(({ attributes }) => attributes['mcp.protocol.version'])).toEqual([
    '2026-07-28',
    '2026-07-28',
  ]);
});

it('a connection that fails before it sends anything has one span', async () => {
  using _telemetry = subscribeOpenTelemetry(api);
  await using host = testHost([stdio()]);
  await host.connect({ missing: { command: 'no-such-program-at-all', reconnect: { maxAttempts: 0 } } });
  expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
    [
      'initialize',
      {
        'mcp.method.name': 'initialize',
        'mcp_fittings.server': 'missing',
        'error.type': 'COMMAND_NOT_FOUND',
      },
    ],
  ]);
});

it('what the transport does while it sends is in the context of the span', async () => {
  const active: (string | undefined)[] = [];
  const servers = testServers(calculator);
  const plugin = {
    ...servers.plugin,
    create(...given: Parameters<typeof servers.plugin.create>) {
      const transport = servers.plugin.create(...given);
      const inner = transport.send.bind(transport);
      const send: typeof inner = async (message, options) => {
        active.push(trace.getSpan(context.active())?.spanContext().spanId);
        await inner(message, options);
      };
      // The host reports what goes to a transport that does not do so itself.
      return Object.assign(transport, { send, observe: undefined });
    },
  };
  using _telemetry = subscribeOpenTelemetry(api);
  await using host = testHost([plugin]);
  await host.connect({ calc: { type: 'test' } });
  expect(active).toHaveLength(4);
  const ids = exporter.getFinishedSpans().map((span) => span.spanContext().spanId);
  expect(new Set(active)).toEqual(new Set(ids));
});

describe('the tables of docs/observability.md', () => {
  const page = readFileSync(join(root, 'docs/observability.md'), 'utf8');
  /** Rows of the table below a heading, each as its cells without code marks. */
  const rows = (heading: string): readonly (readonly string[])[] => {
    const text = page.split(`### ${heading}\n`)[1]?.split('\n#')[0] ?? '';
    return text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('`', '')),
      );
  };
  interface Seen {
    readonly span: ReadableSpan;
    readonly method: string;
  }
  /** The words of the column "spans". */
  const WHERE: Readonly<Record<string, (seen: Seen) => boolean>> = {
    all: () => true,
    requests: ({ method }) => !method.startsWith('notifications/'),
    'tools/call': ({ method }) => method === 'tools/call',
    'prompts/get': ({ method }) => method === 'prompts/get',
    resources: ({ method }) =>
      ['resources/read', 'resources/subscribe', 'resources/unsubscribe'].includes(method),
    'stdio, HTTP, SSE, WebSocket': () => true,
    'HTTP, SSE, WebSocket': ({ span }) => span.attributes['mcp_fittings.server'] === 'remote',
    'HTTP before 2026-07-28': ({ span }) => span.attributes['mcp_fittings.server'] === 'remote',
    failed: ({ span }) => span.status.code === SpanStatusCode.ERROR,
    'error responses': ({ span }) => String(span.attributes['error.type']).startsWith('-'),
    'failed without a response': ({ span }) =>
      span.status.code === SpanStatusCode.ERROR && /^[A-Z]/.test(String(span.attributes['error.type'])),
    'once negotiated': ({ method }) => method !== 'server/discover',
  };

  it('list exactly what is exported for real servers', async () => {
    await using remote = await everythingServer();
    using telemetry = subscribeOpenTelemetry(api);
    {
      await using host = testHost([stdio(), http()], { traceContext: telemetry.traceContext });
      await host.connect({
        local: { command: process.execPath, args: [everything, 'stdio'] },
        remote: { type: 'http', url: remote.url },
      });
      for (const server of ['local', 'remote']) {
        expect(host.server(server).state.status).toBe('connected');
        await host.callTool({ server, tool: 'echo' }, { message: 'hi' });
        await host.callTool({ server, tool: 'get-sum' }, { a: 'no number' });
        await host.getPrompt({ server, prompt: 'simple-prompt' });
        const [resource] = host.resources().filter((each) => each.server === server);
        await host.readResource({ server, uri: resource?.uri ?? '' });
        await expect(host.request({ server, method: 'no/such' })).rejects.toMatchObject({
          code: 'RPC_ERROR',
        });
        await expect(
          host.callTool(
            { server, tool: 'trigger-long-running-operation' },
            { duration: 9, steps: 2 },
            { timeoutMs: 50 },
          ),
        ).rejects.toMatchObject({ code: 'TIMEOUT' });
      }
    }
    const spans = exporter
      .getFinishedSpans()
      .map((span): Seen => ({ span, method: String(span.attributes['mcp.method.name']) }));
    const table = rows('Spans');
    expect(table.length).toBeGreaterThan(10);
    for (const [attribute = '', where = ''] of table) {
      const rule = WHERE[where];
      if (rule === undefined) throw new Error(`unknown words: ${where}`);
      const has = (each: Seen): boolean => attribute in each.span.attributes;
      const wrong = spans.filter((each) => has(each) !== rule(each));
      // The session has an id only when the server has answered its first request.
      const meant = attribute === 'mcp.session.id' ? wrong.filter(has) : wrong;
      expect(
        meant.map(({ span }) => [attribute, span.name, span.attributes]),
        attribute,
      ).toEqual([]);
      expect(spans.some(has), attribute).toBe(true);
    }
    const listed = new Set(table.map(([attribute]) => attribute));
    const exported = new Set(spans.flatMap(({ span }) => Object.keys(span.attributes)));
    expect([...exported].filter((attribute) => !listed.has(attribute))).toEqual([]);

    const port = Number(new URL(remote.url).port);
    const call = (server: string) =>
      spansOf('tools/call echo').find(({ attributes }) => attributes['mcp_fittings.server'] === server)
        ?.attributes;
    expect(call('local')).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'echo',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'pipe',
      'mcp_fittings.server': 'local',
    });
    expect(call('remote')).toMatchObject({
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': port,
      'mcp.session.id': expect.stringMatching(/^[\w-]{8,}$/),
    });
    const socket = { type: 'http', protocolVersion: undefined, sessionId: undefined };
    expect(connectionAttributes({ ...socket, description: { url: 'unix:///run/a.sock' } })).toEqual({
      'network.transport': 'unix',
      'server.address': '/run/a.sock',
    });
    // No URI in a name.
    expect(spans.map(({ span }) => span.name).filter((name) => name.includes('://'))).toEqual([]);
    expect(spansOf('resources/read')).toHaveLength(2);

    const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
    for (const [name = '', , unit, attributes = ''] of rows('Metrics')) {
      const { descriptor, dataPoints } = await histogram(name);
      expect([descriptor.unit, dataPoints[0]?.value.buckets.boundaries]).toEqual([unit, buckets]);
      const recorded = new Set(dataPoints.flatMap((point) => Object.keys(point.attributes)));
      const documented = attributes.split(', ').filter((attribute) => attribute !== '');
      expect([...recorded].toSorted()).toEqual(
        documented
          .filter((attribute) => name !== 'mcp.client.session.duration' || attribute !== 'error.type')
          .toSorted(),
      );
    }
    expect(rows('Metrics')).toHaveLength(2);
    const count = (data: HistogramMetricData): number =>
      data.dataPoints.reduce((sum, { value }) => sum + value.count, 0);
    expect(count(await histogram('mcp.client.session.duration'))).toBe(2);
    expect(count(await histogram('mcp.client.operation.duration'))).toBe(spans.length);
  });
});
