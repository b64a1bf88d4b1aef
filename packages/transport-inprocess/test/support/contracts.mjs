// Plain JavaScript, so that vitest runs it from source and `node --test` against what is published.
import { MessageChannel } from 'node:worker_threads';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import {
  createChannelClient,
  createInProcessTransport,
  createLinkedPair,
} from '@mcp-fittings/transport-inprocess';
import { portChannel } from './port-channel.mjs';

/** @typedef {import('@mcp-fittings/testkit/transport').TransportFixture} TransportFixture */
/** @typedef {import('@mcp-fittings/testkit/transport').TransportSuiteOptions} TransportSuiteOptions */
/** @typedef {import('@mcp-fittings/client-core').Transport} Transport */

/**
 * Makes the other side of a transport a kit peer.
 * @param {Transport} side
 */
function bePeer(side) {
  const peer = createKitPeer({
    // The kit sends broken messages on purpose.
    send: (value) => void side.send(/** @type {any} */ (value)).catch(() => undefined),
    die: () => void side.close(),
  });
  side.onmessage = (message) => peer.receive(message);
}

/**
 * @param {0 | 1} tested which half is under test
 * @param {{ clone?: boolean, server?: string }} options
 * @returns {Promise<TransportFixture>}
 */
async function pairFixture(tested, options) {
  const pair = createLinkedPair(options);
  const transport = pair[tested];
  const other = pair[tested === 0 ? 1 : 0];
  bePeer(other);
  await other.start();
  return {
    transport,
    killPeer: () => other.close(),
    async teardown() {
      await transport.close();
      await other.close();
    },
  };
}

/**
 * @param {import('@mcp-fittings/testkit/transport').TransportSetupOptions} given
 * @returns {TransportFixture}
 */
function inProcessFixture({ server: name, signal }) {
  /** @type {Transport | undefined} */
  let side;
  const transport = createInProcessTransport({
    server: name,
    signal,
    createServer: () => ({
      async connect(serverSide) {
        side = serverSide;
        bePeer(serverSide);
        await serverSide.start();
      },
      close: async () => side?.close(),
    }),
  });
  return { transport, killPeer: async () => side?.close(), teardown: () => transport.close() };
}

/**
 * @param {import('@mcp-fittings/testkit/transport').TransportSetupOptions} given
 * @returns {TransportFixture}
 */
function channelFixture({ server, signal }) {
  const { port1, port2 } = new MessageChannel();
  const transport = createChannelClient(portChannel(port1)).transport(server, { signal });
  const peer = createKitPeer({
    send: (message) => port2.postMessage({ server, message }),
    die: () => port2.close(),
  });
  port2.on('message', ({ message }) => peer.receive(message));
  port2.unref();
  return {
    transport,
    killPeer: async () => port2.close(),
    async teardown() {
      await transport.close();
      port1.close();
      port2.close();
    },
  };
}

/** @type {readonly TransportSuiteOptions[]} */
export const contracts = [
  {
    name: 'linked pair, first half',
    capabilities: { serializes: false, serverName: true },
    setup: ({ server }) => pairFixture(0, { server }),
    async setupUnreachable() {
      const fixture = await pairFixture(0, {});
      await fixture.killPeer?.();
      return fixture;
    },
  },
  {
    name: 'linked pair, second half, cloned messages',
    capabilities: { serializes: false },
    setup: () => pairFixture(1, { clone: true }),
  },
  {
    name: 'in-process server',
    capabilities: { serializes: false, signal: true, serverName: true },
    setup: async (options) => inProcessFixture(options),
    async setupUnreachable() {
      const transport = createInProcessTransport({
        createServer: () => {
          throw new Error('no server today');
        },
      });
      return { transport, teardown: () => transport.close() };
    },
  },
  {
    name: 'control channel',
    capabilities: { serializes: false, signal: true, serverName: true },
    setup: async (options) => channelFixture(options),
  },
];
