import assert from 'node:assert/strict';
import { assertSendFailed, assertTransportError } from '../expect.js';
import { outcomeOf } from '../deadline.js';
import type { Session, TransportCaseGroup } from '../session.js';

/** A request whose answer is not there yet; the peer has seen it. */
async function beginHeld(session: Session): Promise<ReturnType<Session['begin']>> {
  const held = session.begin('kit/silent');
  // On a wire that keeps the order, the echo's answer shows that the peer read what went before.
  await session.request('kit/echo');
  return held;
}

export const deathCases: TransportCaseGroup = {
  name: 'the end of the connection',
  cases: [
    {
      // P2
      name: 'calls onclose on close() before open requests are rejected',
      async run(session) {
        await session.open();
        const held = await beginHeld(session);
        const order: string[] = [];
        session.onClose = () => order.push('onclose');
        const rejected = held.outcome.then((outcome) => {
          order.push('request');
          return outcome;
        });
        const closing = session.transport.close();
        assert.deepEqual(
          order,
          ['onclose'],
          'onclose ran within close(): an engine forgets the transport there',
        );
        const outcome = await session.within(rejected, 'the open request settles');
        assertSendFailed(outcome, 'the open request', { delivery: 'unknown' });
        await session.within(closing, 'close() settles');
        assert.deepEqual(order, ['onclose', 'request']);
      },
    },
    {
      name: 'rejects open requests at once when the peer dies',
      when: ({ peerDeath }) => peerDeath !== 'nothing',
      async run(session) {
        await session.open();
        const first = await beginHeld(session);
        const second = session.begin('kit/silent');
        await session.killPeer();
        for (const { outcome } of [first, second]) {
          const lost = await session.within(outcome, 'the open request settles');
          assertSendFailed(lost, 'the open request');
          assert.notEqual(lost.error.delivery, 'rejected', 'a dead peer rejected nothing');
        }
        const lost = await first.outcome;
        assertSendFailed(lost, 'the request that the peer had read', { delivery: 'unknown' });
      },
    },
    {
      name: 'calls onclose once when the peer dies, with closeReason set before',
      when: ({ peerDeath }) => peerDeath === 'connection',
      async run(session) {
        await session.open();
        await session.assertAlive();
        await session.killPeer();
        await session.closed('onclose is called');
        await session.within(session.transport.close(), 'close() settles');
        await session.moment();
        assert.equal(session.closes.length, 1, 'onclose ran once');
        const [reason] = session.closes;
        assertTransportError(reason, 'closeReason at the time of onclose');
        assert.equal(session.transport.closeReason, reason, 'closeReason stays');
        const { outcome } = session.begin('ping');
        const late = await session.within(outcome, 'send() settles');
        assertSendFailed(late, 'send() after the end', { delivery: 'not-sent' });
      },
    },
    {
      // P1
      name: 'calls onclose within a close() that follows a request lost to a dying peer',
      when: ({ peerDeath }) => peerDeath !== 'nothing',
      async run(session) {
        await session.open();
        const held = await beginHeld(session);
        let closesAfterClose = 0;
        const closed = held.outcome.then(async () => {
          const closing = session.transport.close();
          closesAfterClose = session.closes.length;
          await closing;
        });
        await session.killPeer();
        await session.within(closed, 'the request is lost, and close() settles');
        assert.equal(closesAfterClose, 1, 'onclose ran before close() returned');
        await session.moment();
        assert.equal(session.closes.length, 1, 'onclose ran once');
      },
    },
    {
      // C8
      name: 'notices its end while a caller retries without a pause',
      when: ({ peerDeath }) => peerDeath === 'connection',
      async run(session) {
        await session.open();
        const held = await beginHeld(session);
        const stop = Date.now() + session.deadlineMs;
        const note = { jsonrpc: '2.0', method: 'notifications/kit' } as const;
        // Should each rejection be a promise job, nothing else has its turn, also not what ends the wire.
        const storm = held.outcome.then(async () => {
          while (session.closes.length === 0 && Date.now() < stop) {
            await session.begin('ping').outcome;
            await outcomeOf(session.transport.send(note));
          }
        });
        await session.killPeer();
        await session.within(storm, 'the caller stops');
        assert.equal(session.closes.length, 1, 'onclose ran while they were sending');
      },
    },
    {
      name: 'can be closed while the peer dies',
      when: ({ peerDeath }) => peerDeath !== 'nothing',
      async run(session) {
        await session.open();
        const held = await beginHeld(session);
        const killed = session.killPeer();
        const closed = session.transport.close();
        await session.within(Promise.all([killed, closed]), 'close() settles');
        assertSendFailed(await session.within(held.outcome, 'the request settles'), 'the request');
        await session.closed('onclose is called');
        await session.moment();
        assert.equal(session.closes.length, 1, 'onclose ran once');
      },
    },
  ],
};
