import assert from 'node:assert/strict';
import { assertSendFailed } from '../expect.js';
import type { TransportCaseGroup } from '../session.js';

/** JSON values that are not JSON-RPC messages. None has the id of a request in flight. */
const INVALID: readonly unknown[] = [
  null,
  true,
  7,
  'text',
  {},
  [],
  [[]],
  { jsonrpc: '1.0', method: 'x' },
  { jsonrpc: '2.0' },
  { jsonrpc: '2.0', method: 7 },
  { jsonrpc: '2.0', method: 'x', params: [1] },
  { jsonrpc: '2.0', id: null, method: 'x' },
  { jsonrpc: '2.0', id: {}, method: 'x' },
  { jsonrpc: '2.0', id: null, result: {} },
  { jsonrpc: '2.0', id: [8001], result: {} },
  { jsonrpc: '2.0', id: { toString: 1 }, result: {} },
];

function response(id: unknown, n: number): unknown {
  return { jsonrpc: '2.0', id, result: { n } };
}

export const hostileCases: TransportCaseGroup = {
  name: 'a peer that breaks the rules',
  cases: [
    {
      name: 'drops responses with unknown ids, and delivers a repeated response once',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        const before = session.messages.length;
        const id = 8001;
        // Whether the number as text is the right id is up to the transport; to BaseTransport, it is.
        const values = [response('unknown', 1), response(`${id}.0`, 2), response(-1, 3), response(id, 4)];
        const { outcome } = session.begin('kit/inject', { values }, { id });
        assert.ok((await session.within(outcome, 'send() settles')).ok);
        await session.assertAlive();
        const delivered = session.messages.slice(before, -1);
        assert.deepEqual(delivered, [response(id, 4)], 'only the first answer to the right id is delivered');
      },
    },
    {
      name: 'survives JSON that is not a message, and delivers none of it',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        const before = session.messages.length;
        await session.request('kit/inject', { values: INVALID });
        await session.assertAlive();
        assert.equal(session.messages.length - before, 2, 'only the two answers are delivered');
        assert.equal(session.closes.length, 0, 'the connection did not end');
      },
    },
    {
      name: 'fails only the request whose response has both a result and an error',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        const held = session.begin('kit/silent');
        const both = { jsonrpc: '2.0', id: held.id, result: {}, error: { code: 1, message: 'x' } };
        await session.request('kit/inject', { values: [both] });
        const outcome = await session.within(held.outcome, 'send() settles');
        assertSendFailed(outcome, 'send()', { code: 'PROTOCOL_VIOLATION', delivery: 'unknown' });
        assert.equal(session.responsesTo(held.id).length, 0, 'the broken answer is not delivered');
        await session.assertAlive();
      },
    },
    {
      name: 'survives input that is not JSON',
      when: ({ garbage }) => garbage.length > 0,
      async run(session) {
        await session.open();
        const before = session.messages.length;
        await session.request('kit/garbage', { texts: session.capabilities.garbage });
        await session.assertAlive();
        assert.equal(session.messages.length - before, 2, 'only the two answers are delivered');
        assert.equal(session.closes.length, 0, 'the connection did not end');
      },
    },
  ],
};
