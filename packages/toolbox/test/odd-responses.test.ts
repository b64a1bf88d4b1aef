import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import { describe, expect, it } from 'vitest';
import { WireTransport } from './support/wire-transport.js';

/** Returns what the host receives after a request with the id 1. Rejects as `send` does. */
async function received(value: unknown, transport: WireTransport = new WireTransport()): Promise<unknown> {
  await using used = transport;
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  used.onmessage = (message) => void messages.push(message);
  used.onerror = (error) => void errors.push(error);
  await used.start();
  const sent = used.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
  used.hear(value);
  if (errors[0] !== undefined) {
    sent.catch(() => undefined);
    throw errors[0];
  }
  await sent;
  return messages[0];
}

describe('a malformed error', () => {
  it.each([
    ['a text', 'the disk is full', -32_603, 'the disk is full'],
    ['an error without a code', { message: 'the disk is full' }, -32_603, 'the disk is full'],
    ['a code in a text', { code: '-32001', message: 'no session' }, -32_001, 'no session'],
    ['a code with a fraction', { code: 1.5, message: 'odd' }, -32_603, 'odd'],
    ['no message', { code: -32_000 }, -32_000, '{"code":-32000}'],
    ['a message that is not text', { code: 7, message: { en: 'no' } }, 7, '{"code":7,"message":{"en":"no"}}'],
    ['members of another format', { detail: 'no access' }, -32_603, '{"detail":"no access"}'],
    ['a list', ['first', 'second'], -32_603, '["first","second"]'],
    ['true', true, -32_603, 'true'],
  ])('keeps its reason: %s', async (_, error, code, message) => {
    expect(await received({ jsonrpc: '2.0', id: 1, error })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code, message, data: error },
    });
  });

  it('is accepted beside a result that is null, and without "jsonrpc"', async () => {
    const error = { code: -32_000, message: 'busy' };
    const expected = { jsonrpc: '2.0', id: 1, error: { ...error, data: error } };
    expect(await received({ jsonrpc: '2.0', id: 1, result: null, error })).toEqual(expected);
    expect(await received({ id: 1, error })).toEqual(expected);
  });

  it('shows no secret of the transport', async () => {
    class Guarded extends WireTransport {
      readonly #redact = createRedactor(['sk-live-0123456789']);
      protected override get redact() {
        return this.#redact;
      }
    }
    const error = 'no sk-live-0123456789';
    expect(await received({ jsonrpc: '2.0', id: 1, error }, new Guarded())).toMatchObject({
      error: { message: 'no [redacted]', data: 'no [redacted]' },
    });
  });

  it.each([
    { jsonrpc: '2.0', id: 1, result: {}, error: 'both' },
    { jsonrpc: '2.0', id: 1, result: 'none', error: null },
    { jsonrpc: '2.0', id: 1, error: null },
  ])('is not read where %j has none', async (value) => {
    await expect(received(value)).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  });
});

describe('a list of one', () => {
  it.each([{ result: { a: 1 } }, { error: { code: 1, message: 'no' } }])(
    'is the response in it: %j',
    async (members) => {
      const response = { jsonrpc: '2.0', id: 1, ...members };
      expect(await received([response])).toEqual(response);
    },
  );

  it.each([
    ['a request', [{ jsonrpc: '2.0', id: 7, method: 'ping' }]],
    ['a notification', [{ jsonrpc: '2.0', method: 'notifications/x' }]],
    ['two responses', [1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} }))],
    ['nothing', []],
    ['a list', [[{ jsonrpc: '2.0', id: 1, result: {} }]]],
  ])('is refused with %s', async (_, value) => {
    await expect(received(value)).rejects.toMatchObject({ code: 'MESSAGE_INVALID' });
  });
});
