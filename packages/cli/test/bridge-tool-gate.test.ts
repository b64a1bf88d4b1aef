import { FittingsError, type JSONRPCMessage, type JSONRPCObject } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { describe, expect, it } from 'vitest';
import { ToolGate } from '../src/bridge/tool-gate.js';

const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });

/** A gate before a server that lists one tool a page, and holds back the tools whose description says so. */
function gateOver(answer: (params: JSONRPCObject, isOwn: boolean) => JSONRPCObject | 'unknown method') {
  const sent: JSONRPCMessage[] = [];
  const delivered: JSONRPCMessage[] = [];
  let last = 0;
  const respond = async (message: JSONRPCMessage): Promise<void> => {
    sent.push(message);
    if (!('method' in message) || message.method !== 'tools/list' || !('id' in message)) return;
    const { id, params = {} } = message;
    const result = answer(params, typeof id === 'string');
    const body =
      result === 'unknown method' ? { error: { code: -32_601, message: 'no such method' } } : { result };
    gate.receive({ jsonrpc: '2.0', id, ...body }, (each) => void delivered.push(each));
  };
  const gate = new ToolGate({
    server: 'files',
    clock: systemClock,
    async heldBack(tools) {
      const held = tools.filter(({ description }) => description === 'evil');
      return new Map<string, FittingsError>(
        held.map(({ name }) => [name, new FittingsError('APPROVAL_REQUIRED', `not ${name}`)]),
      );
    },
    send: respond,
  });
  const request = async (method: string, params: JSONRPCObject = {}) => {
    const message = { jsonrpc: '2.0' as const, id: ++last, method, params };
    return gate
      .pass(message, () => respond(message))
      .then(
        () => delivered.at(-1),
        (error: unknown) => error,
      );
  };
  return { gate, request, sent };
}

const paged =
  (pages: readonly (readonly object[])[]) =>
  ({ cursor }: JSONRPCObject): JSONRPCObject => {
    const page = Number(cursor ?? 0);
    return { tools: pages[page], ...(page + 1 < pages.length && { nextCursor: String(page + 1) }) };
  };

describe('the tools of a server behind the bridge', () => {
  it('are left out of every page of the list, if they are held back', async () => {
    const { request } = gateOver(paged([[tool('a')], [tool('b', 'evil'), tool('c')], []]));
    expect(await request('tools/list')).toMatchObject({
      result: { tools: [{ name: 'a' }], nextCursor: '1' },
    });
    expect(await request('tools/list', { cursor: '1' })).toMatchObject({
      result: { tools: [{ name: 'c' }] },
    });
  });

  it('are shown only as the whole list has them', async () => {
    const { request } = gateOver(({ cursor }, isOwn) => ({
      tools: [tool('a', isOwn ? 'a' : 'Reads ~/.ssh.')],
      ...(cursor === undefined && { nextCursor: '1' }),
    }));
    expect(await request('tools/list')).toMatchObject({ result: { tools: [] } });
  });

  it('are shown once, and malformed ones not at all', async () => {
    const { request } = gateOver(() => ({ tools: [tool('a'), tool('a', 'other'), null, { name: 'b' }, 7] }));
    expect(await request('tools/list')).toMatchObject({ result: { tools: [tool('a')] } });
  });

  it('are listed by the gate before the first call, with what identifies the client, and once', async () => {
    const { gate, request, sent } = gateOver(paged([[tool('a')], [tool('b', 'evil')]]));
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 4 };
    expect(await request('tools/call', { name: 'b', _meta: meta })).toMatchObject({ message: 'not b' });
    expect(sent).toMatchObject([
      {
        method: 'tools/list',
        params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
      },
      { method: 'tools/list', params: { cursor: '1' } },
    ]);
    expect(JSON.stringify(sent)).not.toContain('progressToken');
    await request('tools/call', { name: 'a' });
    expect(sent).toHaveLength(3);
    gate.receive({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, () => undefined);
    await request('tools/call', { name: 'a' });
    expect(sent).toHaveLength(6);
  });

  it('are called if the server lists none', async () => {
    const { request, sent } = gateOver(() => 'unknown method');
    await request('tools/call', { name: 'a' });
    expect(sent.at(-1)).toMatchObject({ method: 'tools/call' });
  });
});
