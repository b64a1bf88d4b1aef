import assert from 'node:assert/strict';
import { assertSendFailed, assertTransportError } from '../expect.js';
import { FLOOD_MESSAGES, floodText } from '../../peer/values.js';
import { outcomeOf } from '../deadline.js';
import type { Session, TransportCaseGroup } from '../session.js';

/** Options that mean the same over every wire. */
export const sharedOptionCases: TransportCaseGroup = {
  name: 'signal, server name and unsent requests',
  cases: [
    {
      name: 'rejects start() with ABORTED if its signal is aborted already, and sets closeReason',
      when: ({ signal }) => signal,
      async run(session) {
        session.abort(new Error('aborted by the kit'));
        const started = await session.within(outcomeOf(session.transport.start()), 'start() settles');
        assert.ok(!started.ok, 'start() rejects');
        assertTransportError(started.error, 'start()', { code: 'ABORTED' });
        assertClosedByAbort(session);
        assert.equal(session.closes.length, 0, 'onclose is for connections that were open');
      },
    },
    {
      name: 'rejects start() with ABORTED when its signal is aborted meanwhile, and sets closeReason',
      when: ({ signal }) => signal,
      async run(session) {
        const started = outcomeOf(session.transport.start());
        session.abort(new Error('aborted by the kit'));
        const outcome = await session.within(started, 'start() settles');
        assert.ok(!outcome.ok, 'start() rejects');
        assertTransportError(outcome.error, 'start()', { code: 'ABORTED' });
        assertClosedByAbort(session);
        assert.equal(session.closes.length, 0, 'onclose is for connections that were open');
      },
    },
    {
      name: 'closes when its signal is aborted: it calls onclose first, then open requests fail with ABORTED',
      when: ({ signal }) => signal,
      async run(session) {
        await session.open();
        const held = session.begin('kit/silent');
        await session.request('kit/echo');
        const order: string[] = [];
        session.onClose = () => order.push('onclose');
        const settled = held.outcome.then((outcome) => {
          order.push('request');
          return outcome;
        });
        session.abort(new Error('aborted by the kit'));
        const outcome = await session.within(settled, 'the open request settles');
        assertSendFailed(outcome, 'the open request', { code: 'ABORTED', delivery: 'unknown' });
        assert.deepEqual(order, ['onclose', 'request']);
        assertClosedByAbort(session);
        await session.within(session.transport.close(), 'close() settles');
        assert.equal(session.closes.length, 1, 'onclose ran once');
        const after = await session.within(session.begin('ping').outcome, 'send() settles');
        assertSendFailed(after, 'send() after the abort', { code: 'ABORTED', delivery: 'not-sent' });
      },
    },
    {
      name: 'names the server in every error',
      when: ({ serverName }) => serverName,
      async run(session) {
        const { transport } = session;
        const names: (string | undefined)[] = [];
        const note = async (what: string, work: Promise<unknown>): Promise<void> => {
          const outcome = await session.within(outcomeOf(work), `${what} settles`);
          assert.ok(!outcome.ok, `${what} rejects`);
          assertTransportError(outcome.error, what);
          names.push(outcome.error.server);
        };
        await note('send() before start()', transport.send({ jsonrpc: '2.0', id: 0, method: 'ping' }));
        await session.open();
        await note('a second start()', transport.start());
        const held = session.begin('kit/silent');
        await note(
          'a request with an id that is in flight',
          transport.send({ jsonrpc: '2.0', id: held.id, method: 'ping' }),
        );
        session.onMessage = () => {
          throw new Error('thrown by the kit');
        };
        await session.request('kit/echo');
        await session.until(() => session.errors.length > 0, 'onerror is called for the throwing handler');
        await session.within(transport.close(), 'close() settles');
        await note('send() after close()', transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }));
        assert.deepEqual(
          names,
          names.map(() => session.server),
          'every rejection has the name of the server',
        );
        const [reported] = session.errors;
        assertTransportError(reported, 'the reported error');
        assert.equal(reported.server, session.server, 'the reported error has it too');
      },
    },
    {
      name: 'distinguishes requests that were not sent yet from those that were',
      when: ({ backPressure }) => backPressure,
      async run(session) {
        await session.open();
        const { pausePeer } = session.fixture;
        assert.ok(pausePeer !== undefined, 'backPressure needs pausePeer');
        const sent = session.begin('kit/silent');
        await session.request('kit/echo');
        await pausePeer();
        const text = floodText();
        const flood = Array.from({ length: FLOOD_MESSAGES }, () => session.begin('kit/silent', { text }));
        await session.moment();
        const closing = outcomeOf(session.transport.close());
        assertSendFailed(await session.within(sent.outcome, 'the first request settles'), 'what was sent', {
          delivery: 'unknown',
        });
        const last = flood.at(-1);
        assert.ok(last !== undefined);
        assertSendFailed(await session.within(last.outcome, 'the last request settles'), 'what waited', {
          delivery: 'not-sent',
        });
        await session.within(closing, 'close() settles');
      },
    },
  ],
};

function assertClosedByAbort({ transport }: Session): void {
  const reason = transport.closeReason;
  assertTransportError(reason, 'closeReason', { code: 'ABORTED' });
  assert.ok(reason.cause instanceof Error, 'closeReason has the reason of the signal as its cause');
  assert.equal(reason.cause.message, 'aborted by the kit');
}
