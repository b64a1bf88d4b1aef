import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host, HostEvents } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { everythingServer } from '../../../scripts/everything-server.js';
import { testHost } from './support/calculator.js';
import { reaches } from './support/recorder.js';

const toy = join(import.meta.dirname, 'support/toy-server.mjs');

const entry = {
  toy: { command: process.execPath, args: [toy], reconnect: { delayMs: 10 } },
};

async function pidOf(host: Host, server = 'toy'): Promise<number> {
  const { content } = await host.callTool({ server, tool: 'pid' });
  return Number((content[0] as { text: string }).text);
}

function next<Name extends keyof HostEvents>(host: Host, name: Name): Promise<HostEvents[Name]> {
  return new Promise((resolve) => {
    const subscription = host.on(name, (event) => {
      subscription[Symbol.dispose]();
      resolve(event);
    });
  });
}

/** Timers, sockets and pipes that keep the process alive. */
const handles = (): readonly string[] =>
  process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP|Pipe|Process|Immediate/.test(kind));

describe('real faults', () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): number => rejections.push(reason);
  process.on('unhandledRejection', onRejection);
  afterEach(() => expect(rejections).toEqual([]));

  it('kill -9: reconnects and restores subscriptions, log level and lists', async () => {
    const before = handles().length;
    const host = testHost([stdio()]);
    await host.connect(entry);
    await host.subscribe({ server: 'toy', uri: 'toy://a' });
    await host.setLogLevel('toy', 'warning');
    const pid = await pidOf(host);

    const back = next(host, 'reconnected');
    const updated = next(host, 'resourceUpdated');
    const logged = next(host, 'log');
    process.kill(pid, 'SIGKILL');
    await back;
    expect(await updated).toEqual({ server: 'toy', uri: 'toy://a' });
    expect(await logged).toMatchObject({ data: 'level warning' });
    expect(host.tools()).toHaveLength(1);
    expect(host.server('toy').lastError).toMatchObject({
      code: 'PROCESS_EXITED',
      details: { signal: 'SIGKILL' },
    });
    expect(await pidOf(host)).not.toBe(pid);
    await host.close();
    await expect.poll(() => handles().length).toBeLessThanOrEqual(before);
  });

  it('SIGSTOP: a stopped process is detected and replaced; one that continues in time is kept', async () => {
    await using host = testHost([stdio()]);
    const healthCheck = { enabled: true, intervalMs: 20, timeoutMs: 1000, maxFailures: 3 };
    await host.connect({ toy: { ...entry.toy, healthCheck } });
    const pid = await pidOf(host);
    process.kill(pid, 'SIGSTOP');
    const late = pidOf(host);
    process.kill(pid, 'SIGCONT');
    expect(await late).toBe(pid);

    const unhealthy = next(host, 'unhealthy');
    const back = next(host, 'reconnected');
    process.kill(pid, 'SIGSTOP');
    expect(await unhealthy).toMatchObject({ server: 'toy', failures: 3 });
    await back;
    expect(await pidOf(host)).not.toBe(pid);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it('a crash loop ends in failed, with the last output of the process', async () => {
    await using host = testHost([stdio()]);
    await host.connect({
      toy: { command: process.execPath, args: [toy, 'crash'], reconnect: { maxAttempts: 2, delayMs: 5 } },
    });
    const state = await reaches(host, 'toy', 'failed');
    expect(state).toMatchObject({ error: { code: 'PROCESS_EXITED', details: { exitCode: 3 } } });
  });

  it('a real HTTP server that restarts: no call is lost without an error, and the lists are read again', async () => {
    await using server = await everythingServer();
    await using host = testHost([http()], { delivery: 'retry' });
    await host.connect({ remote: { url: server.url, reconnect: { delayMs: 50, maxAttempts: 20 } } });
    expect(host.server('remote').state.status).toBe('connected');
    const echo = (message: string) => host.callTool({ server: 'remote', tool: 'echo' }, { message });
    expect(JSON.stringify(await echo('one'))).toContain('one');
    const uri = 'demo://resource/dynamic/text/1';
    await host.subscribe({ server: 'remote', uri });

    await server.restart();
    const again = next(host, 'catalog');
    const outcome = await echo('two').catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).toMatch(/two|"delivery":"(not-sent|rejected|unknown)"/);
    await again;
    expect(JSON.stringify(await echo('three'))).toContain('three');
    // The server that was subscribed to is gone; the new one knows of the subscription all the same.
    const updated = next(host, 'resourceUpdated');
    await host.callTool({ server: 'remote', tool: 'toggle-subscriber-updates' });
    expect(await updated).toEqual({ server: 'remote', uri });
  });
});
