import { inspect } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import type { AuthProvider, Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { WebSocketTransportOptions } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client, startedClient } from './support/clients.js';
import {
  closeFrame,
  frame,
  jsonFrame,
  OPCODE,
  startRawServer,
  upgradeAnswer,
  type RawPeer,
} from './support/raw-server.js';
import type { Recorder } from './support/recorder.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** A client with one request in flight, and the raw socket at its other end. */
async function withRequest(
  use: (peer: RawPeer, recorder: Recorder, request: Promise<unknown>) => Promise<void>,
  options: Parameters<typeof client>[1] = {},
  server: Parameters<typeof startRawServer>[0] = {},
): Promise<void> {
  await using raw = await startRawServer(server);
  const recorder = await startedClient(raw.url, options);
  await using _ = recorder.transport;
  const peer = await raw.connection();
  const request = recorder.request(1);
  request.catch(() => undefined);
  await peer.nextFrame();
  await use(peer, recorder, request);
}

/** The code of the close frame that the client sends. */
async function closeCodeFrom(peer: RawPeer): Promise<number> {
  const { opcode, payload } = await peer.nextFrame();
  expect(opcode).toBe(OPCODE.close);
  return payload.readUInt16BE(0);
}

const deflateAnswer = (_: string, accept: string): string =>
  upgradeAnswer(
    accept,
    'Sec-WebSocket-Protocol: mcp',
    'Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover',
  );

describe('what is too large', () => {
  it.each([
    ['1 GB', 1024n * 1024n * 1024n],
    ['a length that no number holds', 2n ** 62n],
  ])('refuses a frame that announces %s, closes with 1009 and fails the request', (_, announced) =>
    withRequest(async (peer, { transport, closed }, request) => {
      peer.socket.write(frame('{"jsonrpc"', { announced }));
      const error = await failureOf(request);
      expect(error).toMatchObject({ code: 'MESSAGE_TOO_LARGE', delivery: 'unknown' });
      expect(await closeCodeFrom(peer)).toBe(1009);
      await closed;
      expect(transport.closeReason).toMatchObject({
        code: 'MESSAGE_TOO_LARGE',
        details: { closeCode: 1009 },
      });
    }),
  );

  it('counts fragments together: endless ones end at the limit with 1009', () =>
    withRequest(
      async (peer, _, request) => {
        const part = Buffer.alloc(16 * KIB, 'x');
        peer.socket.write(frame(part, { fin: false }));
        for (let sent = 0; sent < 4; sent++) {
          peer.socket.write(frame(part, { fin: false, opcode: OPCODE.continuation }));
        }
        await expect(request).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
        expect(await closeCodeFrom(peer)).toBe(1009);
      },
      { maxMessageBytes: 64 * KIB },
    ));

  it('limits the number of fragments, so that empty ones do not continue forever', () =>
    withRequest(async (peer, _, request) => {
      const empty = frame('', { fin: false, opcode: OPCODE.continuation });
      peer.socket.write(
        Buffer.concat([frame('', { fin: false }), ...Array.from({ length: 20_000 }, () => empty)]),
      );
      await expect(request).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
      expect(await closeCodeFrom(peer)).toBe(1008);
    }));

  it('stops inflating a deflate bomb at the limit, with memory bounded', () =>
    withRequest(
      async (peer, _, request) => {
        const bomb = deflateRawSync(Buffer.alloc(512 * MIB), { level: 9 });
        expect(bomb.length).toBeLessThan(MIB);
        const before = process.memoryUsage().rss;
        peer.socket.write(frame(bomb, { compressed: true }));
        await expect(request).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
        expect(await closeCodeFrom(peer)).toBe(1009);
        expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
      },
      { perMessageDeflate: true, maxMessageBytes: MIB },
      { answer: deflateAnswer },
    ));

  it('ends with 1007 on a message that does not inflate', () =>
    withRequest(
      async (peer, _, request) => {
        peer.socket.write(frame(Buffer.from([0xff, 0xff, 0xff, 0xff]), { compressed: true }));
        await expect(request).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
        expect(await closeCodeFrom(peer)).toBe(1007);
      },
      { perMessageDeflate: true },
      { answer: deflateAnswer },
    ));

  it('accepts 64 MiB by default and not one byte more', () =>
    withRequest(async (peer, recorder, request) => {
      const shell = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: '' } });
      const text = 'x'.repeat(64 * MIB - shell.length);
      peer.socket.write(jsonFrame({ jsonrpc: '2.0', id: 1, result: { text } }));
      await request;
      peer.socket.write(frame('x', { announced: BigInt(64 * MIB + 1) }));
      await recorder.closed;
      expect(recorder.transport.closeReason).toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    }));

  it('a flood of pings is not answered without bound, and is named as such', () =>
    withRequest(async (peer, recorder) => {
      // The peer reads nothing, so that no pong leaves.
      peer.socket.pause();
      const ping = frame(Buffer.alloc(125), { opcode: OPCODE.ping });
      const many = Buffer.concat(Array.from({ length: 8000 }, () => ping));
      for (let sent = 0; sent < 40 && !peer.socket.destroyed; sent++) {
        await new Promise<void>((resolve) => peer.socket.write(many, () => resolve()));
      }
      await recorder.closed;
      expect(recorder.transport.closeReason).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    }));

  const schedule: Clock['schedule'] = (...timer) => systemClock.schedule(...timer);
  const still: Clock = { now: () => 0, schedule };

  it.each([
    ['pings', OPCODE.ping, ''],
    ['pings with a payload', OPCODE.ping, 'x'.repeat(125)],
    ['pongs that answer nothing', OPCODE.pong, ''],
  ])('%s that are paced by our pongs end the connection at the limit', (_, opcode, payload) =>
    withRequest(
      async (peer, recorder, request) => {
        let sent = 0;
        while (recorder.closes.length === 0 && sent < 1000) {
          peer.socket.write(frame(payload, { opcode }));
          sent++;
          if (opcode === OPCODE.ping) await Promise.race([peer.nextFrame(), recorder.closed]);
          // Both sides of the socket get their turn.
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        await recorder.closed;
        expect(sent).toBeLessThan(1000);
        const reason = { code: 'PROTOCOL_VIOLATION', details: { closeCode: 1008, maxPings: 20 } };
        expect(recorder.transport.closeReason).toMatchObject(reason);
        expect(recorder.transport.closeReason?.message).toBe('The peer sent more than 20 pings within 10 s.');
        expect(await failureOf(request)).toMatchObject({ ...reason, delivery: 'unknown' });
      },
      { maxPings: 20, clock: still },
    ),
  );

  it('pings at a reasonable pace are answered for as long as they come', () => {
    let time = 0;
    return withRequest(
      async (peer, recorder) => {
        for (let sent = 0; sent < 200; sent++) {
          time += 1000;
          peer.socket.write(frame('', { opcode: OPCODE.ping }));
          expect((await peer.nextFrame()).opcode).toBe(OPCODE.pong);
        }
        expect(recorder.closes).toEqual([]);
      },
      { maxPings: 20, heartbeat: false, clock: { now: () => time, schedule } },
    );
  });
});

