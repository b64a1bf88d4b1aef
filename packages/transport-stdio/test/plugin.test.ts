import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import type { Logger, TransportDeps } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio, type StdioEntry, type StdioPluginOptions } from '@mcp-fittings/transport-stdio';
import { describe, expect, it } from 'vitest';
import { until } from './support/processes.js';
import { toy } from './support/toy-client.js';

const { command, args = [] } = toy();

interface Line {
  readonly message: string;
  readonly fields: unknown;
}

function recorder(): { logger: Logger; lines: Line[] } {
  const lines: Line[] = [];
  const ignore = (): void => undefined;
  const debug: Logger['debug'] = (message, fields) => void lines.push({ message, fields });
  return { lines, logger: { debug, info: ignore, warn: ignore, error: ignore } };
}

async function asked(
  method: string,
  params: Record<string, unknown>,
  setup: { options?: StdioPluginOptions; entry?: Partial<StdioEntry>; context?: Partial<TransportDeps> },
): Promise<unknown> {
  const plugin = stdio(setup.options);
  await using transport = plugin.create(
    { command, args, ...setup.entry },
    { server: 'toy', ...setup.context },
  );
  const answer = new Promise<unknown>((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method, params });
  return answer;
}

describe('the plugin', () => {
  it('handles the type stdio', () => {
    expect(stdio()).toMatchObject({ specVersion: 1, type: 'stdio' });
  });

  it('creates transports that work', async () => {
    const cwd = realpathSync(tmpdir());
    expect(await asked('cwd', {}, { entry: { cwd } })).toMatchObject({ result: { cwd } });
  });

  it('prefers the entry to the options of the plugin', async () => {
    process.env['STDIO_TEST_HOST'] = 'here';
    try {
      const env = async (options: StdioPluginOptions, entry: Partial<StdioEntry>): Promise<unknown> =>
        asked('env', {}, { options, entry });
      const seen = { result: { env: { STDIO_TEST_HOST: 'here' } } };
      expect(await env({ inheritEnv: 'all' }, {})).toMatchObject(seen);
      expect(await env({ inheritEnv: 'all' }, { inheritEnv: 'safe' })).not.toMatchObject(seen);
      expect(await env({}, {})).not.toMatchObject(seen);
    } finally {
      delete process.env['STDIO_TEST_HOST'];
    }
  });

  it('sends the lines of stderr to the logger of the host, without secrets', async () => {
    const { logger, lines } = recorder();
    const entry = { env: { KEY: 'canary-12345' } };
    await asked('stderr', { text: 'ready with canary-12345\n' }, { entry, context: { logger } });
    await until(() => lines.length === 1);
    expect(lines).toEqual([
      { message: 'ready with [redacted]', fields: { server: 'toy', stream: 'stderr' } },
    ]);
  });

  it('does not log stderr when the entry or the plugin disables it', async () => {
    const { logger, lines } = recorder();
    const own: string[] = [];
    await asked('stderr', { text: 'x\n' }, { entry: { stderr: 'ignore' }, context: { logger } });
    const options = { stderr: (line: string) => void own.push(line) };
    await asked('stderr', { text: 'y\n' }, { options, context: { logger } });
    await until(() => own.length === 1);
    expect(lines).toEqual([]);
  });

  it('uses the clock and the signal of the host', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const transport = stdio().create({ command, args }, { server: 'toy', clock, signal: abort.signal });
    await transport.start();
    const probe = transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover' });
    probe.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.nextIn).toBe(5000);
    abort.abort();
    await clock.advance(0);
    await transport.close();
  });

  it('contains no secret when it is inspected', async () => {
    const entry = { command, args: [...args, '--token=canary-1'], env: { KEY: 'canary-2' } };
    await using transport = stdio().create(entry, { server: 'toy' });
    await transport.start();
    const shown = inspect(transport, { depth: 9, showHidden: true }) + JSON.stringify(transport);
    expect(shown + JSON.stringify(transport.describe?.())).not.toContain('canary');
  });
});

describe('the schema of an entry', () => {
  const check = (entry: unknown): unknown => {
    const result = stdio().schema['~standard'].validate(entry);
    if (result instanceof Promise) throw new Error('the schema answers at once');
    return result.issues === undefined
      ? result.value
      : result.issues.map(({ path = [], message }) => `${path.map(String).join('.')} ${message}`);
  };

  it('passes on the declared fields, and nothing else', () => {
    const entry: StdioEntry = {
      command: 'npx',
      args: ['-y', 'x'],
      env: { A: '1' },
      cwd: '/tmp',
      inheritEnv: ['B'],
      framing: 'content-length',
      stderr: 'inherit',
      maxMessageBytes: 5,
      maxQueuedBytes: 5,
      probeTimeoutMs: 0,
    };
    expect(check({ ...entry, type: 'stdio', disabled: false, timeout: 5, signal: 'x' })).toEqual(entry);
  });

  it('names the invalid fields', () => {
    expect(check({})).toEqual(['command is missing']);
    expect(check('x')).toEqual([' must be an object']);
    expect(
      check({
        command: '',
        args: 'a',
        env: { A: 1 },
        stderr: 'pipe',
        inheritEnv: 5,
        framing: 'x',
        maxMessageBytes: 0,
      }),
    ).toEqual([
      'command must not be empty',
      'args must be a list, not string',
      'env "A" must be text, not number',
      'inheritEnv must be one of safe, all, or must be a list, not number',
      'framing must be one of newline, content-length',
      'stderr must be one of capture, inherit, ignore',
      expect.stringMatching(/^maxMessageBytes must be a whole number/),
    ]);
  });
});
