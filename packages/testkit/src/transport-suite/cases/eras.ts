import assert from 'node:assert/strict';
import type { TransportCaseGroup } from '../session.js';

const ERROR_BRANDS = Symbol.for('mcp.sdk.errorBrands');

/** SDK v2 turns a thrown probe error into a verdict only when it carries its own brand. */
function understoodByV2(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !(ERROR_BRANDS in error)) return false;
  const brands = error[ERROR_BRANDS];
  return brands instanceof Set && brands.has('mcp.SdkHttpError');
}

/** Uses of a transport by both SDKs. */
export const eraCases: TransportCaseGroup = {
  name: 'both SDKs and both protocol eras',
  cases: [
    {
      name: 'has no sessionId before it is connected',
      async run(session) {
        assert.equal(session.transport.sessionId, undefined, 'a sessionId makes both SDKs skip initialize');
        await session.within(session.transport.start(), 'start() settles');
        assert.equal(session.transport.sessionId, undefined, 'start() alone gives no session');
      },
    },
    {
      name: 'has the session id of the server after initialize',
      when: ({ sessionId }) => sessionId,
      async run(session) {
        await session.open();
        const { sessionId } = session.transport;
        assert.ok(typeof sessionId === 'string' && sessionId !== '', 'a sessionId');
      },
    },
    {
      name: 'lets SDK v2 replace start() after calling it, and close() temporarily',
      async run(session) {
        const { transport } = session;
        await session.open();
        const start = transport.start.bind(transport);
        const close = transport.close.bind(transport);
        transport.start = () => Promise.resolve();
        await transport.start();
        transport.close = () => Promise.resolve();
        await transport.close();
        transport.close = close;
        await session.assertAlive();
        transport.start = start;
        await session.within(transport.close(), 'the restored close() settles');
        await session.closed('onclose is called');
      },
    },
    {
      name: 'accepts the negotiated version at any time',
      async run(session) {
        const { transport } = session;
        transport.setProtocolVersion?.('2025-06-18');
        await session.open();
        transport.setProtocolVersion?.('2025-11-25');
        await session.assertAlive();
        await transport.close();
        transport.setProtocolVersion?.('2025-11-25');
      },
    },
    {
      name: 'declares whether each request has a stream of its own',
      async run(session) {
        await session.open();
        assert.equal(
          session.transport.hasPerRequestStream === true,
          session.capabilities.perRequestStream,
          'true makes SDK v2 cancel by aborting requestSignal instead of sending notifications/cancelled',
        );
      },
    },
    {
      name: 'answers server/discover in band, or fails it in a way that SDK v2 understands',
      async run(session) {
        await session.within(session.transport.start(), 'start() settles');
        const { id, outcome } = session.begin('server/discover', {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        });
        const end = await session.within(outcome, 'the probe settles');
        if (end.ok) assert.equal(session.responsesTo(id).length, 1, 'the answer to the probe was delivered');
        else
          assert.ok(understoodByV2(end.error), `SDK v2 takes this for a broken server: ${String(end.error)}`);
        assert.equal(session.closes.length, 0, 'the probe did not end the connection');
        const { protocolVersion } = await session.request('initialize', { protocolVersion: '2025-11-25' });
        assert.equal(protocolVersion, '2025-11-25', 'initialize works on the connection that was probed');
      },
    },
    {
      name: 'accepts a batch in revision 2025-03-26, the only one with batches',
      when: ({ peerMessages, handshake }) => peerMessages && !handshake,
      async run(session) {
        await session.open();
        const one = { jsonrpc: '2.0', method: 'notifications/kit', params: { index: 1 } };
        const two = { jsonrpc: '2.0', method: 'notifications/kit', params: { index: 2 } };
        session.transport.setProtocolVersion?.('2025-11-25');
        await session.request('kit/inject', { values: [[one, two]] });
        assert.equal(session.messages.length, 1, 'no batch in 2025-11-25');
        session.transport.setProtocolVersion?.('2025-03-26');
        await session.request('kit/inject', { values: [[one, two]] });
        assert.deepEqual(session.messages.slice(1, 3), [one, two]);
      },
    },
  ],
};
