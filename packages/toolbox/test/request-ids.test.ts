import type { JSONRPCMessage, TransportDescription } from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { expect, it } from 'vitest';

class Recording extends BaseTransport {
  readonly written: JSONRPCMessage[] = [];
  protected override open = (): Promise<void> => Promise.resolve();
  protected override shutDown = (): Promise<void> => Promise.resolve();
  protected override write(message: JSONRPCMessage): Promise<void> {
    this.written.push(message);
    return Promise.resolve();
  }
  answer(id: unknown): void {
    this.receive({ jsonrpc: '2.0', id, result: {} });
  }
  override describe(): TransportDescription {
    return {};
  }
}

it('does not write a request whose id is in flight, and leaves the one in flight alone', async () => {
  await using transport = new Recording();
  await transport.start();
  const first = transport.send({ jsonrpc: '2.0', id: 1, method: 'a' });
  const second = transport.send({ jsonrpc: '2.0', id: 1, method: 'b' });
  await expect(second).rejects.toMatchObject({ code: 'REQUEST_ID_IN_USE', delivery: 'not-sent' });
  expect(transport.written).toEqual([{ jsonrpc: '2.0', id: 1, method: 'a' }]);
  transport.answer(1);
  await expect(first).resolves.toBeUndefined();
});

it('takes the number of a request that the peer returns as text', async () => {
  await using transport = new Recording();
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  await transport.start();
  const sent = transport.send({ jsonrpc: '2.0', id: 7, method: 'a' });
  const failed = transport.send({ jsonrpc: '2.0', id: 8, method: 'b' });
  for (const id of ['07', '7.0', ' 7', '0x7']) transport.answer(id);
  expect(errors).toHaveLength(1);
  transport.answer('7');
  await sent;
  transport.receive({ jsonrpc: '2.0', id: '8', error: { code: -32_000, message: 'no' } });
  await failed;
  expect(messages).toMatchObject([
    { id: 7, result: {} },
    { id: 8, error: { message: 'no' } },
  ]);
});

it('knows a text from a number that is in flight, and fails what a malformed answer returns as text', async () => {
  await using transport = new Recording();
  const ids: unknown[] = [];
  transport.onmessage = (message) => void ids.push('id' in message && message.id);
  await transport.start();
  const text = transport.send({ jsonrpc: '2.0', id: '7', method: 'a' });
  const number = transport.send({ jsonrpc: '2.0', id: 7, method: 'b' });
  transport.answer('7');
  transport.answer(7);
  await Promise.all([text, number]);
  expect(ids).toEqual(['7', 7]);
  const malformed = transport.send({ jsonrpc: '2.0', id: 9, method: 'c' });
  transport.receive({ jsonrpc: '2.0', id: '9', result: 5 });
  await expect(malformed).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
});

it('ignores a late answer that returns the number of a canceled request as text', async () => {
  await using transport = new Recording();
  const errors: Error[] = [];
  transport.onerror = (error) => void errors.push(error);
  await transport.start();
  const canceled = transport.send({ jsonrpc: '2.0', id: 7, method: 'a' });
  await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  await canceled;
  transport.answer('7');
  expect(errors).toEqual([]);
});
