import { MessageChannel } from 'node:worker_threads';
import { describe, it } from 'vitest';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createPortTransport } from '../src/index.js';

transportSuite(
  { describe, it },
  {
    name: 'MessagePort, with client-core alone',
    capabilities: { serializes: false },
    async setup() {
      const { port1, port2 } = new MessageChannel();
      const peer = createKitPeer({ send: (value) => port2.postMessage(value), die: () => port2.close() });
      port2.on('message', (value: unknown) => peer.receive(value));
      const transport = createPortTransport(port1);
      return { transport, killPeer: async () => port2.close(), teardown: () => transport.close() };
    },
  },
);
