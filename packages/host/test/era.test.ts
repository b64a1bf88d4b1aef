import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TransportPlugin } from '@mcp-fittings/client-core';
import { stdio } from '@mcp-fittings/transport-stdio';
import { testHost } from './support/calculator.js';
import { memoryCache } from './support/caches.js';
import { testServers } from './support/in-process.js';
import { RpcFailure, scripted, SILENCE } from './support/scripted.js';

const script = join(import.meta.dirname, 'support/slow-server.mjs');
/** Much longer than {@link QUICK}: a server that needs it is still starting when silence is noticed. */
const SLOW_MS = 1800;
const QUICK = { probeTimeoutMs: 50 };

function startLog(): { path: string; starts: () => number } {
  const folder = mkdtempSync(join(tmpdir(), 'host-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'starts');
  return { path, starts: () => readFileSync(path, 'utf8').trim().split('\n').length };
}

const eras = ({ kept }: ReturnType<typeof memoryCache>) =>
  [...kept].filter(([key]) => key.startsWith('era:')).map(([, era]) => era);

describe('the probe for an era over stdio', () => {
  it.each([
    ['modern', '2026-07-28'],
    ['both', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ])(
    'a server that starts slowly and is of %s gets the right era, kept for the next run',
    async (era, version) => {
      const log = startLog();
      const cache = memoryCache();
      const host = testHost([stdio(QUICK)], { cache });
      const errors: unknown[] = [];
      host.on('error', ({ error }) => errors.push(error));
      const args = [script, era, String(SLOW_MS), log.path];
      const [snapshot] = await host.connect({ a: { command: process.execPath, args } });
      expect(snapshot?.state).toMatchObject({
        status: 'connected',
        connection: { protocolVersion: version },
      });
      expect(log.starts()).toBe(1);
      expect(errors).toEqual([]);
      await host.close();
      expect(eras(cache)).toMatchObject([{ kind: era === 'legacy' ? 'initialize' : 'stateless' }]);
    },
  );

  it('a running server that ignores the probe is of the older era, and that guess is not cached', async () => {
    const cache = memoryCache();
    const host = testHost([stdio(QUICK)], { cache });
    const errors: unknown[] = [];
    host.on('error', ({ error }) => errors.push(error));
    const [snapshot] = await host.connect({ a: { command: process.execPath, args: [script, 'mute', '0'] } });
    expect(snapshot?.state).toMatchObject({ connection: { protocolVersion: '2025-11-25' } });
    expect(errors).toEqual([]);
    await host.close();
    expect(eras(cache)).toEqual([]);
  });

  it('a late answer to the probe is not reported, and the guess is not cached', async () => {
    const late: (() => void)[] = [];
    const server = scripted({
      'server/discover': () =>
        new Promise((resolve) => late.push(() => resolve({ resultType: 'complete', supportedVersions: [] }))),
      async initialize({ protocolVersion }) {
        for (const answer of late) answer();
        await new Promise((resolve) => setImmediate(resolve));
        return { protocolVersion, capabilities: {}, serverInfo: { name: 'late', version: '1' } };
      },
    });
    const { plugin } = testServers(() => server);
    const asStdio: TransportPlugin = {
      ...plugin,
      create: (...given) => Object.assign(plugin.create(...given), { pid: 1, stderr: '' }),
    };
    const cache = memoryCache();
    const host = testHost([asStdio], { cache });
    const errors: unknown[] = [];
    host.on('error', ({ error }) => errors.push(error));
    const [snapshot] = await host.connect({ a: { type: 'test', connectTimeout: 300 } });
    expect(snapshot?.state.status).toBe('connected');
    expect(late).toHaveLength(1);
    expect(errors).toEqual([]);
    await host.close();
    expect(eras(cache)).toEqual([]);
  });

  it('a server of 2026-07-28 only that answers too late is probed again', async () => {
    const server = scripted({
      'server/discover': () => SILENCE,
      initialize: () => {
        throw new RpcFailure(-32_601, 'no initialize');
      },
    });
    const { plugin } = testServers(() => server);
    const asStdio: TransportPlugin = {
      ...plugin,
      create: (...given) => Object.assign(plugin.create(...given), { pid: 1, stderr: '' }),
    };
    await using host = testHost([asStdio]);
    const [snapshot] = await host.connect({ a: { type: 'test', connectTimeout: 200 } });
    expect(snapshot?.state).toMatchObject({ status: 'pending', error: { code: 'TIMEOUT', retryable: true } });
  });

  it('a server that fails is started once', async () => {
    const log = startLog();
    await using host = testHost([stdio()]);
    const args = [script, 'fails', '100', log.path];
    const [snapshot] = await host.connect({
      a: { command: process.execPath, args, reconnect: { maxAttempts: 0 } },
    });
    expect(snapshot?.state).toMatchObject({ status: 'failed', error: { code: 'PROCESS_EXITED' } });
    expect(snapshot?.lastError?.message.match(/boom/g)).toHaveLength(1);
    expect(log.starts()).toBe(1);
  });

  it('a server that exits because of the probe is started again', async () => {
    const log = startLog();
    await using host = testHost([stdio()]);
    const args = [script, 'dies', '100', log.path];
    const [snapshot] = await host.connect({
      a: { command: process.execPath, args, reconnect: { maxAttempts: 0 } },
    });
    expect(snapshot?.state).toMatchObject({ connection: { protocolVersion: '2025-11-25' } });
    expect(log.starts()).toBe(2);
  });
});
