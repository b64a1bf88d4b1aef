import { type JSONRPCMessage, type TransportDescription, TransportError } from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { expect, it } from 'vitest';

/** A wire that never sends the message with the id 2. */
class Queueing extends BaseTransport {
  protected override open = (): Promise<void> => Promise.resolve();
  protected override write(message: JSONRPCMessage): undefined {
    if (!isRequest(message)) return;
    this.markUnsent(message.id);
    if (message.id !== 2) this.markSent(message.id);
  }
  protected override shutDown = (): Promise<void> => Promise.resolve();
  break(): void {
    this.fail(new TransportError('PROCESS_EXITED', 'It is gone.'));
  }
  override describe(): TransportDescription {
    return {};
  }
}

const ends = {
  'our close': (transport: Queueing) => transport.close(),
  'the end of the wire': (transport: Queueing) => transport.break(),
};

it.each(Object.entries(ends))('tells requests still in the queue from sent ones at %s', async (_, end) => {
  await using transport = new Queueing();
  await transport.start();
  const requests = [1, 2].map((id) => transport.send({ jsonrpc: '2.0', id, method: 'ping' }));
  void end(transport);
  await expect(requests[0]).rejects.toMatchObject({ delivery: 'unknown' });
  await expect(requests[1]).rejects.toMatchObject({ delivery: 'not-sent' });
});
