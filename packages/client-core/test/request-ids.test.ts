import type { TransportDescription } from '@mcp-fittings/client-core';
import { BaseTransport, type JSONRPCMessage } from '@mcp-fittings/client-core/transport';
import { expect, it } from 'vitest';

class Recording extends BaseTransport {
  readonly written: JSONRPCMessage[] = [];
  protected override open = (): Promise<void> => Promise.resolve();
  protected override shutDown = (): Promise<void> => Promise.resolve();
  protected override write(message: JSONRPCMessage): Promise<void> {
    this.written.push(message);
    return Promise.resolve();
  }
  answer(id: number): void {
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
