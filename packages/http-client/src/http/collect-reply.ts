import { TransportError } from '@mcp-fittings/client-core';
import { createByteCollector } from '@mcp-fittings/toolbox/framing';
import { createLifetime, type LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { HttpClient, ResponseHead } from '../http-client.js';
import type { Accept } from './exchange.js';

/** A whole response. */
export interface CollectedReply {
  readonly head: ResponseHead;
  /** The decoded body; empty if the response has no body. */
  readonly body: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Resolves with the whole response to a request, which `send` sends. Rejects with `ABORTED` if `signal` is aborted. */
export async function collectReply(
  send: (lifetime: LifetimeSignal, accept: Accept) => ReturnType<HttpClient['send']>,
  signal: AbortSignal | undefined,
  server: string | undefined,
): Promise<CollectedReply> {
  const body = createByteCollector();
  const sink = { data: (bytes: Uint8Array) => body.add(bytes), end: () => undefined };
  const lifetime = createLifetime();
  const giveUp = (): void => lifetime.end();
  if (signal?.aborted === true) giveUp();
  else signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const reply = await send(lifetime, () => sink);
    if (reply?.accepted !== true) {
      const options = { server, cause: signal?.reason, delivery: 'unknown' } as const;
      throw new TransportError('ABORTED', 'The request was aborted by the caller.', options);
    }
    if (reply.broken !== undefined) throw reply.broken;
    return { head: reply.head, body: body.take(NOTHING) };
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}
