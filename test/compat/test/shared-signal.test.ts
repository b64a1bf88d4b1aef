/** A host has one signal for a whole task; what every request left on it would pile up until memory is collected. */
import { getEventListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTransport, startHttpServer } from '../../../bench/lib/connection.mjs';

const REQUESTS = 2000;
const AT_ONCE = 50;
const warnings: string[] = [];
const remember = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
let server: { ports: number[]; stop: () => void };

beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.stop());
beforeEach(() => process.on('warning', remember));
afterEach(() => process.off('warning', remember));

describe('one signal for many requests', () => {
  it.each(['http', 'http-sse', 'sse', 'ws', 'stdio'])('gathers no listeners over %s', async (wire) => {
    await using transport = await makeTransport('ours', wire, server.ports[0]);
    const { signal } = new AbortController();
    let most = 0;
    transport.onmessage = () => {
      most = Math.max(most, getEventListeners(signal, 'abort').length);
    };
    await transport.start();
    const before = getEventListeners(signal, 'abort').length;
    for (let id = 0; id < REQUESTS; id += AT_ONCE) {
      const requests = Array.from({ length: AT_ONCE }, (_, index) => ({
        jsonrpc: '2.0' as const,
        id: id + index,
        method: 'tools/call',
        params: { name: 'echo', arguments: { text: 'x' } },
      }));
      await Promise.all(requests.map((request) => transport.send(request, { requestSignal: signal })));
    }

    expect(most).toBe(1);
    await vi.waitFor(() => expect(getEventListeners(signal, 'abort').length).toBe(before), {
      timeout: 20_000,
    });
    expect(warnings).toEqual([]);
  });
});
