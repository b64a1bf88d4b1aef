import assert from 'node:assert/strict';
import { assertSendFailed, assertTransportError } from '../expect.js';
import { outcomeOf } from '../deadline.js';
import type { TransportCaseGroup } from '../session.js';

export const startFailureCases: TransportCaseGroup = {
  name: 'a peer that does not exist',
  cases: [
    {
      name: 'fails in start() or in the first send() with a typed error, and can be closed',
      async run(session) {
        const { transport } = session;
        const started = await session.within(outcomeOf(transport.start()), 'start() settles');
        if (started.ok) {
          // No connection is made before the first message on such a wire.
          const { outcome } = session.begin('initialize');
          assertSendFailed(await session.within(outcome, 'send() settles'), 'send()', {
            delivery: 'not-sent',
          });
        } else {
          assertTransportError(started.error, 'start()');
          const { outcome } = session.begin('ping');
          const sent = await session.within(outcome, 'send() settles');
          assertSendFailed(sent, 'send() after a failed start()', { delivery: 'not-sent' });
          assert.equal(session.closes.length, 0, 'onclose is for connections that were open');
        }
        await session.within(transport.close(), 'close() settles');
      },
    },
  ],
};
