import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StdioServerParameters as ParametersV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StdioServerParameters as ParametersV2 } from '@modelcontextprotocol/client/stdio';
import { createStdioTransport, type StdioTransportOptions } from '@mcp-fittings/transport-stdio';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { StderrStream } from '../src/process/stderr-stream.js';
import { startToy, toy, toyClient } from './support/toy-client.js';
import { until } from './support/processes.js';

const SECRET = 'canary-0123456789';
const MIB = 1024 * 1024;

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'stderr-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('options of the official SDKs', () => {
  it('are options of this transport, according to their types', () => {
    expectTypeOf<ParametersV1>().toExtend<StdioTransportOptions>();
    expectTypeOf<ParametersV2>().toExtend<StdioTransportOptions>();
    expectTypeOf(createStdioTransport(toy()).pid).toEqualTypeOf<StdioClientTransport['pid']>();
    expectTypeOf(createStdioTransport(toy()).stderr).toExtend<StdioClientTransport['stderr']>();
  });

  it('give the same stream and process id as the SDK transport, from before start() to the end', async () => {
    const { command, args } = toy();
    const parameters: ParametersV1 = { command, args: [...(args ?? [])], stderr: 'pipe' };
    const seen = async (transport: StdioClientTransport | ReturnType<typeof createStdioTransport>) => {
      const { stderr } = transport;
      if (!(stderr instanceof Readable)) throw new Error('There is no stream.');
      const read = text(stderr);
      const before = transport.pid;
      await transport.start();
      const during = typeof transport.pid;
      await transport.send({
        jsonrpc: '2.0',
        id: 1,
        method: 'stderr',
        params: { text: 'ü, line\n\u001b[1m' },
      });
      await transport.close();
      return { before, during, after: transport.pid, same: transport.stderr === stderr, read: await read };
    };
    const theirs = await seen(new StdioClientTransport(parameters));
    expect(await seen(createStdioTransport(parameters))).toEqual(theirs);
    expect(theirs).toEqual({
      before: null,
      during: 'number',
      after: null,
      same: true,
      read: 'ü, line\n\u001b[1m',
    });
  });

  it('limit a message by `maxBufferSize`, and `maxMessageBytes` takes precedence', async () => {
    await using small = await startToy({ maxBufferSize: 1000 });
    await expect(small.ask('echo', { text: 'x'.repeat(2000) })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
    });
    await using large = await startToy({ maxBufferSize: 1000, maxMessageBytes: 100_000 });
    expect(await large.result('echo', { text: 'x'.repeat(2000) })).toHaveProperty('text');
  });
});

describe.each(['pipe', 'overlapped'] as const)('stderr: %s', (stderr) => {
  it('gives the raw bytes, and a tail without secrets that errors quote', async () => {
    await using client = toyClient({ stderr, env: { KEY: SECRET } });
    const read = text(client.transport.stderr ?? Readable.from([]));
    await client.transport.start();
    await client.result('stderr', { text: `key ${SECRET}\n` });
    await expect(client.ask('exit', { code: 3, words: 'fatal: no database\n' })).rejects.toMatchObject({
      code: 'PROCESS_EXITED',
      message: expect.stringContaining('fatal: no database'),
    });
    expect(client.transport.stderrTail).toBe('key [redacted]\nfatal: no database');
    expect(await read).toBe(`key ${SECRET}\nfatal: no database\n`);
  });
});

