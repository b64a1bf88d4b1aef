import assert from 'node:assert/strict';
import type { CaseGroup } from '../suite/case.js';
import { assertSendFailed, assertTransportError } from '../suite/expect.js';
import type { Session } from '../suite/session.js';

/** A request whose answer is not there yet; the peer has seen it. */
async function beginHeld(session: Session): Promise<ReturnType<Session['begin']>> {
  const held = session.begin('kit/silent');
  // On a wire that keeps the order, the echo's answer shows that the peer read what went before.
  await session.request('kit/echo');
  return held;
}

export const deathCases: CaseGroup = {
  name: 'the end of the connection',
  cases: [
    {
      name: 'rejects open requests on close(), before onclose runs',
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
        const outcome = await session.within(rejected, 'the open request settles');
        assertSendFailed(outcome, 'the open request', { delivery: 'unknown' });
        await session.within(closing, 'close() settles');
        await session.closed('onclose is called');
        assert.deepEqual(order, ['request', 'onclose']);
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
      name: 'can be closed at the moment when the peer dies',
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
