import assert from 'node:assert/strict';
import { isNotification } from '@mcp-fittings/toolbox/messages';
import { assertSendFailed } from '../expect.js';
import { FLOOD_MESSAGES, floodText } from '../../peer/values.js';
import { outcomeOf } from '../deadline.js';
import type { Session, TransportCaseGroup } from '../session.js';

/** Aborts a request as soon as it is begun, lets the peer read, and asserts that it gets no request that counts as not sent. */
async function abortAtOnce(session: Session, letRead: () => Promise<unknown>): Promise<void> {
  const controller = new AbortController();
  const { outcome } = session.begin('kit/hold', {}, { requestSignal: controller.signal });
  controller.abort();
  const settled = await session.within(outcome, 'send() settles');
  assertSendFailed(settled, 'aborted send()', { code: 'ABORTED' });
  await letRead();
  const { released } = await session.request('kit/release');
  if (settled.error.delivery === 'not-sent') assert.equal(released, 0, 'the peer did not get the request');
}

export const requestCases: TransportCaseGroup = {
  name: 'requests',
  cases: [
    {
      name: 'resolves send() of a request when its response was delivered, not before',
      async run(session) {
        await session.open();
        const held = session.begin('kit/hold', { a: 1 });
        assert.ok(await session.staysPending(held.outcome), 'send() waits for the answer');
        await session.request('kit/release');
        const outcome = await session.within(held.outcome, 'send() settles after the answer');
        assert.ok(outcome.ok, 'send() resolves');
        assert.equal(
          session.responsesTo(held.id).length,
          1,
          'the answer was delivered before send() resolved',
        );
      },
    },
    {
      name: 'delivers an error response like a result: send() resolves',
      async run(session) {
        await session.open();
        const { id, outcome } = session.begin('kit/no-such-method');
        assert.deepEqual(await session.within(outcome, 'send() settles'), { ok: true });
        const [response] = session.responsesTo(id);
        assert.ok(response !== undefined && 'error' in response, 'the error response was delivered');
        assert.equal(response.error.code, -32601);
      },
    },
    {
      name: 'answers a hundred requests at once, each with its own result',
      async run(session) {
        await session.open();
        const all = Array.from({ length: 100 }, (_, index) => session.request('kit/echo', { index }));
        const results = await Promise.all(all);
        assert.deepEqual(
          results,
          results.map((_, index) => ({ echo: { index } })),
        );
      },
    },
    {
      name: 'distinguishes the ids 1 and "1"',
      async run(session) {
        await session.open();
        const number = session.begin('kit/hold', { kind: 'number' }, { id: 7001 });
        const text = session.begin('kit/echo', { kind: 'text' }, { id: '7001' });
        assert.ok((await session.within(text.outcome, 'send() of "7001" settles')).ok);
        assert.ok(await session.staysPending(number.outcome), 'the response to "7001" does not answer 7001');
        await session.request('kit/release');
        await session.within(number.outcome, 'send() of 7001 settles');
        assert.deepEqual(session.responsesTo('7001'), [
          { jsonrpc: '2.0', id: '7001', result: { echo: { kind: 'text' } } },
        ]);
        assert.deepEqual(session.responsesTo(7001), [
          { jsonrpc: '2.0', id: 7001, result: { echo: { kind: 'number' } } },
        ]);
      },
    },
    {
      name: 'rejects an id that is in flight, and delivers the response to the first request',
      async run(session) {
        await session.open();
        const first = session.begin('kit/hold', { n: 1 }, { id: 'twice' });
        const second = session.begin('kit/echo', { n: 2 }, { id: 'twice' });
        const refused = await session.within(second.outcome, 'the second send() settles');
        assertSendFailed(refused, 'the second send()', { delivery: 'not-sent' });
        await session.request('kit/release');
        assert.ok((await session.within(first.outcome, 'the first send() settles')).ok);
        assert.equal(session.responsesTo('twice').length, 1);
      },
    },
    {
      name: 'rejects with ABORTED when requestSignal is aborted, and stays open',
      async run(session) {
        await session.open();
        const controller = new AbortController();
        const { id, outcome } = session.begin('kit/hold', {}, { requestSignal: controller.signal });
        assert.ok(await session.staysPending(outcome), 'send() waits for the answer');
        controller.abort(new Error('aborted by the kit'));
        const expected = { code: 'ABORTED', delivery: 'unknown' } as const;
        assertSendFailed(await session.within(outcome, 'send() settles'), 'aborted send()', expected);
        // The late answer, where the wire still carries one.
        await session.request('kit/release');
        await session.assertAlive();
        assert.equal(session.responsesTo(id).length, 0, 'the late answer is dropped');
        assert.equal(session.errors.length, 0, 'aborting is not reported as an error');
      },
    },
    {
      name: 'sends nothing if requestSignal is aborted already, and ignores a late abort',
      async run(session) {
        await session.open();
        const requestSignal = AbortSignal.abort();
        const params = { index: 1 };
        const { outcome } = session.begin('kit/echo', params, { requestSignal });
        const expected = { code: 'ABORTED', delivery: 'not-sent' } as const;
        assertSendFailed(await session.within(outcome, 'send() settles'), 'aborted send()', expected);
        const controller = new AbortController();
        await session.request('kit/echo', {}, { requestSignal: controller.signal });
        controller.abort();
        await session.assertAlive();
        assert.equal(session.errors.length, 0);
      },
    },
    {
      name: 'sends no request whose abort it reports as not-sent',
      async run(session) {
        await session.open();
        await abortAtOnce(session, () => session.moment());
      },
    },
    {
      name: 'sends no request whose abort it reports as not-sent, while the peer does not read',
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
        const flood = Promise.all(
          Array.from({ length: FLOOD_MESSAGES }, () => session.notify('notifications/kit', { text })),
        );
        assert.ok(await session.staysPending(flood), 'some send() waits for the peer to read');
        await abortAtOnce(session, async () => {
          await resumePeer();
          await flood;
        });
      },
    },
    {
      name: 'settles the waiting send() when the request is canceled by a notification',
      async run(session) {
        await session.open();
        const { id, outcome } = session.begin('kit/hold');
        assert.ok(await session.staysPending(outcome), 'send() waits for the answer');
        await session.notify('notifications/cancelled', { requestId: id });
        await session.within(outcome, 'send() of the cancelled request settles');
        await session.request('kit/release');
        await session.assertAlive();
        assert.equal(session.responsesTo(id).length, 0, 'the late answer is dropped');
      },
    },
    {
      name: 'rejects a message that JSON cannot represent, with delivery not-sent',
      when: ({ serializes }) => serializes,
      async run(session) {
        await session.open();
        const { outcome } = session.begin('kit/echo', { big: 1n });
        const expected = { code: 'MESSAGE_UNSERIALIZABLE', delivery: 'not-sent' } as const;
        assertSendFailed(await session.within(outcome, 'send() settles'), 'send() of a BigInt', expected);
        const circular: { [key: string]: unknown } = {};
        circular['self'] = circular;
        const sent = session.transport.send({
          jsonrpc: '2.0',
          method: 'notifications/kit',
          params: circular,
        });
        const failed = await session.within(outcomeOf(sent), 'send() settles');
        assertSendFailed(failed, 'send() of a cycle', expected);
        const nothing = { jsonrpc: '2.0', method: 'notifications/kit', toJSON: () => undefined } as const;
        const unsent = await session.within(outcomeOf(session.transport.send(nothing)), 'send() settles');
        assertSendFailed(unsent, 'send() of what becomes nothing', expected);
        await session.assertAlive();
      },
    },
    {
      name: 'carries what JSON cannot represent, or rejects it with MESSAGE_UNSERIALIZABLE and delivery not-sent',
      when: ({ serializes }) => !serializes,
      async run(session) {
        await session.open();
        // JSON has no BigInt, and structured cloning no functions.
        const odd = { index: 1, big: 1n, run: () => undefined };
        const expected = { code: 'MESSAGE_UNSERIALIZABLE', delivery: 'not-sent' } as const;
        const asked = session.begin('kit/echo', odd);
        const outcome = await session.within(asked.outcome, 'send() of the request settles');
        if (!outcome.ok) assertSendFailed(outcome, 'send() of the request', expected);
        else assert.equal(session.responsesTo(asked.id).length, 1, 'the request is answered');
        const message = { jsonrpc: '2.0', method: 'notifications/kit', params: odd } as const;
        const told = await session.within(
          outcomeOf(session.transport.send(message)),
          'send() of the notification settles',
        );
        if (!told.ok) assertSendFailed(told, 'send() of the notification', expected);
        const { indices } = await session.request('kit/received');
        assert.deepEqual(indices, told.ok ? [1] : [], 'a send() that resolved has sent the notification');
      },
    },
    {
      name: 'ignores send options that do not apply to its wire',
      async run(session) {
        await session.open();
        const options = {
          requestSignal: new AbortController().signal,
          onRequestStreamEnd: () => undefined,
          onresumptiontoken: () => undefined,
          headers: { 'mcp-param-kit': 'x' },
        };
        assert.deepEqual(await session.request('kit/echo', { a: 1 }, options), { echo: { a: 1 } });
        assert.equal(session.messages.filter(isNotification).length, 0);
      },
    },
  ],
};
