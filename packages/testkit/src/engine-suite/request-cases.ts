import assert from 'node:assert/strict';
import type { JSONRPCObject, RequestId } from '@mcp-fittings/client-core';
import { createManualClock } from '../clock.js';
import { PATIENT, rejection, type EngineCase } from './engine-case.js';
import { RpcFailure } from './scripted-server.js';

const tool = (name: string): JSONRPCObject => ({ name, inputSchema: { type: 'object' } });
const text = (value: string): JSONRPCObject => ({ content: [{ type: 'text', text: value }] });
const LISTED = { ...PATIENT, maxPages: 10, maxItems: 100 };

export const requestCases: readonly EngineCase[] = [
  {
    name: 'list() reads every page',
    async run(bench) {
      const pages: Readonly<Record<string, JSONRPCObject>> = {
        first: { tools: [tool('a'), tool('b')], nextCursor: 'second' },
        second: { tools: [], nextCursor: 'third' },
        third: { tools: [tool('c')] },
      };
      const server = bench.server({ 'tools/list': ({ cursor = 'first' }) => pages[String(cursor)] });
      const session = await bench.connect(server);
      const { items } = await bench.within(session.list('tools', LISTED), 'list()');
      assert.deepEqual(
        items.map(({ name }) => name),
        ['a', 'b', 'c'],
        'the tools of all pages, in order',
      );
      await session.close();
    },
  },
  {
    name: 'list() leaves out malformed entries, and ends at a repeated cursor or at maxPages',
    async run(bench) {
      let page = 0;
      const repeating = bench.server({
        'tools/list': () => ({ tools: [tool('good'), { name: 7 }], nextCursor: 'again' }),
      });
      const endless = bench.server({
        'tools/list': () => ({ tools: [tool(`t${++page}`)], nextCursor: `c${page}` }),
      });
      const first = await bench.connect(repeating);
      const { items, skipped } = await bench.within(first.list('tools', LISTED), 'list()');
      assert.deepEqual([...new Set(items.map(({ name }) => name))], ['good'], 'the valid entry is kept');
      assert.ok(skipped.length > 0, 'skipped names the malformed entry');
      await first.close();
      const second = await bench.connect(endless);
      await bench.within(second.list('tools', { ...LISTED, maxPages: 3 }), 'list()');
      assert.equal(page, 3, 'no more than maxPages pages are requested');
      await second.close();
    },
  },
  {
    name: 'callTool() sends the arguments and meta, and returns the result',
    async run(bench) {
      const server = bench.server({
        'tools/call': ({ arguments: args }) => ({
          content: [{ type: 'text', text: 'sum' }],
          structuredContent: { got: args },
          isError: true,
        }),
      });
      const session = await bench.connect(server);
      const result = await bench.within(
        session.callTool('add', { a: 1 }, { ...PATIENT, meta: { traceparent: '00-1-2-03' } }),
        'callTool()',
      );
      assert.deepEqual(result.content, [{ type: 'text', text: 'sum' }], 'content');
      assert.deepEqual(result.structuredContent, { got: { a: 1 } }, 'structuredContent');
      assert.equal(result.isError, true, 'isError');
      const [sent] = server.sent('tools/call');
      assert.equal(sent?.['name'], 'add', 'the name of the tool');
      assert.equal(sent?._meta?.['traceparent'], '00-1-2-03', 'meta is in _meta');
      await session.close();
    },
  },
  {
    name: 'callTool() passes headers to send() of the transport, and adds nothing to the message',
    async run(bench) {
      const server = bench.server({ 'tools/call': () => text('done') });
      const session = await bench.connect(server);
      const headers = { 'X-Tenant': 'a' };
      await bench.within(session.callTool('add', {}, { ...PATIENT, headers }), 'callTool()');
      await bench.within(session.callTool('add', {}, PATIENT), 'callTool()');
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
      const refused = await rejection(bench, session.callTool('wrong', {}, PATIENT), 'callTool()');
      assert.equal(refused.code, 'RPC_ERROR', 'the code is RPC_ERROR');
      assert.equal(refused.details['rpcCode'], -32_602, 'details has rpcCode');
      assert.equal(refused.delivery, 'rejected', 'invalid parameters were refused before anything was done');
      const failed = await rejection(bench, session.callTool('broken', {}, PATIENT), 'callTool()');
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
      const call = session.callTool('slow', {}, { ...PATIENT, signal: controller.signal });
      const error = await rejection(bench, call, 'callTool()');
      assert.equal(error.code, 'ABORTED', 'the code is ABORTED');
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
      const rejected = rejection(bench, session.callTool('silent', {}, { timeoutMs: 50 }), 'callTool()');
      rejected.catch(() => undefined);
      await bench.within(asked.promise, 'the request');
      await clock.advance(50);
      const error = await rejected;
      assert.equal(error.code, 'TIMEOUT', 'the code is TIMEOUT');
      assert.equal(error.delivery, 'unknown', 'the server may have acted');
      const { content } = await bench.within(session.callTool('quick', {}, PATIENT), 'callTool()');
      assert.equal(content.length, 1, 'the next call succeeds');
      await session.close();
      assert.equal(clock.pending, 0, 'no timer is left');
    },
  },
  {
    name: 'progress is reported, and restarts the deadline',
    needs: 'progress',
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
      const call = bench.within(session.callTool('long', {}, { timeoutMs: 300, onProgress }), 'callTool()');
      call.catch(() => undefined);
      await bench.within(asked.promise, 'the request');
      for (const progress of [1, 2]) {
        await clock.advance(200);
        server.notify('notifications/progress', { progressToken: request?.token, progress });
      }
      await clock.advance(200);
      server.deliver({ jsonrpc: '2.0', id: request?.id ?? '', result: text('done') });
      await call;
      assert.deepEqual(reports, [1, 2], 'onProgress is called with each report');
      await session.close();
    },
  },
  {
    name: 'a missing capability of the server rejects with CAPABILITY_MISSING, and nothing is sent',
    async run(bench) {
      const server = bench.server();
      const session = await bench.connect(server);
      const error = await rejection(bench, session.getPrompt('p', {}, PATIENT), 'getPrompt()');
      assert.equal(error.code, 'CAPABILITY_MISSING', 'the code is CAPABILITY_MISSING');
      assert.equal(error.delivery, 'not-sent', 'delivery is not-sent');
      assert.equal(server.sent('prompts/get').length, 0, 'no request is sent');
      await session.close();
    },
  },
];

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
