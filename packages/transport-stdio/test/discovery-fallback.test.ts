import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import type { JSONRPCObject, JSONRPCRequest } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lateServer } from '../../host/test/support/late-server.js';
import { DiscoveryFallback } from '../src/discovery-fallback.js';
import { isRunning, until } from './support/processes.js';
import { clientOf, startToy, toy, type ToyClient, type ToyOptions } from './support/toy-client.js';

const PROBE = 'server/discover';
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
};

/** A toy that writes down each of its starts. */
function counted(options: ToyOptions): { options: ToyOptions; pids: () => number[] } {
  const folder = mkdtempSync(join(tmpdir(), 'stdio-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'starts');
  return {
    options: { ...options, env: { START_LOG: log } },
    pids: () => readFileSync(log, 'utf8').trim().split('\n').map(Number),
  };
}

async function startCounted(options: ToyOptions): Promise<ToyClient & { pids: () => number[] }> {
  const { options: all, pids } = counted(options);
  return Object.assign(await startToy(all), { pids });
}

describe('C.3 a server that does not survive server/discover', () => {
  it('is started again silently when it is gone, and the client receives "method not found"', async () => {
    await using client = await startCounted({ flags: ['--discover-exit'] });
    const first = client.transport.pid;
    expect(await client.ask(PROBE)).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(await client.result('initialize', INITIALIZE)).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(client.pids()).toHaveLength(2);
    expect(client.pids()).toEqual([first, client.transport.pid]);
    expect(isRunning(first ?? 0)).toBe(false);
    expect(client.closes).toEqual([]);
    expect(client.errors).toEqual([]);
    expect(client.transport.closeReason).toBeUndefined();
    expect(client.transport.describe()).toMatchObject({ exitCode: undefined, pid: client.pids()[1] });
  });

  it('is started again only once: the second exit ends the connection, with its reason', async () => {
    await using client = await startCounted({ flags: ['--discover-exit-always'] });
    expect(await client.ask(PROBE)).toMatchObject({ error: { code: -32601 } });
    await expect(client.ask('initialize', INITIALIZE)).rejects.toMatchObject({
      code: 'PROCESS_EXITED',
      details: { exitCode: 4, stderr: 'no second chance' },
    });
    await client.closed;
    expect(client.pids()).toHaveLength(2);
    expect(client.closes).toHaveLength(1);
  });

  it('is started again also for a client that did not wait, and gets the handshake then', async () => {
    await using client = await startCounted({ flags: ['--discover-exit'] });
    const probe = client.ask(PROBE);
    const handshake = client.result('initialize', INITIALIZE);
    expect(await probe).toMatchObject({ error: { code: -32601 } });
    expect(await handshake).toMatchObject({ serverInfo: { name: 'toy' } });
    expect(client.pids()).toHaveLength(2);
  });

  it('is not started again when another request was sent first, or in addition', async () => {
    await using late = await startCounted({ flags: ['--discover-exit'] });
    await late.result('ping');
    await expect(late.ask(PROBE)).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
    expect(late.pids()).toHaveLength(1);
    await using besides = await startCounted({ flags: ['--discover-exit'] });
    const probe = besides.ask(PROBE);
    await expect(besides.ask('tools/list')).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
    await expect(probe).rejects.toMatchObject({ code: 'PROCESS_EXITED' });
    expect(besides.pids()).toHaveLength(1);
  });

  it('does not start a second process when the transport is closed meanwhile', async () => {
    const clock = createManualClock();
    // Its child survives it, holds its pipes and ignores SIGTERM, so that there is time between the two starts.
    const script = 'echo $$ >> "$START_LOG"; trap "" TERM; sleep 60 & read line; exit 1';
    await using client = await startCounted({ command: 'sh', args: ['-c', script], clock });
    const probe = client.ask(PROBE);
    await until(() => clock.nextIn === 250);
    await clock.advance(250);
    await until(() => clock.nextIn === 25);
    let gone = false;
    void client.transport.close().then(() => (gone = true));
    await expect(probe).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    while (!gone) await clock.advance(25);
    expect(client.pids()).toHaveLength(1);
    expect(client.closes).toEqual([undefined]);
  });
});

describe('C.3 a server that stays silent on server/discover', () => {
  it('counts as not supporting it after a while, and continues in the same process', async () => {
    await using client = await startCounted({ flags: ['--discover-silent'], probeTimeoutMs: 50 });
    expect(await client.ask(PROBE)).toMatchObject({ error: { code: -32601 } });
    expect(await client.result('initialize', INITIALIZE)).toMatchObject({ serverInfo: { name: 'toy' } });
    expect(client.pids()).toHaveLength(1);
  });

  it.each([[[]], [['--text-ids']]])('is ignored when it answers late after all %j', async (more) => {
    await using client = await startToy({ flags: ['--discover-late', ...more], probeTimeoutMs: 20 });
    expect(await client.ask(PROBE)).toMatchObject({ error: { code: -32601 } });
    expect(await client.result('initialize', INITIALIZE)).toMatchObject({ serverInfo: { name: 'toy' } });
    expect(await client.result('release')).toEqual({});
    expect(client.messages).toHaveLength(3);
    expect(client.errors).toEqual([]);
  });

  it.each([
    ['5 seconds', {}, 5000],
    ['never, with probeTimeoutMs: 0', { probeTimeoutMs: 0 }, undefined],
  ])('a while is %s', async (_, options, expected) => {
    const clock = createManualClock();
    await using client = await startToy({ flags: ['--discover-silent'], clock, ...options });
    const probe = client.ask(PROBE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.nextIn).toBe(expected);
    client.transport.close().catch(() => undefined);
    await expect(probe).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
    await clock.advance(10_000);
  });
});

describe('the answer that is made up', () => {
  const silent = { id: 1, error: { code: -32601, data: { reason: 'silent' } } };

  /** A fallback after 100 ms to which the probe has been sent, and what it said. */
  function probed(params?: JSONRPCObject) {
    const clock = createManualClock();
    const pings: JSONRPCRequest[] = [];
    const silences: unknown[] = [];
    const fallback = new DiscoveryFallback({
      clock,
      timeoutMs: 100,
      onSilence: (answer) => void silences.push(answer),
      ping: (ping) => void pings.push(ping),
    });
    fallback.sent({ jsonrpc: '2.0', id: 1, method: PROBE, ...(params && { params }) });
    return { clock, fallback, pings, silences };
  }

  it('does not come later for a client that has stopped waiting', () => {
    const { clock, fallback } = probed();
    expect(clock.pending).toBe(1);
    fallback.sent({ jsonrpc: '2.0', id: 2, method: 'initialize' });
    expect(clock.pending).toBe(0);
    expect(fallback.take({ leftUnread: false })).toMatchObject({ answers: [{ id: 1 }], replay: [{ id: 2 }] });
  });

  it('is not needed once the server has answered anything', () => {
    const { clock, fallback } = probed();
    fallback.received({ jsonrpc: '2.0', method: 'notifications/message' });
    expect(clock.pending).toBe(1);
    fallback.received({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'x' } });
    expect(clock.pending).toBe(0);
    expect(fallback.take({ leftUnread: false })).toBeUndefined();
  });

  it('comes only if the silent server answers something else', async () => {
    const { clock, fallback, pings, silences } = probed();
    await clock.advance(100);
    expect(pings).toMatchObject([{ method: 'ping' }]);
    await clock.advance(60_000);
    expect(silences).toEqual([]);
    expect(fallback.received({ jsonrpc: '2.0', id: pings[0]?.id ?? 0, result: {} })).toBe(true);
    await clock.advance(100);
    expect(silences).toMatchObject([silent]);
    expect(fallback.received({ jsonrpc: '2.0', id: 1, result: {} })).toBe(true);
  });

  it('does not replace that of a server that starts late, whose answer to the ping is ignored', async () => {
    const { clock, fallback, pings, silences } = probed();
    await clock.advance(10_000);
    expect(fallback.received({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
    const late = { jsonrpc: '2.0', id: pings[0]?.id, error: { code: -32601, message: 'no ping' } };
    expect(fallback.received(late)).toBe(true);
    await clock.advance(10_000);
    expect(silences).toEqual([]);
  });

  it('does not come for a server that refuses the revision of the ping: it knows the discovery', async () => {
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': {} };
    const revision = 'io.modelcontextprotocol/protocolVersion';
    const { clock, fallback, pings, silences } = probed({
      _meta: { [revision]: '2026-07-28', ...capabilities },
    });
    await clock.advance(100);
    expect(pings[0]?.params?._meta).toEqual({
      [revision]: expect.not.stringContaining('2026-07-28'),
      ...capabilities,
    });
    const error = { code: -32_022, message: 'no such revision' };
    expect(fallback.received({ jsonrpc: '2.0', id: pings[0]?.id, error })).toBe(true);
    await clock.advance(60_000);
    expect(silences).toEqual([]);
    expect(fallback.received({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
  });
});

describe('a server that exits during the era negotiation', () => {
  it.each([
    ['without having read the request', 'sleep 0.1; echo "no license" >&2; exit 9', 1],
    ['before it starts to read', 'exit 9', 1],
    ['behind a launcher, without having read it', 'sh -c "sleep 0.1; exit 9"; exit 9', 1],
    ['after it has read it', 'read line; exit 9', 2],
    ['behind a launcher, after it has read it', 'sh -c "read line; exit 9"; exit 9', 2],
  ])('%s: starts', async (_case, script, starts) => {
    await using client = await startCounted({
      command: 'sh',
      args: ['-c', `echo $$ >> "$START_LOG"; ${script}`],
    });
    await client.ask(PROBE).catch(() => undefined);
    if (starts === 1) await client.closed;
    else await until(() => client.pids().length === starts);
    expect(client.pids()).toHaveLength(starts);
  });
});

describe('C.3 SDK v2 with automatic negotiation', () => {
  const connect = async (options: ToyOptions, probe?: { timeoutMs: number }) => {
    const { options: all, pids } = counted(options);
    const transport = createStdioTransport(toy(all));
    const { closes, errors } = clientOf(transport);
    const client = new Client(
      { name: 'c', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto', ...(probe && { probe }) } },
    );
    onTestFinished(() => client.close());
    await client.connect(transport);
    return { client, transport, pids, closes, errors };
  };

  it('negotiates the modern era with a server that supports it', async () => {
    const { client, pids } = await connect({ flags: ['--discover'] });
    expect(client.getProtocolEra()).toBe('modern');
    expect(await client.listTools()).toMatchObject({ tools: [] });
    expect(pids()).toHaveLength(1);
  });

  it('negotiates the modern era with an official server of both eras that starts after 6 s', async () => {
    const clock = createManualClock();
    const server = await lateServer('both');
    const connecting = connect({ ...server.entry, clock });
    await server.begin(clock, 6);
    const { client } = await connecting;
    expect(client.getProtocolEra()).toBe('modern');
    expect(await client.listTools()).toMatchObject({ tools: [{ name: 'greet' }] });
  });

  it.each([
    ['answers that there is no such method', [], 1],
    ['exits', ['--discover-exit'], 2],
    ['stays silent', ['--discover-silent'], 1],
  ])('negotiates the legacy era when the server %s, with one visible start', async (name, flags, starts) => {
    const { client, transport, pids, closes, errors } = await connect({
      flags,
      ...(name === 'stays silent' && { probeTimeoutMs: 100 }),
    });
    expect(client.getProtocolEra()).toBe('legacy');
    expect(await client.listTools()).toMatchObject({ tools: [] });
    expect(pids()).toHaveLength(starts);
    expect(pids().at(-1)).toBe(transport.pid);
    expect({ closes, errors }).toEqual({ closes: [], errors: [] });
  });

  it('treats our transport as a stdio one, so that silence means legacy by its own time-out too', async () => {
    const { client, pids } = await connect(
      { flags: ['--discover-silent'], probeTimeoutMs: 0 },
      { timeoutMs: 100 },
    );
    expect(client.getProtocolEra()).toBe('legacy');
    expect(pids()).toHaveLength(1);
  });
});
