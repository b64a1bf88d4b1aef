import { describe, expect, it } from 'vitest';
import { createEntryTransport } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { testHost } from './support/calculator.js';

/** Answers `initialize` with a revision that does not exist. */
const OLD = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const serverInfo = { name: 'old', version: '1' };
    const answer = method === 'initialize'
      ? { result: { protocolVersion: '1999-12-31', capabilities: {}, serverInfo } }
      : { error: { code: -32601, message: 'unknown' } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  })`;

describe('a server of an unknown revision', () => {
  it('fails with VERSION_UNSUPPORTED, which names the revision', async () => {
    await using host = testHost([stdio()]);
    const [snapshot] = await host.connect({ old: { command: process.execPath, args: ['-e', OLD] } });
    expect(snapshot?.state).toMatchObject({
      status: 'failed',
      error: {
        code: 'VERSION_UNSUPPORTED',
        retryable: false,
        message: expect.stringContaining('1999-12-31'),
      },
    });
  });
});

describe('createEntryTransport', () => {
  const transports = [stdio(), http({ fallback: stdio() })];

  it('creates the transport that a host would use, and its fallback', async () => {
    const local = await createEntryTransport({ command: 'x' }, { server: 'a', transports });
    expect(local.type).toBe('stdio');
    expect(local.fallback).toBeUndefined();
    const remote = await createEntryTransport({ url: 'http://127.0.0.1:1/' }, { server: 'a', transports });
    expect(remote.type).toBe('http');
    await expect(remote.fallback?.()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await local.transport.close();
    await remote.transport.close();
  });

  it('rejects with the error that a host would report', async () => {
    const context = { server: 'a', transports };
    await expect(createEntryTransport({ type: 'pigeon' }, context)).rejects.toMatchObject({
      code: 'TRANSPORT_UNKNOWN',
    });
    await expect(createEntryTransport({ command: 'x', args: 1 }, context)).rejects.toThrow('"args"');
  });
});
