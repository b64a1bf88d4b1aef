/** The clients of both SDKs forget a progress handler when its call is answered, and run it a moment later than that. */
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTransport, startHttpServer } from '../../../bench/lib/connection.mjs';

const identity = { name: 'compat', version: '1.0.0' };
let server: { ports: number[]; stop: () => void };
beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.stop());

/** Calls a tool that sends so much progress and its answer in one write. */
const KINDS = {
  'SDK v1': async (wire: string) => {
    const client = new Client1(identity);
    await client.connect(await makeTransport('ours', wire, server.ports[0]));
    const call = (count: number, onprogress: () => void) =>
      client.callTool({ name: 'flood', arguments: { count } }, undefined, { onprogress });
    return { call, close: () => client.close() };
  },
  'SDK v2': async (wire: string) => {
    const client = new Client2(identity);
    await client.connect(await makeTransport('ours', wire, server.ports[0]));
    const call = (count: number, onprogress: () => void) =>
      client.callTool({ name: 'flood', arguments: { count } }, { onprogress });
    return { call, close: () => client.close() };
  },
};

describe.each(Object.entries(KINDS))('under the client of %s', (_, connect) => {
  it.each(['stdio', 'http-sse', 'sse', 'ws'])(
    'over %s progress that comes with the answer reaches the caller',
    async (wire) => {
      const { call, close } = await connect(wire);
      for (const count of [1, 1, 1, 2, 300]) {
        let seen = 0;
        await call(count, () => seen++);
        expect(seen).toBe(count);
      }
      await close();
    },
  );
});
