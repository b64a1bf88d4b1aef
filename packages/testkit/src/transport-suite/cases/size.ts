import assert from 'node:assert/strict';
import { FLOOD_MESSAGES, floodText, memberOf, patternText } from '../../peer/values.js';
import type { TransportCaseGroup } from '../session.js';

export const sizeCases: TransportCaseGroup = {
  name: 'size',
  cases: [
    {
      name: 'carries a large message both ways, unchanged',
      when: ({ largeMessageLength }) => largeMessageLength > 0,
      async run(session) {
        await session.open();
        const length = session.capabilities.largeMessageLength;
        const text = patternText(length);
        const { text: received } = await session.request('kit/blob', { length });
        // Not deepEqual: its message would print both.
        assert.ok(received === text, 'the large result arrived unchanged');
        const { echo } = await session.request('kit/echo', { text });
        assert.ok(memberOf(echo, 'text') === text, 'the large text came back unchanged');
        await session.assertAlive();
      },
    },
    {
      name: 'delays send() while the peer does not read, and loses nothing',
      when: ({ backPressure }) => backPressure,
      async run(session) {
        await session.open();
        await session.assertAlive();
        const { pausePeer, resumePeer } = session.fixture;
        assert.ok(
          pausePeer !== undefined && resumePeer !== undefined,
          'backPressure needs pausePeer, resumePeer',
        );
        await pausePeer();
        const text = floodText();
        const sends = Array.from({ length: FLOOD_MESSAGES }, (_, index) =>
          session.notify('notifications/kit', { index, text }),
        );
        const flood = Promise.all(sends);
        assert.ok(await session.staysPending(flood), 'some send() waits for the peer to read');
        await resumePeer();
        await session.within(flood, 'every send() settles when the peer reads again');
        const { indices } = await session.request('kit/received');
        assert.ok(Array.isArray(indices));
        assert.equal(indices.length, FLOOD_MESSAGES, 'every message arrived');
      },
    },
  ],
};
