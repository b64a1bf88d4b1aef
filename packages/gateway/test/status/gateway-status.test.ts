import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createGateway, type GatewayOptions, type GatewayStatus } from '../../src/index.js';
import { createOperations } from '../../src/operations.js';
import { byName } from '../support/test-gateway.js';
import { hostOf, toolServer } from '../support/status-servers.js';

async function start(options: GatewayOptions = {}, servers: Parameters<typeof hostOf>[0] = {}) {
  const host = await hostOf({
    ...servers,
    notes: () => toolServer({ read: 'a note', fail: new Error('It fell over.') }),
    hidden: () => toolServer({ read: 'a secret' }),
  });
  const gateway = createGateway(host, {
    access: byName,
    expose: { servers: ['notes', 'slow'] },
    status: { version: '2.3.4' },
    observe: (event) => operations.observe(event),
    ...options,
  });
  const operations = createOperations({ host, gateway, required: ['notes'] });
  onTestFinished(async () => {
    operations[Symbol.dispose]();
    await gateway.close();
  });
  const { url } = await gateway.listen({ port: 0 });
  const get = (path: string, token = 'ann') =>
    fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
  const client = async (token: string) => {
    const connected = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await connected.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    onTestFinished(() => connected.close());
    return connected;
  };
  return { host, gateway, operations, url, get, client };
}

it('a gateway shows callers their own requests, and only servers that it exposes', async () => {
  const { get, client, operations } = await start();
  const ann = await client('ann');
  await ann.callTool({ name: 'notes__read', arguments: {} });
  await ann.callTool({ name: 'notes__fail', arguments: {} }).catch(() => undefined);

  const of = async (token: string) => (await (await get('/status', token)).json()) as GatewayStatus;
  const [ofAnn, ofBob] = [await of('ann'), await of('bob')];
  expect(ofAnn.version).toBe('2.3.4');
  expect(ofAnn.servers.map(({ name, requests }) => [name, requests.count, requests.failed])).toEqual([
    ['notes', 2, 1],
  ]);
  expect(ofAnn.errors).toMatchObject([{ server: 'notes', target: 'fail', code: 'RPC_ERROR' }]);
  expect(ofBob.servers.map(({ requests }) => requests.count)).toEqual([0]);
  expect(ofBob.errors).toEqual([]);
  expect((await get('/status', 'carol')).status).toBe(401);

  const metrics = await (await operations.fetch(new Request('http://localhost/metrics'))).text();
  expect(metrics).toContain('mcp_gateway_sessions 1');
  expect(metrics).toContain('mcp_gateway_requests_total{server="notes",method="tools/call",outcome="ok"} 1');
});

it('the form of the page passes the check of Origin, and the cookie is of no use at /mcp', async () => {
  const { url } = await start();
  const body = new URLSearchParams({ token: 'ann' });
  const signIn = (origin: string) =>
    fetch(new URL('/status/sign-in', url), { method: 'POST', body, headers: { origin }, redirect: 'manual' });
  expect((await signIn('https://evil.example')).status).toBe(403);
  const response = await signIn(new URL(url).origin);
  expect(response.status).toBe(303);
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await fetch(new URL('/status', url), { headers: { cookie } })).status).toBe(200);
  const call = await fetch(url, { method: 'POST', headers: { cookie, 'content-type': 'application/json' } });
  expect(call.status).toBe(401);
});

it('drains a call in flight before the gateway is closed', async () => {
  let answer: ((text: string) => void) | undefined;
  const wait = (): Promise<string> => new Promise((resolve) => (answer = resolve));
  const { client, operations } = await start({}, { slow: () => toolServer({ wait }) });
  const ann = await client('ann');
  const call = ann.callTool({ name: 'slow__wait', arguments: {} });
  await vi.waitFor(() => expect(answer).toBeDefined());
  let isDone = false;
  const draining = operations.drain({ graceMs: 60_000 }).finally(() => (isDone = true));
  expect((await operations.fetch(new Request('http://localhost/health/ready'))).status).toBe(503);
  expect(isDone).toBe(false);
  answer?.('at last');
  expect(await call).toMatchObject({ content: [{ text: 'at last' }] });
  expect(await draining).toEqual({ requestsInFlight: 0 });
});

it('there is no page unless it is asked for', async () => {
  const { get } = await start({ status: undefined });
  expect((await get('/')).status).toBe(404);
  expect((await get('/status')).status).toBe(404);
});

it('the owner of a socket reads the status without a token', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-status-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = join(folder, 'gateway.sock');
  const { gateway } = await start();
  await gateway.listen({ socketPath });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, path: '/status' }, resolve).on('error', reject).end();
  });
  expect(response.statusCode).toBe(200);
  expect(await text(response)).toContain('"notes"');
});