describe('stderr: pipe', () => {
  it('does not block a server that is not read: 100 MB, a reply, and the newest MiB for a late reader', async () => {
    await using client = await startToy({ stderr: 'pipe' });
    await client.ask('stderr', { text: `${'x'.repeat(999)}\n`.repeat(1000), times: 100 });
    await client.ask('stderr', { text: 'the last line\n' });
    expect(await client.result('echo', { after: 'flood' })).toEqual({ after: 'flood' });
    await until(() => client.transport.stderrTail.endsWith('the last line'));
    await client.transport.close();
    const late = await text(client.transport.stderr ?? Readable.from([]));
    const dropped = Number(/^\n\[(\d+) bytes of stderr were dropped/.exec(late)?.[1]);
    expect(late.length).toBeLessThan(MIB + 200);
    expect(dropped + late.slice(late.indexOf(']\n') + 2).length).toBe(100_000_014);
    expect(late).toMatch(/x\nthe last line\n$/);
  });

  it('continues as one stream when the server is started again', async () => {
    const code = `require('node:fs').writeSync(2, 'started\\n');
      process.stdin.once('data', () => process.exit(1));`;
    await using client = toyClient({ stderr: 'pipe', args: ['-e', code] });
    const read = text(client.transport.stderr ?? Readable.from([]));
    await client.transport.start();
    expect(await client.ask('server/discover')).toHaveProperty('error.code', -32601);
    await until(() => client.transport.stderrTail === 'started\nstarted');
    await client.transport.close();
    expect(await read).toBe('started\nstarted\n');
  });

  it('reports a listener that throws, and continues', async () => {
    await using client = await startToy({ stderr: 'pipe' });
    const read: string[] = [];
    client.transport.stderr?.on('data', (chunk: Buffer) => {
      read.push(chunk.toString());
      if (read.length === 1) throw new Error('on purpose');
    });
    await until(() => client.transport.stderr?.readableFlowing === true);
    await client.result('stderr', { text: 'one\n' });
    await until(() => read.length === 1);
    await client.result('stderr', { text: 'two\n' });
    await until(() => read.length === 2);
    expect(client.errors).toMatchObject([{ code: 'CALLBACK_FAILED' }]);
  });

  it('ends if the transport is closed before start(), or the command is missing', async () => {
    const unstarted = toyClient({ stderr: 'pipe' });
    await unstarted.transport.close();
    expect(await text(unstarted.transport.stderr ?? Readable.from(['none']))).toBe('');
    const missing = toyClient({ stderr: 'pipe', command: '/does/not/exist' });
    await expect(missing.transport.start()).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    expect(await text(missing.transport.stderr ?? Readable.from(['none']))).toBe('');
  });
});

describe('a stream that is not read', () => {
  it('keeps a bounded number of chunks, too', async () => {
    const stream = new StderrStream();
    for (let count = 0; count < 100_000; count++) stream.append(Buffer.from('y'));
    stream.end();
    const read = await text(stream.readable);
    const kept = /\]\n(y+)$/.exec(read)?.[1]?.length ?? 0;
    expect(kept).toBeGreaterThan(1000);
    expect(kept).toBeLessThan(10_000);
    expect(read).toContain(`[${String(100_000 - kept)} bytes`);
  });

  it('delivers the kept output, then the rest in order, to a reader that comes late and pauses', async () => {
    const stream = new StderrStream();
    const numbers = Array.from({ length: 3000 }, (_, index) => `${String(index)}\n`);
    for (const line of numbers.slice(0, 1000)) stream.append(Buffer.from(line));
    const read: string[] = [];
    const finished = once(stream.readable, 'end');
    stream.readable.setEncoding('utf8').on('data', (chunk: string) => {
      read.push(chunk);
      stream.readable.pause();
      setImmediate(() => stream.readable.resume());
    });
    for (const line of numbers.slice(1000)) stream.append(Buffer.from(line));
    stream.end();
    await finished;
    expect(read.join('')).toBe(numbers.join(''));
  });

  it('keeps nothing once it is destroyed', () => {
    const stream = new StderrStream();
    stream.append(Buffer.from('a'));
    stream.readable.destroy();
    stream.append(Buffer.from('b'));
    stream.end();
    expect(stream.readable.read()).toBeNull();
  });
});

describe('stderr: where the server writes to it directly', () => {
  const write = async (stderr: StdioTransportOptions['stderr']): Promise<string> => {
    await using client = await startToy({ stderr });
    expect(client.transport.stderr).toBeNull();
    await client.ask('stderr', { text: 'to the file\n' });
    return client.transport.stderrTail;
  };

  it('can be a file descriptor, and then there is no tail', async () => {
    const file = join(folder, 'descriptor');
    const descriptor = openSync(file, 'w');
    expect(await write(descriptor)).toBe('');
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe('to the file\n');
  });

  it('can be a stream that has a descriptor', async () => {
    const { createWriteStream } = await import('node:fs');
    const file = join(folder, 'stream');
    const stream = createWriteStream(file);
    await once(stream, 'open');
    expect(await write(stream)).toBe('');
    stream.destroy();
    expect(readFileSync(file, 'utf8')).toBe('to the file\n');
  });

  it.each<[string, unknown, RegExp]>([
    ['a stream without a descriptor', new PassThrough(), /stream with one/],
    ['a descriptor that is not open', 987_654, /open until/],
    ['a negative number', -1, /file descriptor/],
    ['a word of another meaning', 'pipes', /'pipe'/],
    ['a boolean', false, /'pipe'/],
  ])('cannot be %s: CONFIG_INVALID with a hint', async (_, stderr, hint) => {
    const options = { ...toy(), stderr };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a program without types does
    const transport = createStdioTransport(options as StdioTransportOptions);
    await expect(transport.start()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringMatching(hint),
    });
  });

  it.each(['capture', 'inherit', 'ignore', () => undefined] as const)('gives no stream: %s', (stderr) => {
    expect(createStdioTransport(toy({ stderr })).stderr).toBeNull();
  });
});
