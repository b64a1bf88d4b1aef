import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { testHost } from './support/calculator.js';
import { reaches } from './support/recorder.js';

const STDIO = 50;
const HTTP = 200;
const HANGING = 16;
const toy = join(import.meta.dirname, 'support/toy-server.mjs');
const local = (...mood: string[]): ServerConfig => ({ command: process.execPath, args: [toy, ...mood] });

/** Calls every good server four times; resolves with how many answers came. */
async function callAll(host: Host, names: readonly string[]): Promise<number> {
  let answers = 0;
  for (let round = 0; round < 4; round++) {
    await Promise.all(
      names.map(async (server) => {
        await host.callTool({ server, tool: server.startsWith('stdio') ? 'pid' : 'echo' }, { round });
        answers++;
      }),
    );
  }
  return answers;
}

describe('a host of many servers', () => {
  it('connects 50 processes and 200 HTTP servers behind sixteen that hang and beside two that misbehave', async () => {
    const farm = spawn(process.execPath, [join(import.meta.dirname, 'support/http-farm.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(farm.stdout, 'data')) as [Buffer];
    const port = Number(String(line));

    const good: Record<string, ServerConfig> = {};
    for (let i = 0; i < STDIO; i++) good[`stdio${i}`] = local();
    for (let i = 0; i < HTTP; i++) good[`http${i}`] = { url: `http://127.0.0.1:${port}/mcp/${i}` };
    const hanging: Record<string, ServerConfig> = {};
    for (let i = 0; i < HANGING; i++) hanging[`hanging${i}`] = local('hang');

    await using host = testHost([stdio(), http()]);
    const names = Object.keys(good);
    // Every change of a state, in order; and what the flood gets through.
    const states: { readonly server: string; readonly status: string }[] = [];
    host.on('state', ({ server, state }) => states.push({ server, status: state.status }));
    const flooded = (): Promise<unknown> =>
      new Promise((resolve) => {
        const subscription = host.on('log', (event) => {
          subscription[Symbol.dispose]();
          resolve(event);
        });
      });

    // Those that hang come first, so that they have every turn to connect.
    const connecting = host.connect({ ...hanging, ...good });
    await Promise.all(names.map((name) => reaches(host, name, 'connected')));
    expect(
      states.filter(({ server, status }) => server in hanging && !['pending', 'connecting'].includes(status)),
    ).toEqual([]);
    expect(Object.keys(hanging).map((name) => host.server(name).state.status)).toEqual(
      Object.keys(hanging).map(() => 'connecting'),
    );
    expect(await callAll(host, names)).toBe(4 * names.length);

    const adding = host.connect({
      flooding: local('flood'),
      crashing: { ...local('crash'), reconnect: { maxAttempts: 1000, delayMs: 50 } },
    });
    await flooded();
    states.length = 0;
    expect(await callAll(host, names)).toBe(4 * names.length);
    // The flood went on all the while, and it could be called, too.
    await flooded();
    await reaches(host, 'flooding', 'connected');
    expect(await host.callTool({ server: 'flooding', tool: 'pid' })).toMatchObject({
      content: [{ type: 'text' }],
    });
    // Nothing of it showed at the good ones: no connection was lost.
    expect(states.filter(({ server }) => server in good)).toEqual([]);
    expect(host.statistics().connected).toBeGreaterThanOrEqual(names.length);

    await host.close();
    await Promise.all([adding, connecting]);
    farm.stdin.end();
    await once(farm, 'exit');
  });
});
