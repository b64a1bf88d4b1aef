import assert from 'node:assert/strict';
import { FittingsError } from '@mcp-fittings/client-core';
import { assertSendFailed, assertTransportError } from '../expect.js';
import { outcomeOf } from '../deadline.js';
import type { Session, TransportCaseGroup } from '../session.js';

const PING = { jsonrpc: '2.0', id: 'unsent', method: 'ping' } as const;

async function sendOutcome(session: Session): ReturnType<typeof outcomeOf> {
  return session.within(outcomeOf(session.transport.send(PING)), 'send() settles');
}

export const lifecycleCases: TransportCaseGroup = {
  name: 'life cycle',
  cases: [
    {
      name: 'carries a request and its response, and closes',
      async run(session) {
        await session.open();
        assert.deepEqual(await session.request('kit/echo', { a: [1, null, 'x'] }), {
          echo: { a: [1, null, 'x'] },
        });
        await session.within(session.transport.close(), 'close() settles');
        await session.closed('onclose is called');
      },
    },
    {
      name: 'rejects send() before start() with TRANSPORT_NOT_STARTED and delivery not-sent',
      async run(session) {
        const expected = { code: 'TRANSPORT_NOT_STARTED', delivery: 'not-sent' } as const;
        assertSendFailed(await sendOutcome(session), 'send() before start()', expected);
        await session.open();
        await session.assertAlive();
      },
    },
    {
      name: 'starts once: a second start() rejects and changes nothing',
      async run(session) {
        await session.open();
        const again = await session.within(outcomeOf(session.transport.start()), 'second start() settles');
        assert.ok(!again.ok, 'second start() rejects');
        assertTransportError(again.error, 'second start()', { code: 'TRANSPORT_ALREADY_STARTED' });
        await session.assertAlive();
        assert.equal(session.closes.length, 0, 'onclose was not called');
      },
    },
    {
      // D9
      name: 'delivers no message to a second client whose start() rejects',
      async run(session) {
        await session.open();
        const { transport } = session;
        const overheard: string[] = [];
        const { onmessage, onclose } = transport;
        // As both SDKs do it: the handlers first, each with the one before it inside.
        transport.onmessage = (message) => {
          overheard.push('message');
          onmessage?.(message);
        };
        transport.onerror = () => overheard.push('error');
        transport.onclose = () => {
          overheard.push('close');
          onclose?.();
        };
        const again = await session.within(outcomeOf(transport.start()), 'second start() settles');
        assert.ok(!again.ok, 'second start() rejects');
        await session.assertAlive();
        await session.within(transport.close(), 'close() settles');
        assert.equal(session.closes.length, 1, 'onclose of the first client is called');
        assert.deepEqual(overheard, [], 'the second client receives nothing');
      },
    },
    {
      name: 'rejects send() after close() with delivery not-sent',
      async run(session) {
        await session.open();
        await session.transport.close();
        assertSendFailed(await sendOutcome(session), 'send() after close()', { delivery: 'not-sent' });
        const notified = outcomeOf(session.transport.send({ jsonrpc: '2.0', method: 'notifications/kit' }));
        const outcome = await session.within(notified, 'send() of a notification settles');
        assertSendFailed(outcome, 'notification after close()', { delivery: 'not-sent' });
      },
    },
    {
      name: 'calls onclose once for any number of close() calls, without a closeReason',
      async run(session) {
        await session.open();
        const { transport } = session;
        await session.within(
          Promise.all([transport.close(), transport.close(), transport.close()]),
          'concurrent close() calls settle',
        );
        await session.within(transport.close(), 'a later close() settles');
        await session.closed('onclose is called');
        await session.moment();
        assert.deepEqual(session.closes, [undefined], 'onclose ran once, and closeReason was undefined');
        assert.equal(transport.closeReason, undefined, 'closeReason is undefined after an own close()');
      },
    },
    {
      name: 'calls onclose once when its handler calls close()',
      async run(session) {
        await session.open();
        session.onClose = () => void outcomeOf(session.transport.close());
        await session.within(session.transport.close(), 'close() settles');
        await session.closed('onclose is called');
        await session.moment();
        assert.equal(session.closes.length, 1, 'onclose ran once');
      },
    },
    {
      name: 'closes before start() without onclose, and cannot be started after it',
      async run(session) {
        await session.within(session.transport.close(), 'close() settles');
        const started = await session.within(outcomeOf(session.transport.start()), 'start() settles');
        assert.ok(!started.ok, 'start() after close() rejects');
        assertTransportError(started.error, 'start() after close()');
        assertSendFailed(await sendOutcome(session), 'send() after close()', { delivery: 'not-sent' });
        assert.equal(session.closes.length, 0, 'onclose is for connections that were open');
      },
    },
    {
      name: 'closes during start(): both settle, and nothing stays open',
      async run(session) {
        const started = outcomeOf(session.transport.start());
        await session.within(session.transport.close(), 'close() during start() settles');
        const outcome = await session.within(started, 'start() settles');
        if (!outcome.ok) assertTransportError(outcome.error, 'start()');
        assertSendFailed(await sendOutcome(session), 'send() after close()', { delivery: 'not-sent' });
        assert.ok(session.closes.length <= 1, 'onclose ran at most once');
      },
    },
    {
      name: 'is closed when it is disposed of',
      async run(session) {
        await session.open();
        await session.within(
          Promise.resolve(session.transport[Symbol.asyncDispose]()),
          'asyncDispose settles',
        );
        await session.closed('onclose is called');
        assertSendFailed(await sendOutcome(session), 'send() after disposal', { delivery: 'not-sent' });
      },
    },
    {
      name: 'delivers nothing after close() is called, also from within onmessage',
      when: ({ peerMessages }) => peerMessages,
      async run(session) {
        await session.open();
        const before = session.messages.length;
        session.onMessage = () => void outcomeOf(session.transport.close());
        session.begin('kit/emit', { count: 20 });
        await session.closed('onclose is called');
        assert.equal(
          session.messages.length - before,
          1,
          'only the message whose handler closed was delivered',
        );
      },
    },
    {
      name: 'works without handlers',
      async run(session) {
        const { transport } = session;
        await session.open();
        delete transport.onmessage;
        delete transport.onerror;
        delete transport.onclose;
        await session.within(session.begin('kit/echo').outcome, 'send() settles without onmessage');
        await session.within(transport.close(), 'close() settles without onclose');
      },
    },
    {
      name: 'survives handlers that throw, and reports them through onerror',
      async run(session) {
        await session.open();
        let throwing = true;
        session.onMessage = () => {
          if (!throwing) return;
          throwing = false;
          throw new Error('thrown by the kit');
        };
        await session.request('kit/echo', {});
        await session.until(() => session.errors.length > 0, 'onerror is called for the throwing handler');
        assert.ok(session.errors[0] instanceof FittingsError, 'onerror gets a FittingsError');
        await session.assertAlive();
        const { transport } = session;
        session.onMessage = () => {
          throw new Error('thrown by the kit');
        };
        const record = transport.onerror;
        transport.onerror = (error) => {
          record?.(error);
          throw new Error('thrown by the kit, too');
        };
        await session.request('kit/echo', {});
        session.onMessage = () => undefined;
        await session.assertAlive();
        session.onClose = () => {
          throw new Error('thrown by the kit as well');
        };
        await session.within(transport.close(), 'close() settles although onclose throws');
      },
    },
  ],
};
