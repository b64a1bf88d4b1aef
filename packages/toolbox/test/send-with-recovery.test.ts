import { type AuthProvider, TransportError } from '@mcp-fittings/client-core';
import {
  Credentials,
  RequestRedactor,
  createStatusTable,
  type RefusedReply,
  type RemoteRequest,
  sendWithRecovery,
} from '@mcp-fittings/toolbox/refusal';
import { createLifetime } from '@mcp-fittings/toolbox/timing';
import { describe, expect, it } from 'vitest';
import { manualClock } from './support/manual-clock.js';

const url = new URL('https://example.com/mcp');

interface Accepted {
  readonly accepted: true;
}

const refused = (status: number, headers: Readonly<Record<string, string>> = {}): RefusedReply => ({
  accepted: false,
  head: { status, header: (name) => headers[name], url },
  text: '',
});

/** Sends a request whose replies come in this order, and tells what was done. */
function sending(
  replies: readonly (RefusedReply | 'ok')[],
  more: Partial<RemoteRequest<Accepted>> = {},
  { unsigned = 0, authorization }: { unsigned?: number; authorization?: string } = {},
) {
  const clock = manualClock();
  const log: string[] = [];
  let tokens = 0;
  const provider: AuthProvider = {
    async headers() {
      tokens++;
      return unsigned > 0 && unsigned-- > 0 ? {} : { authorization: `Bearer token-${tokens}` };
    },
    onChallenge: ({ refused: token, status }) => {
      log.push(`challenge of ${token}${status === 401 ? '' : ` with ${status}`}`);
      return Promise.resolve('retry');
    },
  };
  const left = [...replies];
  const request: RemoteRequest<Accepted> = {
    what: 'POST',
    method: 'POST',
    safe: true,
    table: createStatusTable([]),
    lifetime: createLifetime(),
    send(signed) {
      log.push(`send ${signed['authorization']}`);
      const reply = left.shift();
      return Promise.resolve(reply === 'ok' ? { accepted: true } : reply);
    },
    ...more,
  };
  const result = sendWithRecovery(request, {
    credentials: new Credentials({ url, provider, authorization }),
    redactor: new RequestRedactor({}, url),
    retryLater: {},
    clock,
    random: () => 0,
  });
  return { clock, log, result };
}

describe('a request', () => {
  it('is signed, sent, taken to the provider when it is refused, signed anew and sent again', async () => {
    const { log, result } = sending([refused(401), 'ok']);
    expect(await result).toEqual({ accepted: true });
    expect(log).toEqual(['send Bearer token-1', 'challenge of Bearer token-1', 'send Bearer token-2']);
  });

  it('without credentials asks for them when a 403 has a challenge, and with them does not', async () => {
    const forbidden = refused(403, { 'www-authenticate': 'Bearer realm="x"' });
    const first = sending([forbidden, 'ok'], {}, { unsigned: 1 });
    expect(await first.result).toEqual({ accepted: true });
    expect(first.log).toEqual(['send undefined', 'challenge of undefined', 'send Bearer token-2']);
    const again = sending([forbidden, forbidden], {}, { unsigned: 1 });
    await expect(again.result).rejects.toMatchObject({ code: 'HTTP_STATUS', details: { status: 403 } });
    const never = sending([forbidden, forbidden], {}, { unsigned: 2 });
    await expect(never.result).rejects.toMatchObject({ code: 'AUTH_REJECTED', details: { status: 403 } });
    const configured = sending([forbidden], {}, { unsigned: 1, authorization: 'Bearer mine' });
    await expect(configured.result).rejects.toMatchObject({ code: 'HTTP_STATUS' });
    expect(configured.log).toEqual(['send undefined']);
  });

  it('waits for a busy server as long as that asks for, and leaves no timer', async () => {
    const { clock, log, result } = sending([refused(503, { 'retry-after': '3' }), 'ok']);
    while (clock.timers === 0) await Promise.resolve();
    clock.pass(2999);
    expect([clock.timers, log.length]).toEqual([1, 1]);
    clock.pass(1);
    expect(await result).toEqual({ accepted: true });
    expect([clock.timers, log.length]).toEqual([0, 2]);
  });

  it('ends silently and without a timer when its lifetime ends while it waits', async () => {
    const lifetime = createLifetime();
    const { clock, result } = sending([refused(429), 'ok'], { lifetime });
    while (clock.timers === 0) await Promise.resolve();
    lifetime.end();
    expect(await result).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  it('is not sent when its lifetime ends while it is signed', async () => {
    const lifetime = createLifetime();
    const { log, result } = sending(['ok'], { lifetime });
    lifetime.end();
    expect(await result).toBeUndefined();
    expect(log).toEqual([]);
  });

  it('lets its wire settle what neither credentials nor waiting cure', async () => {
    const settled = ['again', 'answered'] as const;
    let turn = 0;
    const settle = () => Promise.resolve(settled[turn++]);
    const { log, result } = sending([refused(404), refused(400)], { settle });
    expect(await result).toBeUndefined();
    expect(log).toHaveLength(2);
  });

  it('fails with the error of the last refusal', async () => {
    const { result } = sending([refused(401), refused(413)], { settle: () => Promise.resolve(undefined) });
    const error: unknown = await result.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ code: 'HTTP_STATUS', delivery: 'rejected', details: { status: 413 } });
  });
});
