import { setImmediate } from 'node:timers/promises';
import type { SharedState } from '@mcp-fittings/client-core';
import { createHost } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../../src/contracts/gateway-options.js';
import { createGateway } from '../../src/create-gateway.js';
import { createMemoryState } from '../../src/state/memory-state.js';
import { toyServer } from '../core/support.js';
import { INITIALIZE, SIGNED } from '../support/test-gateway.js';

/** A gateway over a server that has one resource, `notes://a`. */
async function startReplica(state: SharedState, options: GatewayOptions = {}) {
  const told: unknown[] = [];
  const notes = () =>
    toyServer({
      tools: [{ name: 'echo' }],
      resources: [{ uri: 'notes://a', name: 'a' }],
      onRequest(method, { uri }) {
        if (method === 'resources/subscribe' && uri !== 'notes://a') throw new Error('no such resource');
        if (method === 'resources/subscribe') told.push(uri);
      },
    });
  const host = createHost({ name: 'test', version: '1', transports: [inprocess({ servers: { notes } })] });
  await host.connect({ notes: { type: 'sdk' } });
  const gateway = createGateway(host, { trustedCaller: { id: 'ann' }, state, ...options });
  return {
    told,
    async post(body: object, session?: string | null) {
      const headers = { ...SIGNED, ...(session && { 'mcp-session-id': session }) };
      const init = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) };
      const response = await gateway.fetch(new Request('http://localhost/mcp', init));
      return { session: response.headers.get('mcp-session-id'), text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await host.close();
    },
  };
}

it('a gateway has left the other replicas when it is closed', async () => {
  const memory = createMemoryState();
  let hasLeft = false;
  const join: SharedState['join'] = (receive) => ({
    ...memory.join(receive),
    async leave() {
      await setImmediate();
      hasLeft = true;
    },
  });
  const replica = await startReplica({ ...memory, join });
  await replica[Symbol.asyncDispose]();
  expect(hasLeft).toBe(true);
});

const SUBSCRIBE = { method: 'resources/subscribe', params: { uri: 'notes://a' } };
const PING = { method: 'ping' };

describe('a session at another replica', () => {
  it.each([
    ['a subscription', 'resources/subscribe', { uri: 'notes://gone' }],
    ['a log level', 'logging/setLevel', { level: 'loud' }],
  ])('continues although %s was refused', async (_what, method, params) => {
    const state = createMemoryState();
    await using one = await startReplica(state);
    await using two = await startReplica(state);
    const { session } = await one.post(INITIALIZE);
    expect((await one.post({ method, params }, session)).text).toContain('"error"');
    await one.post(SUBSCRIBE, session);
    expect((await two.post(PING, session)).text).toContain('"result"');
    expect(two.told).toEqual(['notes://a']);
  });

  it('is restored although the rate limit of its caller is exhausted', async () => {
    const state = createMemoryState();
    const rateLimits = [{ per: 'principal', requests: 2, intervalMs: 60_000 }] as const;
    await using one = await startReplica(state, { rateLimits });
    await using two = await startReplica(state, { rateLimits });
    const { session } = await one.post(INITIALIZE);
    await one.post(SUBSCRIBE, session);
    await one.post({ method: 'logging/setLevel', params: { level: 'info' } }, session);
    expect(
      (await one.post({ method: 'tools/call', params: { name: 'notes__echo' } }, session)).text,
    ).toContain('RATE_LIMITED');
    expect((await two.post(PING, session)).text).toContain('"result"');
    expect(two.told).toEqual(['notes://a']);
  });
});
