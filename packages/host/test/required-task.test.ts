import { EventEmitter, once } from 'node:events';
import type { DeliveryPolicy } from '@mcp-fittings/host';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';
import { modern, RpcFailure, scripted, SILENCE, type Answer } from './support/scripted.js';

const TASKS = { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
const research = (taskSupport: unknown) => ({
  tools: [{ name: 'research', inputSchema: { type: 'object' }, execution: { taskSupport } }],
});
const text = (content: string) => ({ content: [{ type: 'text', text: content }] });

/** Connects a server whose tool is run as a task, and records what it is asked about the call. */
async function connected(
  taskSupport: unknown,
  {
    answers = {},
    capabilities = TASKS,
    server = scripted,
    delivery,
  }: {
    answers?: Readonly<Record<string, Answer>>;
    capabilities?: JSONRPCObject;
    server?: typeof scripted;
    delivery?: DeliveryPolicy;
  } = {},
) {
  const sent: [string, JSONRPCObject][] = [];
  const events = new EventEmitter();
  const all: Record<string, Answer> = {
    'tools/call': ({ task }) => (task === undefined ? text('at once') : { task: { taskId: 'one' } }),
    'tasks/result': () => text('later'),
    'tasks/cancel': () => ({}),
    ...answers,
  };
  const servers = testServers(() =>
    server(
      {
        'tools/list': () => research(taskSupport),
        ...Object.fromEntries(
          Object.entries(all).map(([method, answer]) => [
            method,
            (params: JSONRPCObject) => {
              sent.push([method, params]);
              events.emit(method, params);
              return answer(params);
            },
          ]),
        ),
      },
      capabilities,
    ),
  );
  const host = testHost([servers.plugin], { ...(delivery !== undefined && { delivery }) });
  await host.connect({ lab: { type: 'test' } });
  const call = (options = {}) =>
    host.callTool({ server: 'lab', tool: 'research' }, { topic: 'tea' }, options);
  return { host, call, sent, events, servers, [Symbol.asyncDispose]: () => host.close() };
}

describe('a tool that its server runs only as a task', () => {
  it('is called as a task, whose result is that of the call', async () => {
    await using lab = await connected('required');
    const steps: unknown[] = [];
    const result = await lab.call({ meta: { trace: 'x' }, onProgress: (step: unknown) => steps.push(step) });
    expect(result).toMatchObject(text('later'));
    expect(lab.sent).toMatchObject([
      ['tools/call', { name: 'research', arguments: { topic: 'tea' }, task: {}, _meta: { trace: 'x' } }],
      ['tasks/result', { taskId: 'one', _meta: { trace: 'x' } }],
    ]);
    // Its progress would arrive when the request has its response.
    expect(lab.sent[0]?.[1]._meta).not.toHaveProperty('progressToken');
  });

  it.each([
    ['says that it may be', 'optional', TASKS],
    ['says nothing', undefined, TASKS],
    ['is of a server that declares no tasks for calls', 'required', { tools: {}, tasks: { list: {} } }],
    ['is of a server that declares no tasks', 'required', { tools: {} }],
  ])('is called as any other if it %s', async (_what, taskSupport, capabilities) => {
    await using lab = await connected(taskSupport, { capabilities });
    expect(await lab.call()).toMatchObject(text('at once'));
    expect(lab.sent.map(([method]) => method)).toEqual(['tools/call']);
  });

  it('is called as any other by a revision that has other tasks', async () => {
    await using lab = await connected('required', { server: modern });
    expect(await lab.call()).toMatchObject(text('at once'));
  });

  it('may be answered at once', async () => {
    await using lab = await connected('required', { answers: { 'tools/call': () => text('at once') } });
    expect(await lab.call()).toMatchObject(text('at once'));
  });

  it('has its task canceled when the caller gives up', async () => {
    await using lab = await connected('required', { answers: { 'tasks/result': () => SILENCE } });
    const leaving = new AbortController();
    const outcome = lab.call({ signal: leaving.signal });
    const canceled = once(lab.events, 'tasks/cancel');
    await Promise.race([once(lab.events, 'tasks/result'), outcome]);
    leaving.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'ABORTED', delivery: 'unknown' });
    expect(await canceled).toMatchObject([{ taskId: 'one' }]);
  });

  it('is not called again when the connection ends before its result', async () => {
    await using lab = await connected('required', {
      delivery: 'retry',
      answers: { 'tasks/result': () => SILENCE },
    });
    const outcome = lab.call();
    await Promise.race([once(lab.events, 'tasks/result'), outcome]);
    await lab.servers.drop();
    await expect(outcome).rejects.toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown' });
    expect(lab.sent.map(([method]) => method)).toEqual(['tools/call', 'tasks/result']);
  });

  it('fails as its task does', async () => {
    await using lab = await connected('required', {
      answers: {
        'tasks/result'() {
          throw new RpcFailure(-32_000, 'no sources');
        },
      },
    });
    await expect(lab.call()).rejects.toMatchObject({
      code: 'RPC_ERROR',
      message: expect.stringContaining('no sources'),
      details: { rpcCode: -32_000 },
    });
  });
});
