import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { createLinkedPair } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it } from 'vitest';
import { toAiSdkTransport, type AiSdkTransport } from '@mcp-fittings/adapter-ai-sdk';

const request = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', id: 7, method });

/** A started transport, and what the peer receives. */
async function started(more: Partial<Transport> = {}): Promise<{
  readonly adapted: AiSdkTransport;
  readonly received: JSONRPCMessage[];
  readonly peer: Transport;
}> {
  const [ours, peer] = createLinkedPair();
  const received: JSONRPCMessage[] = [];
  peer.onmessage = (message) => received.push(message);
  await peer.start();
  for (const [name, value] of Object.entries(more)) Object.defineProperty(ours, name, { value });
  const adapted = toAiSdkTransport(ours);
  await adapted.start();
  return { adapted, received, peer };
}

const methods = (messages: readonly JSONRPCMessage[]): readonly unknown[] =>
  messages.map((message) => ('method' in message ? message.method : undefined));

async function sendAndAbort(adapted: AiSdkTransport, message: JSONRPCMessage): Promise<void> {
  const abort = new AbortController();
  const sending = adapted.send(message, { signal: abort.signal }).catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await sending;
  await new Promise((resolve) => setImmediate(resolve));
}

describe('toAiSdkTransport', () => {
  it('cancels an aborted request on the server', async () => {
    const { adapted, received } = await started();
    await sendAndAbort(adapted, request('tools/call'));
    expect(methods(received)).toEqual(['tools/call', 'notifications/cancelled']);
    expect(received[1]).toMatchObject({ params: { requestId: 7 } });
    await adapted.close();
  });

  it('does not cancel `initialize`, which the protocol forbids', async () => {
    const { adapted, received } = await started();
    await sendAndAbort(adapted, request('initialize'));
    expect(methods(received)).toEqual(['initialize']);
    await adapted.close();
  });

  it('lets the end of the stream cancel from revision 2026-07-28 on, if each request has one', async () => {
    const { adapted, received } = await started({ hasPerRequestStream: true });
    expect(adapted.waitsForProtocolVersionDiscovery).toBe(true);
    adapted.setProtocolVersion('2026-07-28');
    await sendAndAbort(adapted, request('tools/call'));
    expect(methods(received)).toEqual(['tools/call']);
    adapted.setProtocolVersion('2025-11-25');
    await sendAndAbort(adapted, request('tools/list'));
    expect(methods(received)).toEqual(['tools/call', 'tools/list', 'notifications/cancelled']);
    await adapted.close();
  });

  it.each([
    [true, true],
    [undefined, false],
  ])(
    'where the transport says sendsHeaders: %s, headers for tool parameters are %s',
    (sendsHeaders, offered) => {
      const [ours] = createLinkedPair();
      Object.defineProperty(ours, 'sendsHeaders', { value: sendsHeaders });
      expect(toAiSdkTransport(ours).supportsMcpToolParameterHeaders).toBe(offered);
    },
  );

  it('does not send a request whose signal is aborted already', async () => {
    const { adapted, received } = await started();
    await expect(adapted.send(request('tools/call'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(received).toEqual([]);
    await adapted.close();
  });

  it('an answered request is not cancelled later', async () => {
    const { adapted, received, peer } = await started();
    const abort = new AbortController();
    peer.onmessage = (message) => {
      received.push(message);
      if (isRequest(message)) void peer.send({ jsonrpc: '2.0', id: message.id, result: {} });
    };
    await adapted.send(request('tools/call'), { signal: abort.signal });
    abort.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(methods(received)).toEqual(['tools/call']);
    await adapted.close();
  });

  it('hands messages, errors and the end to the handlers of the client', async () => {
    const { adapted, peer } = await started();
    const seen: unknown[] = [];
    adapted.onmessage = (message) => seen.push(message);
    adapted.onclose = () => seen.push('closed');
    await peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await adapted.close();
    expect(seen).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 'closed']);
  });
});
