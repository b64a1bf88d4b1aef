import { describe, expect, it } from 'vitest';
import { isRunning, until } from './support/processes.js';
import { startToy, toyClient } from './support/toy-client.js';

const MB = 1_000_000;

const raw = (...texts: readonly (string | Uint8Array)[]): { chunks: string[] } => ({
  chunks: texts.map((text) => Buffer.from(text).toString('base64')),
});

describe('what a server writes besides messages', () => {
  it('is ignored, counted, and reported once, sanitized and without secrets', async () => {
    await using client = await startToy({ env: { KEY: 'canary-123456' } });
    const noise = '\u001b[31mServer started with canary-123456\u001b[0m\n[WARN] x\n\n{oops\n';
    expect(await client.result('raw', raw(noise))).toEqual({});
    expect(client.errors).toHaveLength(1);
    expect(client.errors[0]).toMatchObject({
      code: 'MESSAGE_INVALID',
      message:
        'The server wrote a line to stdout that is not a JSON-RPC message: "Server started with [redacted]"',
    });
    expect(client.transport.describe()).toMatchObject({ ignoredLines: 4 });
  });

  it('is in no error of a request: values of the environment, in any field', async () => {
    const secret = 'canary-123456';
    await using client = await startToy({ env: { PLAIN: secret } });
    const data = { echo: [secret.toUpperCase()], [secret]: `x ${secret}` };
    const error = { code: 1, message: `no ${secret}`, data };
    const answer = await client.ask('raw', raw(`${JSON.stringify({ jsonrpc: '2.0', id: 1, error })}\n`));
    expect(answer).toMatchObject({
      error: { message: 'no [redacted]', data: { echo: ['[redacted]'], '[redacted]': 'x [redacted]' } },
    });
  });

  it.each([
    ['a line before the first message is in the error', '', /: "usage: server \[options\]"$/],
    [
      'a line after the first message is not in the error',
      '{"jsonrpc":"2.0","method":"x"}\n',
      /exited with code 0\.$/,
    ],
    ['a line is not in the error if stderr says why', '', /It wrote to stderr:\nno license$/, 'no license'],
  ])('when the server exits, %s', async (_what, first, expected, stderr = '') => {
    const script = 'read line; printf "$1"; echo "usage: server [options]"; echo "$2" >&2; exit 0';
    await using client = toyClient({ command: 'sh', args: ['-c', script, 'sh', first, stderr] });
    await client.transport.start();
    void client.ask('initialize');
    expect((await client.closed)?.message).toMatch(expected);
  });

  it.each([
    ['blank lines', '\n', 1_000_000],
    ['log lines', 'log\n', 1_000_000],
    ['values that are no message', '{"a":1}\n', 1_000_000],
    ['lines that have to be parsed to see that they are nothing', '{"a}\n', 100_000],
  ])('%s by the million leave the event loop responsive and the reports few', async (_, text, times) => {
    await using client = await startToy();
    let turns = 0;
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      turns++;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await client.result('flood', { text, times });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
    // Handed on all in one go it would be all of the time; a busy machine may be slow.
    expect(longest).toBeLessThan(5000);
    expect(client.errors).toHaveLength(Math.log10(times) + 1);
    expect(client.errors.at(-1)?.message).toContain(`${times} times so far`);
    expect(client.transport.describe()).toMatchObject({ ignoredLines: times });
  });

  it('200 MB without a line end ends the server, with a typed error and in bounded memory', async () => {
    await using client = await startToy({ maxMessageBytes: 10 * MB, shutdown: { afterSigtermMs: 100 } });
    const pid = client.transport.pid ?? 0;
    const before = process.memoryUsage().rss;
    let most = before;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    await expect(client.ask('flood', { text: 'x'.repeat(1000), times: 200_000 })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      server: 'toy',
    });
    clearInterval(timer);
    const details = { command: process.execPath };
    expect(await client.closed).toMatchObject({ code: 'MESSAGE_TOO_LARGE', details });
    expect(isRunning(pid)).toBe(false);
    expect(most - before).toBeLessThan(150 * MB);
  });

  it('an endless message does so too', async () => {
    await using client = await startToy({ maxMessageBytes: MB });
    const pending = client.ask('silent');
    const endless = client.ask('raw', raw('{"jsonrpc":"2.0","id":1,"result":{"text":"', 'x'.repeat(5 * MB)));
    await expect(pending).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE', delivery: 'unknown' });
    await expect(endless).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
    expect(await client.closed).toMatchObject({
      message: expect.stringContaining('without a line end'),
    });
  });
});

describe('a rejected message', () => {
  it('too large: only its request fails, and the connection stays open', async () => {
    await using client = await startToy({ maxMessageBytes: MB });
    const other = client.ask('silent');
    await expect(client.ask('blob', { length: MB + 1 })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
      delivery: 'unknown',
      hint: expect.stringContaining('maxMessageBytes'),
    });
    expect(await client.result('blob', { length: MB - 100 })).toEqual({ text: 'x'.repeat(MB - 100) });
    expect(client.errors).toEqual([]);
    await client.transport.close();
    await expect(other).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
  });

  it('too large, with its id at the end: the same', async () => {
    await using client = await startToy({ maxMessageBytes: MB });
    const pending = client.ask('silent');
    const line = `{"result":{"text":"${'x'.repeat(MB)}"},"jsonrpc":"2.0","id":1}\n`;
    await client.result('raw', raw(line));
    await expect(pending).rejects.toMatchObject({ code: 'MESSAGE_TOO_LARGE' });
  });

  it.each([
    ['not JSON', Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}\n')],
    ['not UTF-8', Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"x":"\xff"}}\n', 'latin1')],
  ])('%s: its request fails at once', async (_, bytes) => {
    await using client = await startToy();
    const pending = client.ask('silent');
    expect(await client.result('raw', raw(bytes))).toEqual({});
    await expect(pending).rejects.toMatchObject({ code: 'MESSAGE_INVALID', delivery: 'unknown' });
    expect(client.errors).toEqual([]);
  });

  it('that answers no request is reported', async () => {
    await using client = await startToy({ maxMessageBytes: MB });
    const request = `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"x":"${'x'.repeat(MB)}"}}\n`;
    const pending = client.ask('silent');
    await client.result('raw', raw(request, '{"jsonrpc":"2.0","id":77,"result":{"x":NaN}}\n'));
    expect(client.errors).toMatchObject([{ code: 'MESSAGE_TOO_LARGE' }, { code: 'MESSAGE_INVALID' }]);
    await client.transport.close();
    await expect(pending).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
  });
});

describe('unusual messages', () => {
  it('lone surrogates pass in both directions', async () => {
    await using client = await startToy();
    expect(await client.result('echo', { text: 'a\ud800b', '\udfff': 1 })).toEqual({
      text: 'a\ud800b',
      '\udfff': 1,
    });
  });

  it('a prototype in a message changes nothing', async () => {
    await using client = await startToy();
    await client.result('raw', raw('{"jsonrpc":"2.0","method":"x","params":{"__proto__":{"polluted":1}}}\n'));
    await until(() => client.messages.length === 2);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
