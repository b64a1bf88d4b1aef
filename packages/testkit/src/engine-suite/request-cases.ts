import assert from 'node:assert/strict';
import type { JSONRPCObject, RequestId } from '@mcp-fittings/client-core';
import { createManualClock } from '../clock.js';
import { call, PATIENT, rejection, type EngineCaseGroup } from './engine-case.js';
import { RpcFailure } from './scripted-server.js';

const text = (value: string): JSONRPCObject => ({ content: [{ type: 'text', text: value }] });

export const requestCases: EngineCaseGroup = {
  name: 'requests',
  cases: [
    {
      name: 'request() sends the parameters as they are, and returns the result as it is',
      async run(bench) {
        const sum = {
          content: [{ type: 'text', text: 'sum' }],
          structuredContent: { got: 1 },
          isError: true,
        };
        const server = bench.server({ 'tools/call': () => ({ ...sum, 'vendor.extra': null }) });
        const session = await bench.connect(server);
        const _meta = { traceparent: '00-1-2-03' };
        const params = { name: 'add', arguments: { a: 1 }, _meta };
        const result = await bench.within(session.request('tools/call', params, PATIENT), 'request()');
        for (const [name, value] of Object.entries({ ...sum, 'vendor.extra': null }))
          assert.deepEqual(result[name], value, name);
        const [sent] = server.sent('tools/call');
        assert.equal(sent?.['name'], params.name, 'the name of the tool');
        assert.deepEqual(sent?.['arguments'], params.arguments, 'its arguments');
        assert.equal(sent?._meta?.['traceparent'], _meta.traceparent, '_meta has its members');
        await session.close();
      },
    },
    {
      name: 'request() passes headers to send() of the transport, and adds nothing to the message',
      async run(bench) {
        const server = bench.server({ 'tools/call': () => text('done') });
        const session = await bench.connect(server);
        const headers = { 'X-Tenant': 'a' };
        await bench.within(call(session, 'add', { ...PATIENT, headers }), 'request()');
        await bench.within(call(session, 'add', PATIENT), 'request()');
        assert.deepEqual(server.headers, [headers], 'only the first call has headers');
        for (const { _meta: meta = {} } of server.sent('tools/call')) {
          const added = Object.keys(meta).filter((key) => key !== 'progressToken');
          assert.deepEqual(added, [], '_meta has nothing about them');
        }
        await session.close();
      },
    },
    {
      name: 'an error response rejects with RPC_ERROR, and delivery says whether the server may have acted',
      async run(bench) {
        const server = bench.server({
          'tools/call': ({ name }) => {
            throw new RpcFailure(name === 'wrong' ? -32_602 : -32_603, 'no');
          },
        });
        const session = await bench.connect(server);
        const refused = await rejection(bench, call(session, 'wrong', PATIENT), 'request()', 'RPC_ERROR');
        assert.equal(refused.details['rpcCode'], -32_602, 'details has rpcCode');
        assert.equal(
          refused.delivery,
          'rejected',
          'invalid parameters were refused before anything was done',
        );
        const failed = await rejection(bench, call(session, 'broken', PATIENT), 'request()');
        assert.equal(failed.delivery, 'unknown', 'after an internal error the server may have acted');
        await session.close();
      },
    },
    {
      name: 'aborting a call rejects it with ABORTED and sends notifications/cancelled',
      async run(bench) {
        const controller = new AbortController();
        const server = bench.server({
          'tools/call': () => {
            controller.abort(new Error('enough'));
            return undefined;
          },
        });
        const session = await bench.connect(server);
        const called = call(session, 'slow', { ...PATIENT, signal: controller.signal });
        await rejection(bench, called, 'request()', 'ABORTED');
        const request = server.received.find((sent) => 'method' in sent && sent.method === 'tools/call');
        const cancelled = server.sent('notifications/cancelled').map(({ requestId }) => requestId);
        assert.deepEqual(cancelled, [request !== undefined && 'id' in request && request.id], 'with its id');
        await session.close();
      },
    },
    {
      name: 'a call without a response rejects with TIMEOUT, and the session stays usable',
      async run(bench) {
        const clock = createManualClock();
        const asked = signal();
        const server = bench.server({
          'tools/call': ({ name }) => {
            if (name !== 'silent') return text('here');
            asked.resolve();
            return undefined;
          },
        });
        const session = await bench.connect(server, { clock });
        const rejected = rejection(bench, call(session, 'silent', { timeoutMs: 50 }), 'request()');
        rejected.catch(() => undefined);
        await bench.within(asked.promise, 'the request');
        await clock.advance(50);
        const error = await rejected;
        assert.equal(error.code, 'TIMEOUT', 'the code is TIMEOUT');
        assert.equal(error.delivery, 'unknown', 'the server may have acted');
        const { content } = await bench.within(call(session, 'quick', PATIENT), 'request()');
        assert.deepEqual(content, text('here')['content'], 'the next call succeeds');
        await session.close();
        assert.equal(clock.pending, 0, 'no timer is left');
      },
    },
    {
      name: 'progress is reported, and restarts the deadline',
      when: ({ progress }) => progress,
      async run(bench) {
        const clock = createManualClock();
        const asked = signal();
        const reports: number[] = [];
        let request: { readonly token: unknown; readonly id: RequestId } | undefined;
        const server = bench.server({
          'tools/call': ({ _meta }, id) => {
            request = { token: _meta?.['progressToken'], id };
            asked.resolve();
            return undefined;
          },
        });
        const session = await bench.connect(server, { clock });
        const onProgress = ({ progress }: { readonly progress: number }): void => void reports.push(progress);
        const called = bench.within(call(session, 'long', { timeoutMs: 300, onProgress }), 'request()');
        called.catch(() => undefined);
        await bench.within(asked.promise, 'the request');
        for (const progress of [1, 2]) {
          await clock.advance(200);
          server.notify('notifications/progress', { progressToken: request?.token, progress });
        }
        await clock.advance(200);
        server.receive({ jsonrpc: '2.0', id: request?.id ?? '', result: text('done') });
        await called;
        assert.deepEqual(reports, [1, 2], 'onProgress is called with each report');
        await session.close();
      },
    },
  ],
};

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