describe('what a peer repeats of our secrets', () => {
  const secret = 'sk-live-0123456789abcdef';
  const provider: AuthProvider = {
    headers: () => Promise.resolve({ authorization: `Bearer ${secret}` }),
    onChallenge: () => Promise.resolve('retry'),
  };
  const forms: [string, Partial<WebSocketTransportOptions>][] = [
    ['an API key', { apiKey: secret }],
    ['a cookie', { headers: { cookie: `theme=dark; sid=${secret}` } }],
    ['a token of the provider', { auth: provider }],
  ];

  it.each(forms)('%s is in no error about a text frame, a close reason, or a JSON-RPC error', (_, options) =>
    withRequest(async (peer, recorder, request) => {
      const reported = recorder.nextError();
      peer.socket.write(frame(`you are ${secret}, encoded ${encodeURIComponent(secret)}`));
      const malformed = await reported;
      expect(malformed.message).toContain('you are [redacted]');
      const answered = recorder.next();
      peer.socket.write(
        jsonFrame({
          jsonrpc: '2.0',
          id: 1,
          error: { code: 1, message: `bad token ${secret}`, data: { echo: [secret.toUpperCase()] } },
        }),
      );
      expect(await answered).toMatchObject({
        error: { message: 'bad token [redacted]', data: { echo: ['[redacted]'] } },
      });
      await request;
      peer.socket.write(closeFrame(1008, `no ${secret}`));
      await recorder.closed;
      const { closeReason } = recorder.transport;
      expect(closeReason?.message).toContain('no [redacted]');
      const shown = [malformed, closeReason, ...recorder.errors].map((error) =>
        inspect(error, { depth: 9, showHidden: true }),
      );
      expect(shown.join()).not.toContain(secret);
    }, options),
  );
});

