import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import { serveLines } from '@mcp-fittings/toolbox/framing';
import { describe, expect, it } from 'vitest';

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'ping' });

function start(signal?: AbortSignal) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const messages: JSONRPCMessage[] = [];
  const warnings: unknown[] = [];
  const served = serveLines(input, output, {
    maxBytes: 200,
    onMessage: (message) => messages.push(message),
    signal,
    logger: { warn: (_, fields) => warnings.push(fields) },
  });
  return { input, output, messages, warnings, served };
}

describe('the lines of a client', () => {
  it('are messages, or batches of them, and come as bytes or as text', async () => {
    const { input, messages, warnings, served } = start();
    input.write(`${JSON.stringify(ping(1))}\n\n${JSON.stringify([ping(2), ping(3)])}\n`);
    input.setEncoding('utf8');
    input.end(`${JSON.stringify(ping(4))}\n`);
    await served;
    expect(messages).toEqual([1, 2, 3, 4].map(ping));
    expect(warnings).toEqual([]);
  });

  it('are skipped if they are anything else, with a warning', async () => {
    const { input, messages, warnings, served } = start();
    const long = JSON.stringify({ ...ping(1), params: { text: 'x'.repeat(200) } });
    const odd = ['no JSON', '{}', '[]', '[1]', JSON.stringify([ping(1), {}]), '"\xff"'];
    input.write(Buffer.from(`${odd.join('\n')}\n${JSON.stringify(ping(2))}\n`, 'latin1'));
    input.write(`${long}\n`);
    // The client that has sent too much waits for no answer.
    await served;
    input.write(`${JSON.stringify(ping(3))}\n`);
    expect(messages).toEqual([ping(1), ping(2)]);
    expect(warnings).toEqual(
      ['text', 'text', 'text', 'text', 'text', 'not-utf8', 'oversized'].map((kind) => ({ kind })),
    );
  });

  it('are read until the input or the output ends, in whatever way', async () => {
    const ways: readonly ((streams: { input: PassThrough; output: PassThrough }) => unknown)[] = [
      ({ input }) => input.end(),
      ({ input }) => input.destroy(),
      ({ input }) => input.destroy(new Error('gone')),
      ({ output }) => output.destroy(),
      ({ output }) => output.destroy(new Error('EPIPE')),
    ];
    for (const end of ways) {
      const streams = start();
      end(streams);
      await streams.served;
    }
    const over = new PassThrough();
    over.destroy();
    await serveLines(over, new PassThrough(), { maxBytes: 1, onMessage: () => undefined });
  });

  it('are left to others when the signal is aborted', async () => {
    const stop = new AbortController();
    const { input, output, messages, served } = start(stop.signal);
    stop.abort();
    await served;
    input.write(`${JSON.stringify(ping(1))}\n`);
    expect(messages).toEqual([]);
    expect(input.isPaused()).toBe(true);
    expect(['data', 'end', 'close', 'error'].map((event) => input.listenerCount(event))).toEqual([
      0, 0, 0, 0,
    ]);
    // An error of what is written now is handled.
    output.destroy(new Error('EPIPE'));
    await start(AbortSignal.abort()).served;
  });
});
