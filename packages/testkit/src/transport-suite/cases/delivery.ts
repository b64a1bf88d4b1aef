import assert from 'node:assert/strict';
import { isNotification, isRequest, isResponse } from '@mcp-fittings/toolbox/messages';
import type { Session, TransportCaseGroup } from '../session.js';

/** A peer may write each in four parts, all at once, and Wine sends at most 1024 parts. */
const MANY = 200;

function indices(session: Session): unknown[] {
  return session.messages.flatMap((message) =>
    isNotification(message) && message.method === 'notifications/kit' ? [message.params?.['index']] : [],
  );
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const deliveryCases: TransportCaseGroup = {
  name: 'delivery',
  cases: [
    {
      name: 'keeps the order of messages from the peer, the response last',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        await session.request('kit/emit', { count: MANY });
        assert.deepEqual(indices(session), upTo(MANY), 'notifications arrive in order');
        const last = session.messages.at(-1);
        assert.ok(
          last !== undefined && isResponse(last),
          'the answer comes after the notifications sent before it',
        );
      },
    },
    {
      name: 'keeps the order of sent messages',
      async run(session) {
        await session.open();
        const sends: Promise<void>[] = [];
        for (const index of upTo(session.capabilities.orderedSends ? MANY : 20)) {
          const sent = session.notify('notifications/kit', { index });
          if (session.capabilities.orderedSends) sends.push(sent);
          else await sent;
        }
        await Promise.all(sends);
        const { indices: arrived } = await session.request('kit/received');
        assert.deepEqual(arrived, upTo(session.capabilities.orderedSends ? MANY : 20));
      },
    },
    {
      name: 'delivers messages that belong to no request',
      when: ({ unsolicited }) => unsolicited,
      async run(session) {
        await session.open();
        await session.request('kit/announce', { count: 3 });
        await session.until(() => indices(session).length === 3, 'three notifications arrive');
        assert.deepEqual(indices(session), upTo(3));
      },
    },
    {
      name: 'runs progress handlers before the response that arrived with the progress',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        const seen: string[] = [];
        session.onMessage = (message) => {
          // Both SDKs: notification handlers run one microtask late, answers are settled at once.
          if (isResponse(message)) seen.push('answer');
          else void Promise.resolve().then(() => seen.push('progress'));
        };
        await session.request('kit/emit', { count: 3, token: 'kit' });
        assert.deepEqual(seen, ['progress', 'progress', 'progress', 'answer']);
      },
    },
    {
      name: 'carries requests of the peer and their responses',
      when: ({ peerRequests }) => peerRequests,
      async run(session) {
        await session.open();
        const result = await session.request('kit/ask', { topic: 'roots' });
        assert.deepEqual(result, { answer: { answered: { topic: 'roots' } } });
        assert.equal(session.messages.filter(isRequest).length, 1, 'the question arrived once');
      },
    },
    {
      name: 'never calls onmessage from within send()',
      async run(session) {
        await session.open();
        let sending = false;
        let reentered = false;
        session.onMessage = () => {
          reentered ||= sending;
        };
        sending = true;
        const sent = session.begin('kit/echo');
        sending = false;
        await session.within(sent.outcome, 'send() settles');
        assert.equal(reentered, false, 'onmessage ran inside send()');
      },
    },
    {
      name: 'uses the current handlers, not those set before start()',
      async run(session) {
        await session.open();
        const { transport } = session;
        const recorded = transport.onmessage;
        let seen = 0;
        transport.onmessage = (message, extra) => {
          seen++;
          recorded?.(message, extra);
        };
        await session.request('kit/echo');
        assert.equal(seen, 1);
      },
    },
    {
      name: 'does not change params and _meta',
      async run(session) {
        await session.open();
        const params = {
          _meta: {
            progressToken: 0,
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            other: { a: [null] },
          },
          text: 'äöü 中文 😀 \u2028 \u0000 "\\',
          number: -0.5e-7,
          empty: {},
          nothing: null,
        };
        assert.deepEqual(await session.request('kit/echo', params), { echo: params });
      },
    },
  ],
};
