import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createRedactor } from '@mcp-fittings/toolbox/text';
import { describe, expect, it } from 'vitest';
import { createStderrTail } from '../src/process/stderr-tail.js';
import { startToy, toyClient } from './support/toy-client.js';
import { until } from './support/processes.js';

const SECRET = 'canary-0123456789';

function tail(chunks: readonly (string | Uint8Array)[], secrets: readonly string[] = []) {
  const lines: string[] = [];
  const stderr = createStderrTail({
    redact: createRedactor(secrets),
    onLine: (line) => void lines.push(line()),
  });
  for (const chunk of chunks) stderr.append(Buffer.from(chunk));
  stderr.end();
  return { lines, last: stderr.lastLines(5, 100) };
}

describe('the last lines of stderr', () => {
  it('are as many whole lines as fit, without terminal control sequences', () => {
    const numbered = Array.from({ length: 30 }, (_, index) => `line ${index}\u001b[1m\u202e`).join('\n');
    expect(tail([numbered]).last).toBe('line 25\nline 26\nline 27\nline 28\nline 29');
    expect(tail(['a'.repeat(60), '\n', 'b'.repeat(60), '\r\n\n']).last).toBe('b'.repeat(60));
    expect(tail(['x'.repeat(500)]).last).toBe(`${'x'.repeat(99)}…`);
    expect(tail([]).last).toBe('');
  });

  it('keep split code points, and survive invalid UTF-8', () => {
    const bytes = Buffer.from('ü😀');
    expect(tail([...bytes].map((byte) => Uint8Array.of(byte))).last).toBe('ü😀');
    expect(tail([Uint8Array.of(0xff, 0x41)]).last).toBe('\ufffdA');
  });

  it('treat a carriage return as a line end, as progress bars do', () => {
    expect(tail(['10%\r20%\rdone\n']).lines).toEqual(['10%', '20%', 'done']);
  });

  it('contain no secret, and no part of one where text was cut', () => {
    const { last, lines } = tail(
      [`a ${SECRET} b\nc ${SECRET.slice(0, 5)}`, `${SECRET.slice(5)}\n`],
      [SECRET],
    );
    expect(last).toBe('a [redacted] b\nc [redacted]');
    expect(lines).toEqual(['a [redacted] b', 'c [redacted]']);
    // 65 536 characters are kept: the cut goes through a secret, whose end must not show.
    const filler = 'f'.repeat(65_536 - 6);
    expect(createKept(`${SECRET}${filler}`)).not.toContain('56789');
    expect(tail([`${'l'.repeat(4090)}${SECRET}\n`], [SECRET]).lines[0]).not.toContain('canary');
  });

  it('keep a part of a long line, and find the next line', () => {
    const { lines } = tail(['l'.repeat(5000), 'l'.repeat(5000), '\nnext\n']);
    expect(lines).toEqual(['l'.repeat(4096), 'next']);
  });

  function createKept(text: string): string {
    const stderr = createStderrTail({ redact: createRedactor([SECRET]) });
    stderr.append(Buffer.from(text));
    return stderr.lastLines(10, 100_000);
  }
});

describe('stderr of a real server', () => {
  it('before the first message does not delay the start', async () => {
    await using client = await startToy({ flags: ['--stderr-first'] });
    expect(await client.result('ping')).toEqual({});
  });

  it('goes line by line to a function, and one that throws is reported', async () => {
    const lines: string[] = [];
    const stderr = (line: string): void => {
      lines.push(line);
      if (line === 'bad') throw new Error('on purpose');
    };
    await using client = await startToy({ stderr, env: { KEY: SECRET } });
    await client.result('stderr', { text: `one\nbad\n\u001b[31m${SECRET}\u001b[0m\n` });
    await until(() => lines.length === 3);
    expect(lines).toEqual(['one', 'bad', '[redacted]']);
    expect(client.errors).toMatchObject([{ code: 'CALLBACK_FAILED' }]);
    expect(client.transport.stderrTail).toBe('one\nbad\n[redacted]');
  });

  it('can be ignored', async () => {
    await using client = toyClient({ stderr: 'ignore' });
    await client.transport.start();
    await expect(client.ask('exit', { code: 2, words: 'unheard' })).rejects.toMatchObject({
      details: { exitCode: 2, stderr: '' },
    });
  });

  it('can be inherited from this process', async () => {
    // Asked of a process of its own, whose stderr can be looked at.
    const host = fileURLToPath(new URL('support/inheriting-host.mjs', import.meta.url));
    const { stderr, status } = spawnSync(process.execPath, [host], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: 'from the server\n', status: 0 });
  });
});
