import { describe, expect, it } from 'vitest';
import { FittingsError } from '@mcp-fittings/client-core';
import type { EngineCallbacks } from '@mcp-fittings/host/engine';
import { callTool, done, old, PATIENT, stateless, turn, type Sent } from './support/wire.js';

describe('native(): messages', () => {
  it('settles nothing for a response with an unknown id', async () => {
    const { wire, connect } = old({ 'tools/call': () => undefined });
    const session = await connect();
    const call = callTool(session, 'slow');
    for (const id of [999, '2', null, 'x'.repeat(10_000)]) wire.deliver({ id, ...done });
    wire.deliver({ error: { code: -32_700, message: 'unreadable' } });
    wire.deliver({ id: wire.of('tools/call')[0]?.id, ...done });
    expect((await call)['content']).toHaveLength(1);
  });

  it('takes the number of a request that the server returns as text, in a response and in progress', async () => {
    const { wire, errors, connect } = old({ 'tools/call': () => undefined });
    const session = await connect();
    const steps: number[] = [];
    const call = callTool(session, 'slow', {
      ...PATIENT,
      onProgress: ({ progress }) => steps.push(progress),
    });
    const id = String(wire.of('tools/call')[0]?.id);
    wire.deliver({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    wire.deliver({ id, ...done });
    expect((await call)['content']).toHaveLength(1);
    expect(steps).toEqual([1]);
    expect(errors).toEqual([]);
  });

  it('takes no other text that stands for the number of a request', async () => {
    const { wire, connect } = old({ 'tools/call': () => undefined });
    const session = await connect();
    const call = callTool(session, 'slow');
    const id = Number(wire.of('tools/call')[0]?.id);
    const others = [`${id}.0`, `0${id}`, ` ${id}`, `0x${id.toString(16)}`, `${id}e0`];
    for (const other of others) wire.deliver({ id: other, result: { content: [1, 2] } });
    wire.deliver({ id, ...done });
    expect((await call)['content']).toHaveLength(1);
  });

  it('drops progress that is not a finite number, and leaves out such a total', async () => {
    const { wire, connect } = old({ 'tools/call': () => undefined });
    const session = await connect();
    const steps: unknown[] = [];
    const call = callTool(session, 'slow', { ...PATIENT, onProgress: (step) => steps.push(step) });
    const progressToken = wire.of('tools/call')[0]?.id;
    // JSON has no Infinity, but this is what it becomes.
    const endless: unknown = JSON.parse('1e999');
    for (const progress of [endless, -Infinity, NaN, '1', null])
      wire.deliver({ method: 'notifications/progress', params: { progressToken, progress } });
    wire.deliver({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, total: endless },
    });
    wire.deliver({ id: progressToken, ...done });
    await call;
    expect(steps).toEqual([{ progress: 1 }]);
  });

  it('ignores the late response to a canceled request, and its progress', async () => {
    const { wire, errors, connect } = old({ 'tools/call': () => undefined });
    const session = await connect();
    const controller = new AbortController();
    const options = { ...PATIENT, signal: controller.signal, onProgress: () => undefined };
    const call = callTool(session, 'slow', options);
    const id = wire.of('tools/call')[0]?.id;
    controller.abort(new Error('a secret of the host'));
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
    expect(wire.of('notifications/cancelled')).toMatchObject([{ params: { requestId: id } }]);
    expect(JSON.stringify(wire.sent)).not.toContain('secret');
    wire.deliver({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    wire.deliver({ id, ...done });
    expect(errors).toEqual([]);
  });

  it('a request whose signal is aborted already is not sent', async () => {
    const { wire, connect } = old();
    const session = await connect();
    const call = callTool(session, 'a', { ...PATIENT, signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', delivery: 'not-sent' });
    expect(wire.of('tools/call')).toEqual([]);
  });

  it.each([
    ['no result', { result: undefined }, 'PROTOCOL_VIOLATION'],
    ['a result that is not an object', { result: [1] }, 'PROTOCOL_VIOLATION'],
    ['an error that is not an object', { error: 'boom' }, 'RPC_ERROR'],
    ['an error without a code', { error: { message: 'boom' } }, 'RPC_ERROR'],
  ])('a response with %s fails its request', async (_case, body, code) => {
    const { connect } = old({ 'tools/call': () => body });
    const session = await connect();
    await expect(callTool(session, 'a')).rejects.toMatchObject({ code, delivery: 'unknown' });
  });

  it('passes code and data of an error response on as the cause', async () => {
    const error = { code: -32_042, message: 'visit a page', data: { elicitations: [] } };
    const { connect } = old({ 'tools/call': () => ({ error }) });
    const session = await connect();
    await expect(callTool(session, 'a')).rejects.toMatchObject({
      code: 'RPC_ERROR',
      delivery: 'rejected',
      details: { rpcCode: -32_042 },
      cause: { code: -32_042, data: { elicitations: [] } },
    });
  });

  it('reports malformed notifications, and passes on the valid ones', async () => {
    const { wire, errors, events, connect } = old();
    await connect();
    const notify = (method: unknown, params?: unknown): void => wire.deliver({ method, params });
    notify('notifications/message', { level: 'loud', data: 1 });
    notify('notifications/resources/updated', { uri: 7 });
    notify(7);
    expect(errors.map((error) => error instanceof FittingsError && error.code)).toEqual(
      Array.from({ length: 3 }, () => 'PROTOCOL_VIOLATION'),
    );
    notify('notifications/message', { level: 'info', data: null });
    notify('vendor/news', 'not an object');
    notify('notifications/cancelled', { requestId: 'of nothing' });
    expect(events).toEqual(['log info', 'vendor/news']);
  });
});

describe('native(): requests of the server', () => {
  it('canceling one aborts its callback and gets no response; the end of the connection aborts the others', async () => {
    const signals: AbortSignal[] = [];
    const waiting: EngineCallbacks = {
      sample: (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signals.push(signal);
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        }),
    };
    const { wire, connect } = old({}, waiting);
    const session = await connect();
    for (const id of ['a', 'b']) wire.deliver({ id, method: 'sampling/createMessage', params: {} });
    wire.deliver({ method: 'notifications/cancelled', params: { requestId: 'a', reason: 'enough' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    // The same id twice is refused, so that both have one meaning.
    wire.deliver({ id: 'b', method: 'sampling/createMessage', params: {} });
    await turn();
    expect(wire.responses()).toMatchObject([{ id: 'b', error: { code: -32_600 } }]);
    await session.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await turn();
    expect(wire.responses()).toHaveLength(1);
  });

  it('refuses what is malformed, not declared or unusable, each with a code that says so', async () => {
    const { wire, connect } = old(
      {},
      {
        elicit: async () => ({ action: 'decline' }),
        elicitationModes: ['form'],
        sample: async (params) => ({ role: 'assistant', content: { type: 'text', text: 'x' }, ...params }),
      },
    );
    await connect();
    const ask = (id: number, method: string, params: object): void => wire.deliver({ id, method, params });
    ask(1, 'elicitation/create', { mode: 'url', url: 'https://x.test', message: 'Go' });
    ask(2, 'elicitation/create', { message: 'no schema' });
    ask(3, 'sampling/createMessage', {});
    ask(6, 'sampling/createMessage', { model: 'm', content: 'no block' });
    ask(7, 'sampling/createMessage', { model: 'm', role: 'system' });
    ask(8, 'sampling/createMessage', { model: 'm' });
    ask(4, 'roots/list', {});
    ask(5, 'elicitation/create', { message: 'Who?', requestedSchema: { type: 'object' } });
    await turn();
    const byId = wire.responses().toSorted((a, b) => (a as Sent).id - (b as Sent).id);
    expect(byId).toMatchObject([
      { id: 1, error: { code: -32_602 } },
      { id: 2, error: { code: -32_602 } },
      { id: 3, error: { code: -32_603 } },
      { id: 4, error: { code: -32_601 } },
      { id: 5, result: { action: 'decline' } },
      { id: 6, error: { code: -32_603 } },
      { id: 7, error: { code: -32_603 } },
      { id: 8, result: { model: 'm' } },
    ]);
  });

  it('a stateless server gets no response, and the request is reported', async () => {
    const { wire, errors, connect } = stateless();
    await connect();
    wire.deliver({ id: 1, method: 'ping' });
    await turn();
    expect(wire.responses()).toEqual([]);
    expect(errors).toMatchObject([{ code: 'PROTOCOL_VIOLATION' }]);
  });
});
