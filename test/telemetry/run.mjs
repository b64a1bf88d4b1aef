/**
 * `npm run telemetry`: a host that is traced by the OpenTelemetry SDK for Node.js, against `server-everything` over stdio and HTTP,
 * with exporters in memory. Fails unless what is exported is what docs/observability.md lists, and unless the spans of undici
 * are children of those of the host.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as api from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { metrics, NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { freePort } from '../../scripts/free-port.mjs';

const spans = new tracing.InMemorySpanExporter();
const measured = new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.CUMULATIVE);
const reader = new metrics.PeriodicExportingMetricReader({
  exporter: measured,
  exportIntervalMillis: 3_600_000,
});
const telemetrySdk = new NodeSDK({
  autoDetectResources: false,
  spanProcessors: [new tracing.SimpleSpanProcessor(spans)],
  metricReaders: [reader],
  instrumentations: [new UndiciInstrumentation()],
});
telemetrySdk.start();

const { createHost } = await import('@mcp-fittings/host');
const { subscribeOpenTelemetry } = await import('@mcp-fittings/host/opentelemetry');
const { http } = await import('@mcp-fittings/transport-http');
const { stdio } = await import('@mcp-fittings/transport-stdio');

const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const port = await freePort();
const server = spawn(process.execPath, [everything, 'streamableHttp'], {
  env: { ...process.env, PORT: String(port) },
  stdio: ['ignore', 'ignore', 'pipe'],
});
await new Promise((resolve, reject) => {
  let said = '';
  server.once('exit', () => reject(new Error(`The server ended: ${said}`)));
  server.stderr.on('data', (chunk) => {
    said += chunk.toString();
    if (said.includes('on port')) resolve(undefined);
  });
});

const telemetry = subscribeOpenTelemetry(api);
const host = createHost({
  name: 'telemetry',
  version: '1.0.0',
  transports: [stdio(), http()],
  traceContext: telemetry.traceContext,
});
const [local, remote] = await host.connect({
  local: { command: process.execPath, args: [everything, 'stdio'] },
  remote: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
});
assert.deepEqual([local?.state.status, remote?.state.status], ['connected', 'connected']);
for (const name of ['local', 'remote']) {
  await host.callTool({ server: name, tool: 'get-sum' }, { a: 40, b: 2 });
  await host.callTool({ server: name, tool: 'get-sum' }, { a: 'no number' });
  await host.getPrompt({ server: name, prompt: 'simple-prompt' });
  await host.readResource({ server: name, uri: host.resources()[0]?.uri ?? '' });
  await assert.rejects(host.request({ server: name, method: 'no/such' }));
  const long = { server: name, tool: 'trigger-long-running-operation' };
  await assert.rejects(host.callTool(long, { duration: 9, steps: 2 }, { timeoutMs: 50 }), {
    code: 'TIMEOUT',
  });
}
await host.close();
server.removeAllListeners('exit');
server.kill();
await reader.forceFlush();

const page = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
/** @param {string} heading */
const rows = (heading) =>
  (page.split(`### ${heading}\n`)[1] ?? '')
    .split('\n#')[0]
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );

const finished = spans.getFinishedSpans();
const own = finished.filter(({ instrumentationScope }) => instrumentationScope.name === '@mcp-fittings/host');
const names = (/** @type {readonly { attributes: object }[]} */ all) =>
  [...new Set(all.flatMap(({ attributes }) => Object.keys(attributes)))].toSorted();
assert.deepEqual(
  names(own),
  rows('Spans')
    .map(([attribute]) => attribute)
    .toSorted(),
);
assert.deepEqual(
  own.filter(({ attributes }) => attributes['mcp.method.name'] === undefined),
  [],
);
for (const name of [
  'tools/call get-sum',
  'prompts/get simple-prompt',
  'resources/read',
  'tools/list',
  'initialize',
])
  assert.ok(
    own.some((span) => span.name === name),
    name,
  );

const ids = new Set(own.map((span) => span.spanContext().spanId));
const calls = own.filter(
  ({ name, attributes }) => name === 'tools/call get-sum' && attributes['mcp_fittings.server'] === 'remote',
);
for (const call of calls) {
  const children = finished.filter(
    ({ parentSpanContext: parent }) => parent?.spanId === call.spanContext().spanId,
  );
  assert.deepEqual(
    children.map(({ name }) => name),
    ['POST'],
  );
}
assert.equal(calls.length, 2);

const histograms = measured
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics)
  .filter(({ scope }) => scope.name === '@mcp-fittings/host')
  .flatMap(({ metrics: all }) => all);
for (const [name, , unit, attributes = ''] of rows('Metrics')) {
  const found = histograms.find(({ descriptor }) => descriptor.name === name);
  assert.equal(found?.descriptor.unit, unit, name);
  const allowed = attributes.split(', ');
  assert.deepEqual(
    names(found?.dataPoints ?? []).filter((attribute) => !allowed.includes(attribute)),
    [],
  );
}
assert.equal(histograms.length, rows('Metrics').length);
console.log(
  `${ids.size} spans, ${calls.length} calls with a POST below, ${histograms.length} metrics, as docs/observability.md says.`,
);
await telemetrySdk.shutdown();
