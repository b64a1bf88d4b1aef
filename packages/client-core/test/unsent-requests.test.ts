import { TransportError, type TransportFacts } from '@mcp-fittings/client-core';
import { BaseTransport, type RequestId } from '@mcp-fittings/client-core/transport';
import { expect, it } from 'vitest';

/** A wire that never takes the message with the id 2. */
class Queueing extends BaseTransport {
  protected override open = (): Promise<void> => Promise.resolve();
  protected override write = (): Promise<void> => Promise.resolve();
  protected override shutDown = (): Promise<void> => Promise.resolve();
  protected override isUnsent(id: RequestId): boolean {
    return id === 2;
  }
  break(): void {
    this.fail(new TransportError('PROCESS_EXITED', 'It is gone.'));
  }
  override describe(): TransportFacts {
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
