import { TransportError } from '@mcp-fittings/client-core';
import { describe, expect, it } from 'vitest';
import { isRunning, until, watchResources } from './support/processes.js';
import { startToy, toyClient } from './support/toy-client.js';

describe('a server that runs', () => {
  it('gets every argument byte for byte, because no shell reads them', async () => {
    const odd = [
      '$(touch x)',
      '`touch x`',
      'a&b',
      '%PATH%',
      '',
      ' ',
      '"\'\\',
      '*',
      '~',
      'a\nb',
      'ü😀',
      '--',
      '-x=;',
    ];
    await using client = await startToy({ flags: odd });
    expect(await client.result('argv')).toEqual({ argv: odd });
  });

  it('describes itself', async () => {
    await using client = await startToy();
    await client.result('stderr', { text: 'hello\n' });
    await until(() => client.transport.stderrTail !== '');
    expect(client.transport.describe()).toMatchObject({
      command: process.execPath,
      pid: client.transport.pid,
      exitCode: undefined,
      signal: undefined,
      ignoredLines: 0,
      stderr: 'hello',
    });
    expect(isRunning(client.transport.pid ?? 0)).toBe(true);
  });
});

describe('a server that ends', () => {
  it('fails pending requests at once and once, with the exit code and the last output', async () => {
    await using client = await startToy();
    const pending = client.ask('silent');
    const exit = client.ask('exit', { code: 3, words: 'first\n\u001b[31mfatal: no database\u001b[0m\n' });
    const expected = {
      code: 'PROCESS_EXITED',
      delivery: 'unknown',
      server: 'toy',
      details: {
        command: process.execPath,
        exitCode: 3,
        signal: undefined,
        stderr: 'first\nfatal: no database',
      },
    };
    await expect(pending).rejects.toMatchObject(expected);
    await expect(exit).rejects.toMatchObject(expected);
    const reason = await client.closed;
    expect(reason).toBeInstanceOf(TransportError);
    expect(reason?.message).toBe(
      `Server "toy": The process "${process.execPath}" exited with code 3. It wrote to stderr:\nfirst\nfatal: no database`,
    );
    expect(client.transport.describe()).toMatchObject({ exitCode: 3 });
    await client.transport.close();
    expect(client.closes).toHaveLength(1);
    await expect(client.ask('ping')).rejects.toMatchObject({ code: 'PROCESS_EXITED', delivery: 'not-sent' });
  });

  it('names the signal', async () => {
    await using client = await startToy();
    await expect(client.ask('signal', { signal: 'SIGKILL' })).rejects.toMatchObject({
      code: 'PROCESS_EXITED',
      message: expect.stringContaining('was terminated by the signal SIGKILL'),
      hint: expect.stringContaining('nothing to stderr'),
      details: { exitCode: undefined, signal: 'SIGKILL' },
    });
  });

  it('delivers everything it wrote before it exited', async () => {
    await using client = await startToy();
    const first = client.ask('silent');
    const last = { jsonrpc: '2.0', id: 1, result: { text: 'y'.repeat(3_000_000) } };
    await expect(client.ask('exit', { last })).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
    expect(await first).toEqual(last);
  });

  it('delivers what was still in the pipe when it exited', async () => {
    await using client = await startToy();
    const first = client.ask('silent');
    const last = { jsonrpc: '2.0', id: 1, result: {} };
    // So many lines that they are not all read in one go.
    const exit = client.ask('exit', { before: '\n'.repeat(90_000), last });
    // The request goes out, and then this process sees nothing until the server is gone.
    await new Promise((resolve) => setImmediate(resolve));
    const pid = client.transport.pid ?? 0;
    const deadline = performance.now() + 10_000;
    while (isRunning(pid) && performance.now() < deadline);
    expect(await first).toEqual(last);
    await expect(exit).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
  });

  it('that closes its stdout without exiting is ended', async () => {
    await using client = await startToy();
    const pid = client.transport.pid ?? 0;
    await expect(client.ask('close-stdout')).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('closed its stdout'),
    });
    await client.closed;
    expect(isRunning(pid)).toBe(false);
  });

  it('that exits while a child of it holds its pipes fails pending requests all the same', async () => {
    await using client = await startToy();
    const { pid } = await client.result('grandchild');
    await expect(client.ask('exit', { code: 5 })).rejects.toMatchObject({ details: { exitCode: 5 } });
    await client.closed;
    expect(isRunning(Number(pid))).toBe(false);
  });
});

describe('a transport', () => {
  it('leaves no handle behind', async () => {
    const surplus = watchResources();
    for (const end of ['close', 'exit', 'abort'] as const) {
      const abort = new AbortController();
      const client = await startToy({ signal: abort.signal });
      client.ask('silent').catch(() => undefined);
      if (end === 'exit') client.ask('exit').catch(() => undefined);
      else if (end === 'abort') abort.abort();
      await client.transport.close();
      await until(() => surplus().length === 0);
    }
    const missing = toyClient({ command: '/does/not/exist' });
    await expect(missing.transport.start()).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    await until(() => surplus().length === 0);
  });
});