describe('what is not text', () => {
  it('closes with 1003 on a binary frame, and delivers nothing that follows it', () =>
    withRequest(async (peer, recorder, request) => {
      const answer = jsonFrame({ jsonrpc: '2.0', id: 1, result: {} });
      peer.socket.write(Buffer.concat([frame('x', { opcode: OPCODE.binary }), answer]));
      await expect(request).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION', delivery: 'unknown' });
      expect(await closeCodeFrom(peer)).toBe(1003);
      await recorder.closed;
      expect(recorder.messages).toEqual([]);
      expect(recorder.transport.closeReason?.message).toContain('binary');
    }));

  it('closes with 1007 on invalid UTF-8', () =>
    withRequest(async (peer, recorder, request) => {
      const broken = Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"a":"'),
        Buffer.from([0xc3]),
      ]);
      peer.socket.write(frame(Buffer.concat([broken, Buffer.from('"}}')])));
      await expect(request).rejects.toMatchObject({
        code: 'PROTOCOL_VIOLATION',
        details: { closeCode: 1007 },
      });
      expect(await closeCodeFrom(peer)).toBe(1007);
      expect(recorder.messages).toEqual([]);
    }));

  it('joins a character that is cut by a fragment', () =>
    withRequest(async (peer, { messages }, request) => {
      const whole = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: '😀' } }));
      const cut = whole.indexOf(Buffer.from('😀')) + 2;
      peer.socket.write(frame(whole.subarray(0, cut), { fin: false }));
      peer.socket.write(frame(whole.subarray(cut), { opcode: OPCODE.continuation }));
      await request;
      expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { text: '😀' } }]);
    }));

  it.each([
    ['a reserved bit', Buffer.from([0xb1, 0x00])],
    ['an unknown opcode', Buffer.from([0x83, 0x00])],
    ['a masked frame', Buffer.from([0x81, 0x80, 0, 0, 0, 0])],
    ['a fragmented ping', Buffer.from([0x09, 0x00])],
    ['a continuation of nothing', Buffer.from([0x80, 0x00])],
    ['compression that was not agreed on', Buffer.from([0xc1, 0x00])],
  ])('ends with 1002 on %s', (_, bytes) =>
    withRequest(async (peer, recorder, request) => {
      peer.socket.write(bytes);
      await expect(request).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION', delivery: 'unknown' });
      expect(await closeCodeFrom(peer)).toBe(1002);
      await recorder.closed;
    }),
  );

  it('survives text that is not JSON, and says so once for each power of ten', () =>
    withRequest(async (peer, { errors, transport }, request) => {
      const noise = Array.from({ length: 1000 }, () => frame('\u001b[31mnot json'));
      peer.socket.write(Buffer.concat(noise));
      peer.socket.write(jsonFrame({ jsonrpc: '2.0', id: 1, result: {} }));
      await request;
      expect(errors.map(({ message }) => message)).toEqual([
        'The peer sent a message that is not JSON: not json',
        'The peer sent a message that is not JSON: not json (10 times so far)',
        'The peer sent a message that is not JSON: not json (100 times so far)',
        'The peer sent a message that is not JSON: not json (1000 times so far)',
      ]);
      expect(transport.describe?.()).toMatchObject({ MESSAGE_INVALID: 1000 });
    }));
});

describe('the reason of a close frame', () => {
  it('is bounded and stripped of escapes wherever it shows', () =>
    withRequest(async (peer, { transport, closed }, request) => {
      const reason = '\u001b]8;;http://evil\u0007click\u001b[2J\u202etxt.exe\u0000'
        .padEnd(123, 'A')
        .slice(0, 110);
      peer.socket.end(closeFrame(1011, reason));
      const error = await failureOf(request);
      await closed;
      for (const { message, details } of [error, transport.closeReason ?? error]) {
        for (const text of [message, String(details['closeReason'])]) {
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
        expect(details).toMatchObject({ closeCode: 1011 });
      }
      expect(error).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown', retryable: true });
      expect(error.message).toContain('internal error');
    }));

  it('that is not UTF-8, or a code that must not be sent, violates the protocol', async () => {
    for (const bytes of [closeFrame(1000, Buffer.from([0xff, 0xfe])), closeFrame(1005), closeFrame(999)]) {
      await withRequest(async (peer, _, request) => {
        peer.socket.write(bytes);
        await expect(request).rejects.toMatchObject({ code: 'PROTOCOL_VIOLATION' });
      });
    }
  });

  it.each([
    [1000, 'CONNECTION_LOST', true],
    [1008, 'CONNECTION_LOST', false],
    [1009, 'MESSAGE_TOO_LARGE', false],
    [1012, 'CONNECTION_LOST', true],
    [3000, 'AUTH_REJECTED', false],
    [4999, 'CONNECTION_LOST', true],
  ])('a close with %i means %s', (code, expected, retryable) =>
    withRequest(async (peer, _, request) => {
      peer.socket.end(closeFrame(code, 'bye'));
      await expect(request).rejects.toMatchObject({
        code: expected,
        retryable,
        details: { closeCode: code, closeReason: 'bye' },
      });
    }),
  );
});

describe('when messages may arrive', () => {
  it('what comes in one segment with the handshake is delivered once, after start()', async () => {
    const hello = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'hello' } };
    await using raw = await startRawServer({ withAnswer: jsonFrame(hello) });
    const recorder = client(raw.url);
    await using transport = recorder.transport;
    const first = recorder.next();
    let delivered = false;
    void first.then(() => (delivered = true));
    await transport.start();
    expect(delivered).toBe(false);
    expect(await first).toEqual(hello);
    expect(recorder.messages).toHaveLength(1);
  });

  it('frames before the handshake do not answer it', async () => {
    await using raw = await startRawServer({
      answer: () => jsonFrame({ jsonrpc: '2.0', method: 'notifications/message' }).toString('latin1'),
    });
    const { transport, messages } = client(raw.url);
    expect(await failureOf(transport.start())).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    expect(messages).toEqual([]);
  });
});
