import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { createHost, type Host } from '@mcp-fittings/host';
import { sdk } from '@mcp-fittings/host/sdk';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { identity } from './support/calculator.js';

const STDIO = 50;
const HTTP = 200;
const toy = join(import.meta.dirname, 'support/toy-server.mjs');
const local = (...mood: string[]): ServerConfig => ({ command: process.execPath, args: [toy, ...mood] });

/** Calls every good server a few times; milliseconds of each call, in order of size. */
async function callAll(host: Host, names: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      names.map(async (server) => {
        const started = performance.now();
        await host.callTool({ server, tool: server.startsWith('stdio') ? 'pid' : 'echo' }, { round });
        times.push(performance.now() - started);
      }),
    );
  }
  return times.toSorted((a, b) => a - b);
}

const p99 = (times: readonly number[]): string =>
  `${(times[Math.floor(times.length * 0.99)] ?? 0).toFixed(1)} ms`;

describe('a host of many servers', () => {
  it('connects 50 processes and 200 HTTP servers, and three bad ones do not stop the others', async () => {
    const farm = spawn(process.execPath, [join(import.meta.dirname, 'support/http-farm.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(farm.stdout, 'data')) as [Buffer];
    const port = Number(String(line));

    const good: Record<string, ServerConfig> = {};
    for (let i = 0; i < STDIO; i++) good[`stdio${i}`] = local();
    for (let i = 0; i < HTTP; i++) good[`http${i}`] = { url: `http://127.0.0.1:${port}/mcp/${i}` };
    const bad: Record<string, ServerConfig> = {
      hanging: local('hang'),
      flooding: local('flood'),
      crashing: { ...local('crash'), reconnect: { maxAttempts: 1000, delayMs: 50 } },
    };

    await using host = createHost({ engine: sdk(identity), transports: [stdio(), http()] });
    const flooded = new Promise((resolve) => host.on('log', resolve));
    const names = Object.keys(good);
    const connected = await host.connect(good);
    expect(connected.filter(({ state }) => state.status !== 'connected')).toEqual([]);
    const alone = await callAll(host, names);

    const adding = host.connect(bad);
    await flooded;
    const beside = await callAll(host, names);
    expect(beside).toHaveLength(4 * (STDIO + HTTP));
    expect(host.statistics().connected).toBeGreaterThanOrEqual(STDIO + HTTP);
    expect(host.server('flooding').state.status).toBe('connected');
    console.log(
      `p99 of a call to ${names.length} servers: ${p99(alone)} alone, ${p99(beside)} beside three bad ones`,
    );

    await host.close();
    await adding;
    farm.stdin.end();
    await once(farm, 'exit');
  }, 120_000);
});
