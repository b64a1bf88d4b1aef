import { createServer } from 'node:http';
import { FittingsError } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { register } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { RequestEvent } from '../../src/contracts/request-event.js';
import { createOperations } from '../../src/operations.js';
import { callTool, guardedUrl, hostOf, serve, toolServer } from '../support/status-servers.js';

const caller = { id: 'ann' };
const at = (path: string, method = 'GET'): Request => new Request(`http://localhost:9090${path}`, { method });
const event: RequestEvent = { caller, server: 'notes', method: 'tools/call', target: 'read', durationMs: 3 };

describe('health', () => {
  it('is live while it serves, and ready while the required servers are connected', async () => {
    const host = await hostOf({ notes: () => toolServer({ read: 'a note' }) });
    using operations = createOperations({ host, required: ['notes', 'later'] });
    const origin = await serve(createServer(operations.listener));
    const get = async (path: string) => {
      const response = await fetch(`${origin}${path}`);
      return { status: response.status, body: await response.text() };
    };

    expect(await get('/health/live')).toMatchObject({ status: 200 });
    expect(await get('/health/ready')).toEqual({
      status: 503,
      body: '{"status":"waiting for servers","missing":[{"name":"later","state":"unknown"}]}',
    });
    await host.connect({ later: { command: process.execPath, args: ['-e', 'process.exit(3)'] } });
    expect((await get('/health/ready')).body).toContain('{"name":"later","state":"failed"}');

    using only = createOperations({ host, required: ['notes'] });
    expect((await only.fetch(at('/health/ready'))).status).toBe(200);
    await host.stop('notes');
    expect((await only.fetch(at('/health/ready'))).status).toBe(503);
    await host.start('notes');
    expect((await only.fetch(at('/health/ready'))).status).toBe(200);
  });

  it('answers GET and HEAD of its paths only', async () => {
    using operations = createOperations({ host: await hostOf({}) });
    expect((await operations.fetch(at('/'))).status).toBe(404);
    expect((await operations.fetch(at('/metrics', 'POST'))).status).toBe(405);
    const head = await operations.fetch(at('/health/live', 'HEAD'));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('metrics', () => {
  /** The lines of one metric. */
  async function metric(operations: { fetch(request: Request): Promise<Response> }, name: string) {
    const response = await operations.fetch(at('/metrics'));
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await response.text();
    return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  }

  it('counts requests by server, method and outcome, and times them', async () => {
    const host = await hostOf({ notes: () => toolServer({ read: 'a note', fail: new Error('no') }) });
    const load = { sessions: 4, requestsInFlight: 2 };
    using operations = createOperations({ host, gateway: { load: () => load } });
    await callTool(host, operations.observe, caller, { server: 'notes', tool: 'read' });
    await callTool(host, operations.observe, caller, { server: 'notes', tool: 'read' });
    await callTool(host, operations.observe, caller, { server: 'notes', tool: 'fail' });

    expect(await metric(operations, 'mcp_gateway_requests_total')).toEqual([
      'mcp_gateway_requests_total{server="notes",method="tools/call",outcome="ok"} 2',
      'mcp_gateway_requests_total{server="notes",method="tools/call",outcome="RPC_ERROR"} 1',
    ]);
    expect(await metric(operations, 'mcp_gateway_request_duration_seconds_count')).toEqual([
      'mcp_gateway_request_duration_seconds_count{server="notes",method="tools/call"} 3',
    ]);
    expect(await metric(operations, 'mcp_gateway_sessions')).toEqual(['mcp_gateway_sessions 4']);
    expect(await metric(operations, 'mcp_gateway_requests_in_flight')).toEqual([
      'mcp_gateway_requests_in_flight 2',
    ]);
  });

  it('shows the state of each server, and how many sign-ins are needed', async () => {
    const host = await hostOf(
      { notes: () => toolServer({}) },
      { mail: { type: 'http', url: await guardedUrl() } },
    );
    using operations = createOperations({ host });
    const states = await metric(operations, 'mcp_gateway_server_state');
    expect(states.filter((line) => line.endsWith(' 1'))).toEqual([
      'mcp_gateway_server_state{server="notes",state="connected"} 1',
      'mcp_gateway_server_state{server="mail",state="needs-auth"} 1',
    ]);
    expect(states).toHaveLength(16);
    await host.start('mail', { principal: 'ann' }).catch(() => undefined);
    const signIns = () => metric(operations, 'mcp_gateway_sign_ins_needed');
    expect(await signIns()).toEqual([
      'mcp_gateway_sign_ins_needed{server="notes"} 0',
      'mcp_gateway_sign_ins_needed{server="mail"} 2',
    ]);
    await host.stop('mail', { principal: 'ann' });
    expect(await signIns()).toContain('mcp_gateway_sign_ins_needed{server="mail"} 1');
    await host.remove('mail');
    expect(await signIns()).toEqual(['mcp_gateway_sign_ins_needed{server="notes"} 0']);
    expect(await metric(operations, 'mcp_gateway_server_state')).toHaveLength(8);
  });

  it('has a bounded number of labels, whatever clients send, and none of a caller', async () => {
    using operations = createOperations({ host: await hostOf({ notes: () => toolServer({}) }) });
    for (let n = 0; n < 100; n++) {
      operations.observe({ ...event, server: `made-up-${n}`, method: `x/${n}`, target: `secret-${n}` });
    }
    // As of another version of client-core.
    const error = Object.assign(new FittingsError('TIMEOUT', 'secret'), { code: 'NEWER' });
    operations.observe({ ...event, error });
    expect(await metric(operations, 'mcp_gateway_requests_total')).toEqual([
      'mcp_gateway_requests_total{server="_other",method="_other",outcome="ok"} 100',
      'mcp_gateway_requests_total{server="notes",method="tools/call",outcome="_other"} 1',
    ]);
    const text = await (await operations.fetch(at('/metrics'))).text();
    expect(text).not.toMatch(/ann|secret|made-up/);
  });

  it('two gateways of a process do not share metrics, nor use the global registry', async () => {
    const host = await hostOf({ notes: () => toolServer({}) });
    using one = createOperations({ host });
    using other = createOperations({ host });
    one.observe(event);
    expect(await metric(one, 'mcp_gateway_requests_total')).toHaveLength(1);
    expect(await metric(other, 'mcp_gateway_requests_total')).toEqual([]);
    // They were not given a gateway: 0 would be a claim.
    expect(await metric(other, 'mcp_gateway_sessions')).toEqual([]);
    expect(await metric(other, 'mcp_gateway_draining')).toEqual(['mcp_gateway_draining 0']);
    expect(register.getMetricsAsArray()).toEqual([]);
  });
});

describe('drain', () => {
  it('is not ready at once, and waits until nothing is in flight', async () => {
    const clock = createManualClock();
    const load = { sessions: 1, requestsInFlight: 1 };
    using operations = createOperations({ host: await hostOf({}), gateway: { load: () => load }, clock });
    const drained = operations.drain({ graceMs: 30_000 });
    const ready = await operations.fetch(at('/health/ready'));
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining', missing: [] }]);
    expect((await operations.fetch(at('/health/live'))).status).toBe(200);

    let isDone = false;
    void drained.then(() => (isDone = true));
    await clock.advance(20_000);
    expect(isDone).toBe(false);
    load.requestsInFlight = 0;
    await clock.advance(50);
    expect(await drained).toEqual({ requestsInFlight: 0 });
    expect(clock.pending).toBe(0);
  });

  it('ends after the grace, and says what is still in flight', async () => {
    const clock = createManualClock();
    const gateway = { load: () => ({ sessions: 0, requestsInFlight: 3 }) };
    using operations = createOperations({ host: await hostOf({}), gateway, clock });
    const drained = operations.drain({ graceMs: 120 });
    await clock.advance(120);
    expect(await drained).toEqual({ requestsInFlight: 3 });
  });

  it('waits for load balancers to see it, also with nothing in flight', async () => {
    const clock = createManualClock();
    const gateway = { load: () => ({ sessions: 0, requestsInFlight: 0 }) };
    using operations = createOperations({ host: await hostOf({}), gateway, clock });
    let isDone = false;
    const drained = operations.drain({ graceMs: 30_000, minMs: 5000 }).then(() => (isDone = true));
    await clock.advance(4999);
    expect(isDone).toBe(false);
    await clock.advance(51);
    await drained;
  });
});
