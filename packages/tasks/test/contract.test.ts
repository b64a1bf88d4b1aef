import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { withTasks } from '@mcp-fittings/tasks';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createInProcessTransport } from '@mcp-fittings/transport-inprocess';
import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';

// A decorated transport keeps the contract of the transport.
transportSuite(
  { describe, it },
  {
    name: 'in-process server, with tasks',
    capabilities: { serializes: false, signal: true, serverName: true },
    async setup({ server, signal }) {
      let side: Transport | undefined;
      const transport = createInProcessTransport({
        server,
        signal,
        createServer: () => ({
          async connect(given: Transport) {
            side = given;
            const peer = createKitPeer({
              // The kit sends broken messages on purpose.
              send: (value) => void given.send(value as JSONRPCMessage).catch(() => undefined),
              die: () => void given.close(),
            });
            given.onmessage = (message) => peer.receive(message);
            await given.start();
          },
          close: async () => side?.close(),
        }),
      });
      const tested = withTasks(transport, { server });
      return { transport: tested, killPeer: async () => side?.close(), teardown: () => tested.close() };
    },
    async setupUnreachable() {
      const transport = createInProcessTransport({
        createServer: () => {
          throw new Error('no server today');
        },
      });
      return { transport: withTasks(transport), teardown: () => transport.close() };
    },
  },
);

describe('the decorated transport', () => {
  class Inner {
    onerror?: (error: Error) => void;
    readonly pid = 7;
    readonly #secret = 'private';
    stderr = 'last words';
    get closeReason(): undefined {
      return undefined;
    }
    describe(): object {
      return { secret: this.#secret };
    }
    async start(): Promise<void> {}
    async send(): Promise<void> {}
    async close(): Promise<void> {}
  }

  it('may be one of either SDK', () => {
    const url = new URL('http://127.0.0.1:1/mcp');
    for (const each of [new HttpV1(url), new HttpV2(url)]) {
      expect('finishAuth' in withTasks(each)).toBe(true);
    }
  });

  it('has every member of the transport, those with private fields included', () => {
    const inner = new Inner();
    const outer = withTasks(inner);
    expect('stderr' in outer && 'pid' in outer && 'describe' in outer).toBe(true);
    expect([outer.pid, outer.stderr, outer.describe()]).toEqual([7, 'last words', { secret: 'private' }]);
    expect(Reflect.get(outer, 'describe')).toBe(Reflect.get(outer, 'describe'));
    outer.stderr = 'changed';
    expect(inner.stderr).toBe('changed');
    const onerror = (): void => undefined;
    outer.onerror = onerror;
    expect([inner.onerror, outer.onerror]).toEqual([onerror, onerror]);
  });
});
