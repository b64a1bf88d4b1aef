import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import { describe, expect, it } from 'vitest';
import { WireTransport } from './support/wire-transport.js';

const SECRET = 'sk-live-0123456789abcdef';

class GuardedTransport extends WireTransport {
  readonly #redact = createRedactor([SECRET, '48151623']);
  protected override get redact() {
    return this.#redact;
  }
}

/** Returns what the host receives as the error of a request. */
async function receivedError(
  error: unknown,
  transport: WireTransport = new GuardedTransport(),
): Promise<unknown> {
  await using used = transport;
  const received: JSONRPCMessage[] = [];
  used.onmessage = (message) => void received.push(message);
  await used.start();
  const sent = used.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  used.hear({ jsonrpc: '2.0', id: 1, error });
  await sent;
  const [message] = received;
  return message !== undefined && 'error' in message ? message.error : undefined;
}

describe('an error of the peer', () => {
  it('contains no secret of the transport, in any field and at any depth', async () => {
    const error = {
      code: -32_000,
      message: `no ${SECRET}`,
      data: {
        echo: SECRET.toUpperCase(),
        [`header ${SECRET}`]: true,
        list: [null, 7, 48151623, [`Bearer ${SECRET}`], { token: encodeURIComponent(SECRET) }],
      },
      cause: { stack: `at ${SECRET}` },
    };
    expect(await receivedError(error)).toEqual({
      code: -32_000,
      message: 'no [redacted]',
      data: {
        echo: '[redacted]',
        'header [redacted]': true,
        list: [null, 7, '[redacted]', ['Bearer [redacted]'], { token: '[redacted]' }],
      },
      cause: { stack: 'at [redacted]' },
    });
    for (const data of [SECRET, [SECRET], 48151623]) {
      expect(JSON.stringify(await receivedError({ code: 1, message: '', data }))).not.toMatch(/sk-live|481/);
    }
  });

  it('keeps every other value, also a member "__proto__"', async () => {
    const data: unknown = JSON.parse('{"__proto__":{"a":1},"n":1.5,"yes":true,"none":null,"list":[]}');
    const error = await receivedError({ code: 1, message: 'no', data });
    expect(JSON.stringify(error)).toBe(JSON.stringify({ code: 1, message: 'no', data }));
  });

  it('is cut where it is larger or deeper than any reason', async () => {
    let deep: unknown = SECRET;
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const many = Array.from({ length: 100_000 }, () => SECRET);
    for (const data of [deep, many, { text: `${'x'.repeat(300_000)}${SECRET}` }]) {
      // oxlint-disable-next-line no-await-in-loop -- one transport at a time
      const error = await receivedError({ code: 1, message: 'no', data });
      expect(error).toMatchObject({ code: 1, message: 'no' });
      const text = JSON.stringify(error);
      expect(text.length).toBeLessThan(300_000);
      expect(text).not.toContain(SECRET);
    }
  });

  it.each([
    ['list', (count: number) => Array.from({ length: count }, () => 7)],
    [
      'object',
      (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 7])),
    ],
  ])('contains at most 2000 values, those of one %s among them', async (_, make) => {
    const whole = { code: 1, message: 'no', data: make(1999) };
    expect(await receivedError(whole)).toEqual(whole);
    expect(await receivedError({ ...whole, data: make(2000) })).toEqual(whole);
  });

  it('is what it was over a transport that knows no secret, and so is every result', async () => {
    const error = { code: 1, message: SECRET, data: [SECRET] };
    expect(await receivedError(error, new WireTransport())).toBe(error);
    await using transport = new GuardedTransport();
    const received: JSONRPCMessage[] = [];
    transport.onmessage = (message) => void received.push(message);
    await transport.start();
    const sent = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const answer = { jsonrpc: '2.0', id: 1, result: { text: SECRET } };
    transport.hear(answer);
    await sent;
    expect(received[0]).toBe(answer);
  });

  it('is reported without secrets if it belongs to no request', async () => {
    await using transport = new GuardedTransport();
    const reported: Error[] = [];
    transport.onerror = (error) => void reported.push(error);
    await transport.start();
    transport.hear({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: `bad ${SECRET}` } });
    expect(String(reported)).toContain('unreadable: bad [redacted]');
  });
});
